import { isOutage } from "../../kernel/contract/errors.ts";
import type { Reads, Replica } from "../engine.ts";

/** A replica that failed or lags is asked again after so long. */
const LEFT_OUT_MS = 5_000;

/**
 * Reads of a replica, and of the database itself while the replica is left out. A read that the
 * replica fails is answered by the database, so callers do not notice it.
 */
export function besideDatabase(follower: Reads, own: Reads, now_ms: () => number): Replica {
  let leftOutUntil_ms = Number.NEGATIVE_INFINITY;
  const isUsed = () => now_ms() >= leftOutUntil_ms;
  const leaveOut = () => {
    leftOutUntil_ms = now_ms() + LEFT_OUT_MS;
  };

  async function either<T>(ask: (reads: Reads) => Promise<T>): Promise<T> {
    if (!isUsed()) return ask(own);
    try {
      return await ask(follower);
    } catch (error) {
      if (!isOutage(error)) throw error;
      leaveOut();
      return ask(own);
    }
  }

  return {
    read: {
      compiler: own.read.compiler,
      all: (plan, values) => either(({ read }) => read.all(plan, values)),
      run: (plan, values) => either(({ read }) => read.run(plan, values)),
    },
    snapshot: (work) => either(({ snapshot }) => snapshot(work)),
    follower: follower.read,
    isUsed,
    leaveOut,
  };
}
