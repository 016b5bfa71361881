import { isOutage } from "../kernel/errors.ts";
import { type Tx, WAITING_WRITES_MAX } from "./engine.ts";
import { overloaded } from "./postgres-errors.ts";

/** Writes that share one transaction: it holds the locks of all of them until it ends. */
const GROUP_MAX = 64;

/** Groups under way: while one is stored the next one waits for its turn at the server already. */
const LANES = 2;

export type Body = (tx: Tx) => Promise<unknown>;

interface Job {
  readonly body: Body;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Writes that may share a transaction. */
export interface Groups {
  write<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
  waiting(): number;
}

/**
 * Group commit: what waits while one group is stored is the next one. `store` runs bodies side by
 * side in one transaction, each to its end; it resolves to their values, or stores nothing and
 * rejects.
 */
export function groupsOf(store: (bodies: readonly Body[]) => Promise<readonly unknown[]>): Groups {
  let queue: Job[] = [];
  let lanes = 0;
  let isGathering = false;

  /** Lets whoever asks in the same turn of the event loop join. */
  async function gather(): Promise<readonly Job[]> {
    isGathering = true;
    await new Promise((resolve) => setImmediate(resolve));
    isGathering = false;
    const jobs = queue.slice(0, GROUP_MAX);
    queue = queue.slice(GROUP_MAX);
    return jobs;
  }

  async function run(): Promise<void> {
    lanes++;
    while (queue.length > 0 && !isGathering) await perform(await gather());
    lanes--;
  }

  /** A body that fails undoes its group. So it runs alone then, and the others together again. */
  async function perform(jobs: readonly Job[]): Promise<void> {
    const failed = new Set<Job>();
    const bodies = jobs.map((job) => async (tx: Tx) => {
      try {
        return await job.body(tx);
      } catch (error) {
        failed.add(job);
        throw error;
      }
    });
    try {
      const values = await store(bodies);
      for (const [i, { resolve }] of jobs.entries()) resolve(values[i]);
    } catch (error) {
      if (jobs.length === 1 || isOutage(error)) {
        for (const { reject } of jobs) reject(error);
        return;
      }
      const others = failed.size === 0 ? [] : jobs.filter((job) => !failed.has(job));
      if (others.length > 0) await perform(others);
      for (const job of jobs) if (!others.includes(job)) await perform([job]);
    }
  }

  return {
    write<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
      if (queue.length >= WAITING_WRITES_MAX) return Promise.reject(overloaded());
      return new Promise<T>((resolve, reject) => {
        queue.push({ body, resolve: resolve as (value: unknown) => void, reject });
        if (lanes < LANES && !isGathering) void run();
      });
    },
    waiting: () => queue.length,
  };
}
