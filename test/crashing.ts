import type { ServiceContext } from "../src/platform/context.ts";

/** The process dies at a moment of the write; the caller hears nothing. */
export class Crash extends Error {}
export type Moment = "never" | "before_commit" | "after_commit";

/** The same context, but for writes that end in a crash. */
export function crashing(context: ServiceContext, moment: Moment): ServiceContext {
  const write: ServiceContext["write"] = async (body) => {
    if (moment === "never") return context.write(body);
    const result = await context.write(async (tx) => {
      const done = await body(tx);
      if (moment === "before_commit") throw new Crash();
      return done;
    });
    if (moment === "after_commit") throw new Crash();
    return result;
  };
  return { ...context, write };
}

/** Crashes are rare. */
export function momentOf(roll: (sides: number) => number): Moment {
  const n = roll(20);
  if (n === 0) return "before_commit";
  return n === 1 ? "after_commit" : "never";
}
