import { type Tx, WAITING_WRITES_MAX, type WriteKind } from "../engine.ts";
import { type BatchParts, batches, type Job } from "./batch.ts";
import { overloaded, storageUnavailable } from "./errors.ts";

/** Writes that share one transaction and one flush to the disk. */
const BATCH_MAX = 256;

/** Turns of the event loop for which a growing batch waits: a flush costs far more than a turn. */
const GATHERING_TURNS_MAX = 4;

/** Callers may take this part of a batch's time, and no more than this time, to ask again. */
const WAIT_PART = 0.5;
const WAIT_MAX_MS = 0.5;

/** All writes of this process, in group commits. */
export interface Writes {
  write<T>(body: (tx: Tx) => Promise<T>, kind?: WriteKind): Promise<T>;
  waiting(): number;
  /** Resolves when no write is running or waiting. */
  idle(): Promise<void>;
  /** The same, and takes no more: further ones reject with `storage_unavailable`. */
  close(): Promise<void>;
}

/** Group commit: writes that come together run in one batch and are answered when it is durable. */
export function groupCommit(parts: BatchParts): Writes {
  const { disk, durability } = parts;
  const runBatch = batches(parts);
  const queue: Job[] = [];
  let running: Promise<void> | null = null;
  let isClosed = false;
  /** How long the last batch took, and how many writes the next one has if all that were answered ask again. */
  let [took_ms, expected] = [0, 0];

  /**
   * Lets requests that are on their way join the batch, as long as some do; and those of callers who ask again as
   * soon as they are answered, so that these don't come in two halves, each with a flush of its own.
   */
  async function gather(): Promise<void> {
    const until_ms = performance.now() + Math.min(took_ms * WAIT_PART, WAIT_MAX_MS);
    let known = 0;
    for (let turn = 0; ; turn++) {
      const grows = queue.length > known && turn < GATHERING_TURNS_MAX;
      const awaits = queue.length < expected && performance.now() < until_ms;
      if (!grows && !awaits) return;
      known = queue.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      await gather();
      const jobs = queue.splice(0, BATCH_MAX);
      const began_ms = performance.now();
      const count = await runBatch(jobs);
      took_ms = performance.now() - began_ms;
      queue.unshift(...jobs.slice(count));
      expected = Math.min(queue.length + count, BATCH_MAX);
      durability.shorten();
    }
    running = null;
  }

  return {
    write<T>(body: (tx: Tx) => Promise<T>, kind: WriteKind = "usual"): Promise<T> {
      if (isClosed) return Promise.reject(storageUnavailable());
      if (queue.length >= WAITING_WRITES_MAX) return Promise.reject(overloaded());
      if (disk.refusal(kind === "large" ? "large" : "usual") !== null)
        return Promise.reject(storageUnavailable());
      return new Promise<T>((resolve, reject) => {
        const settle = resolve as (value: unknown) => void;
        const isGrouped = kind === "grouped";
        queue.push({ body, isGrouped, resolve: settle, reject, outcome: { value: undefined } });
        running ??= flush();
      });
    },
    waiting: () => queue.length,
    async idle() {
      while (running !== null) await running;
    },
    async close() {
      while (running !== null) await running;
      isClosed = true; // In the same turn: nothing begins in between.
    },
  };
}
