import { isOutage } from "../../kernel/contract/errors.ts";
import type { Journal, PendingEntry, Tx } from "../engine.ts";
import { groupTxOf, txOver } from "../transaction.ts";
import { dbOf, type SqliteConnection } from "./connection.ts";
import type { Disk } from "./disk.ts";
import { isStorageFault, storageUnavailable } from "./errors.ts";
import type { Durability } from "./flush.ts";
import type { WriteLock } from "./write-lock.ts";

/** A write that waits for its batch, and what its body came to. */
export interface Job {
  readonly body: (tx: Tx) => Promise<unknown>;
  /** Whether the body must not read. */
  readonly isGrouped: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  outcome: { readonly value: unknown } | { readonly error: unknown };
}

/** `joined`: one failing body undoes the batch. `apart`: each body can be undone alone. */
type Isolation = "joined" | "apart";

export interface BatchParts {
  readonly connection: SqliteConnection;
  readonly lock: WriteLock;
  readonly journal: Journal;
  readonly disk: Disk;
  readonly durability: Durability;
  /** Hears of every COMMIT when it is durable, and how many entries it brought. */
  readonly onCommit: (entries: number) => void;
  /** Hears of a body that awaited more than its transaction, which holds up everybody. */
  readonly onStall: () => void;
}

/** Bodies of one batch begin within this time: what is asked meanwhile waits for all of them. */
const BATCH_MAX_MS = 10;

/**
 * Runs the first jobs of a queue in one batch, stores what succeeded, and answers each of them. Resolves to
 * how many these were: large ones take the time of many small ones.
 */
export type RunBatch = (jobs: readonly Job[]) => Promise<number>;

/**
 * One batch is one transaction with one COMMIT and one flush of the log. Bodies that await only `tx` run on
 * microtasks, so it is one turn of the event loop and nothing comes between. It is tried without
 * savepoints, because with one SQLite copies every page before it changes; when a body fails, the
 * batch is run again with them.
 */
export function batches(parts: BatchParts): RunBatch {
  async function attempt(jobs: readonly Job[], isolation: Isolation): Promise<number> {
    await parts.lock.take();
    let stalled = false;
    const mark = setImmediate(() => {
      stalled = true;
    });
    const { entries, count } = await store(jobs, isolation).finally(() => clearImmediate(mark));
    if (stalled) parts.onStall();
    await parts.durability.flushed();
    parts.onCommit(entries);
    return count;
  }

  async function commitBatch(jobs: readonly Job[], isolation: Isolation): Promise<number> {
    let count = jobs.length;
    try {
      count = await attempt(jobs, isolation);
    } catch (error) {
      if (jobs.length > 1 && !stopsAllWrites(error)) {
        if (isolation === "joined") return commitBatch(jobs, "apart");
        // The ledger refuses an entry, and only alone can each write find out whether it is its own.
        for (const job of jobs) await commitBatch([job], "joined");
        return count;
      }
      const refusal = isStorageFault(error) ? storageUnavailable(error) : error;
      for (const job of jobs) job.outcome = { error: refusal };
    }
    jobs.slice(0, count).forEach(answer);
    return count;
  }

  const store = transactions(parts);
  return (jobs) => commitBatch(jobs, "joined");
}

/**
 * Runs bodies in the transaction that has begun, as long as there is time, and stores what they did, or
 * throws and stores nothing. Resolves to the number of bodies and of entries.
 */
function transactions({ connection, journal, disk, durability }: BatchParts) {
  const { database } = connection;
  const commit = database.prepare("COMMIT");
  const savepoint = database.prepare("SAVEPOINT body");
  const release = database.prepare("RELEASE body");
  const undo = database.prepare("ROLLBACK TO body");

  const db = dbOf(connection);

  /** A transaction, as each of its bodies gets it. */
  function transaction() {
    const tx: Tx = Object.assign(txOver(db), {
      settle: (entries: readonly PendingEntry[]) => journal.settle(tx, entries),
    });
    const narrow = groupTxOf(tx);
    return { tx, run: ({ body, isGrouped }: Job) => body(isGrouped ? narrow : tx) };
  }

  async function runApart(job: Job, entries: PendingEntry[]): Promise<void> {
    const { tx, run } = transaction();
    savepoint.run();
    try {
      job.outcome = { value: await run(job) };
      entries.push(...tx.entries);
    } catch (error) {
      if (stopsAllWrites(error) || !database.isTransaction) throw error;
      job.outcome = { error };
      undo.run();
    }
    release.run();
  }

  return async (jobs: readonly Job[], isolation: Isolation): Promise<Stored> => {
    const { tx, run } = transaction();
    const ends_ms = performance.now() + BATCH_MAX_MS;
    let count = 0;
    try {
      for (const job of jobs) {
        if (count > 0 && performance.now() >= ends_ms) break;
        if (isolation === "apart") await runApart(job, tx.entries);
        else job.outcome = { value: await run(job) };
        count++;
      }
      if (tx.entries.length > 0) await journal.settle(tx, tx.entries);
      disk.demandFiles();
      durability.beforeCommit();
      commit.run();
      return { count, entries: tx.entries.length };
    } catch (error) {
      durability.undone();
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  };
}

interface Stored {
  readonly count: number;
  readonly entries: number;
}

function answer({ outcome, resolve, reject }: Job): void {
  if ("error" in outcome) reject(outcome.error);
  else resolve(outcome.value);
}

/** Whether no write can be stored now, whatever its body does. */
const stopsAllWrites = (error: unknown): boolean => isStorageFault(error) || isOutage(error);
