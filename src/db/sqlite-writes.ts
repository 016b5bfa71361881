import { Rejection } from "../kernel/errors.ts";
import { type PendingEntry, type Journal, type Tx, WAITING_WRITES_MAX } from "./engine.ts";
import { type SqliteConnection, sqliteCompiler } from "./sqlite-connection.ts";
import type { Disk } from "./sqlite-disk.ts";
import { isBusy, isStorageFault, storageUnavailable } from "./sqlite-errors.ts";

/** Writes that share one transaction and one flush to the disk. */
const BATCH_MAX = 256;

/** Another process holds the lock for one batch, so it is asked for again soon, and given up late. */
const BUSY_PAUSE_MS = 2;
const BUSY_WAIT_MAX_MS = 5_000;

/** A write that waits for its batch, and what came of it. */
interface Job {
  readonly body: (tx: Tx) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  outcome: { readonly value: unknown } | { readonly error: unknown };
}

/** All writes of this process, in group commits. */
export interface Writes {
  write<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
  waiting(): number;
  /** Resolves when no write is running or waiting. */
  idle(): Promise<void>;
}

interface Options {
  readonly connection: SqliteConnection;
  readonly disk: Disk;
  readonly journal: Journal;
  readonly onCommit: () => void;
  /** Hears of a body that awaited more than its transaction, which holds up everybody. */
  readonly onStall: () => void;
}

/**
 * Group commit: the writes of one turn of the event loop meet in one transaction, each in its own
 * savepoint, and are answered after one durable COMMIT. Bodies that await only `tx` run on
 * microtasks, so a batch is one turn and nothing comes between.
 */
export function groupCommit({ connection, disk, journal, onCommit, onStall }: Options): Writes {
  const { database } = connection;
  const savepoint = database.prepare("SAVEPOINT body");
  const release = database.prepare("RELEASE body");
  const undo = database.prepare("ROLLBACK TO body");
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  let queue: Job[] = [];
  let running: Promise<void> | null = null;

  const transaction = (entries: PendingEntry[]): Tx => ({
    compiler: sqliteCompiler,
    writable: true,
    entries,
    all: async (plan, values) => connection.all(plan, values),
    run: async (plan, values) => connection.run(plan, values),
  });

  /** One body in its savepoint; its entries join those of the batch only when it succeeds. */
  async function runBody(job: Job, entries: PendingEntry[]): Promise<void> {
    const own: PendingEntry[] = [];
    savepoint.run();
    try {
      job.outcome = { value: await job.body(transaction(own)) };
      entries.push(...own);
    } catch (error) {
      if (isStorageFault(error) || !database.isTransaction) throw error;
      job.outcome = { error };
      undo.run();
    }
    release.run();
  }

  /** Stores a batch whole, or throws and stores nothing. */
  async function store(jobs: readonly Job[]): Promise<void> {
    const entries: PendingEntry[] = [];
    try {
      for (const job of jobs) await runBody(job, entries);
      if (entries.length > 0) await journal.settle(transaction([]), entries);
      commit.run();
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
    onCommit();
  }

  async function commitBatch(jobs: readonly Job[]): Promise<void> {
    try {
      if (!disk.hasRoom()) throw storageUnavailable();
      await lock();
      let stalled = false;
      const mark = setImmediate(() => {
        stalled = true;
      });
      await store(jobs);
      clearImmediate(mark);
      if (stalled) onStall();
    } catch (error) {
      // What the ledger refuses is the fault of one write: alone, each finds out whether it is that one.
      const alone = jobs.length === 1 || error instanceof Rejection || isStorageFault(error);
      if (!alone) {
        for (const job of jobs) await commitBatch([job]);
        return;
      }
      const refusal = isStorageFault(error) ? storageUnavailable(error) : error;
      for (const job of jobs) job.outcome = { error: refusal };
    }
    for (const job of jobs) answer(job);
  }

  async function lock(): Promise<void> {
    const patience = performance.now() + BUSY_WAIT_MAX_MS;
    for (;;) {
      try {
        begin.run();
        return;
      } catch (error) {
        if (!isBusy(error)) throw error;
        if (performance.now() > patience) throw overloaded();
        await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS));
      }
    }
  }

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      const jobs = queue.slice(0, BATCH_MAX);
      queue = queue.slice(BATCH_MAX);
      await commitBatch(jobs);
      // Answers go out, and the next requests come in, before the next batch.
      await new Promise((resolve) => setImmediate(resolve));
    }
    running = null;
  }

  return {
    write<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
      if (queue.length >= WAITING_WRITES_MAX) return Promise.reject(overloaded());
      return new Promise<T>((resolve, reject) => {
        const settle = resolve as (value: unknown) => void;
        queue.push({ body, resolve: settle, reject, outcome: { value: undefined } });
        running ??= new Promise<void>((start) => setImmediate(start)).then(flush);
      });
    },
    waiting: () => queue.length,
    idle: async () => {
      while (running !== null) await running;
    },
  };
}

function answer(job: Job): void {
  if ("error" in job.outcome) job.reject(job.outcome.error);
  else job.resolve(job.outcome.value);
}

const overloaded = (): Rejection =>
  new Rejection("overloaded", "Too many writes are waiting; nothing was stored. Try again in a second.");
