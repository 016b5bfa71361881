import { Rejection, STATUS_OF } from "../kernel/errors.ts";
import { type Journal, type PendingEntry, type Tx, WAITING_WRITES_MAX } from "./engine.ts";
import { type SqliteConnection, sqliteCompiler } from "./sqlite-connection.ts";
import type { Disk } from "./sqlite-disk.ts";
import { isBusy, isStorageFault, storageUnavailable } from "./sqlite-errors.ts";

/** Writes that share one transaction and one flush to the disk. */
const BATCH_MAX = 256;

/** Turns of the event loop for which a growing batch waits: a flush costs far more than a turn. */
const GATHERING_TURNS_MAX = 4;

/** Another process holds the lock for one batch, so it is asked for again soon, and given up late. */
const BUSY_PAUSE_MS = 2;
const BUSY_WAIT_MAX_MS = 5_000;

/** A write that waits for its batch, and what its body came to. */
interface Job {
  readonly body: (tx: Tx) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  outcome: { readonly value: unknown } | { readonly error: unknown };
}

/** `joined`: one failing body undoes the batch. `apart`: each body can be undone alone. */
type Isolation = "joined" | "apart";

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
 * Group commit: writes that come together run one after another in one transaction, and are answered
 * after one durable COMMIT. Bodies that await only `tx` run on microtasks, so a batch is one turn of
 * the event loop and nothing comes between. A batch is tried without savepoints, because with one
 * SQLite copies every page before it changes; when a body fails, it is run again with them.
 */
export function groupCommit({ connection, disk, journal, onCommit, onStall }: Options): Writes {
  const { database } = connection;
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const savepoint = database.prepare("SAVEPOINT body");
  const release = database.prepare("RELEASE body");
  const undo = database.prepare("ROLLBACK TO body");
  let queue: Job[] = [];
  let running: Promise<void> | null = null;

  const transaction = (): Tx => ({
    compiler: sqliteCompiler,
    writable: true,
    entries: [],
    all: async (plan, values) => connection.all(plan, values),
    run: async (plan, values) => connection.run(plan, values),
  });

  async function runApart(job: Job, entries: PendingEntry[]): Promise<void> {
    const tx = transaction();
    savepoint.run();
    try {
      job.outcome = { value: await job.body(tx) };
      entries.push(...tx.entries);
    } catch (error) {
      if (isForAll(error) || !database.isTransaction) throw error;
      job.outcome = { error };
      undo.run();
    }
    release.run();
  }

  /** Runs bodies and stores what they did, or throws and stores nothing. */
  async function store(jobs: readonly Job[], isolation: Isolation): Promise<void> {
    const tx = transaction();
    try {
      for (const job of jobs) {
        if (isolation === "apart") await runApart(job, tx.entries);
        else job.outcome = { value: await job.body(tx) };
      }
      if (tx.entries.length > 0) await journal.settle(tx, tx.entries);
      commit.run();
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
    onCommit();
  }

  async function attempt(jobs: readonly Job[], isolation: Isolation): Promise<void> {
    if (!disk.hasRoom()) throw storageUnavailable();
    await lock();
    let stalled = false;
    const mark = setImmediate(() => {
      stalled = true;
    });
    await store(jobs, isolation).finally(() => clearImmediate(mark));
    if (stalled) onStall();
  }

  async function commitBatch(jobs: readonly Job[], isolation: Isolation): Promise<void> {
    try {
      await attempt(jobs, isolation);
    } catch (error) {
      if (jobs.length > 1 && !isForAll(error)) {
        if (isolation === "joined") return commitBatch(jobs, "apart");
        // The ledger refuses an entry, and only alone can each write find out whether it is its own.
        for (const job of jobs) await commitBatch([job], "joined");
        return;
      }
      const refusal = isStorageFault(error) ? storageUnavailable(error) : error;
      for (const job of jobs) job.outcome = { error: refusal };
    }
    for (const { outcome, resolve, reject } of jobs) {
      if ("error" in outcome) reject(outcome.error);
      else resolve(outcome.value);
    }
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

  /** Lets requests that are on their way join the batch, as long as some do. */
  async function gather(): Promise<void> {
    let known = 0;
    for (let turn = 0; turn < GATHERING_TURNS_MAX && queue.length > known; turn++) {
      known = queue.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async function flush(): Promise<void> {
    while (queue.length > 0) {
      await gather();
      const jobs = queue.slice(0, BATCH_MAX);
      queue = queue.slice(BATCH_MAX);
      await commitBatch(jobs, "joined");
    }
    running = null;
  }

  return {
    write<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
      if (queue.length >= WAITING_WRITES_MAX) return Promise.reject(overloaded());
      return new Promise<T>((resolve, reject) => {
        const settle = resolve as (value: unknown) => void;
        queue.push({ body, resolve: settle, reject, outcome: { value: undefined } });
        running ??= flush();
      });
    },
    waiting: () => queue.length,
    idle: async () => {
      while (running !== null) await running;
    },
  };
}

/** Whether no write can be stored now, whatever its body does. */
const isForAll = (error: unknown): boolean =>
  isStorageFault(error) || (error instanceof Rejection && STATUS_OF[error.code] === 503);

const overloaded = (): Rejection =>
  new Rejection(
    "overloaded",
    "Too many writes are waiting; nothing was stored. Try again in a second.",
  );
