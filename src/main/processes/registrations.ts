import type { Registrations } from "../../platform/context.ts";
import type { Sender } from "../../platform/kernel/contract/operation.ts";

/** A worker's question to the first process, which takes one registration of a network of callers. */
export interface AskedRegistration {
  readonly registration: number;
  readonly sender: Sender;
}

/** The answer: 0, or seconds until one may begin. */
export interface TakenRegistration {
  readonly registration: number;
  readonly wait_s: number;
}

/**
 * Registrations of a worker, each of which is asked of the first process: they are few, and a burst over all workers
 * must not get more of them than one process gives.
 */
export function askedRegistrations(
  ask: (asked: AskedRegistration) => void,
): Pick<Registrations, "take"> & { taken(answer: TakenRegistration): void } {
  const waiting = new Map<number, (wait_s: number) => void>();
  let last = 0;
  return {
    take: (sender) =>
      sender == null
        ? 0
        : new Promise((resolve) => {
            waiting.set(++last, resolve);
            ask({ registration: last, sender });
          }),
    taken({ registration, wait_s }) {
      waiting.get(registration)?.(wait_s);
      waiting.delete(registration);
    },
  };
}
