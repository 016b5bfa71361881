import { reject } from "../kernel/errors.ts";

/** Runs work, or lets it wait for its turn. */
export type Queue = <T>(work: () => Promise<T>) => Promise<T>;

/** So many at a time; so many more may wait, and whoever comes then is told to come back. */
export function queueOf(atOnce: number, waitingMax: number): Queue {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running === atOnce) {
      if (waiting.length === waitingMax) {
        reject("overloaded", "Too many transfers are being looked up; try again in a second.");
      }
      // Whoever ends hands its place on, so nobody can come in between.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running++;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
