import { closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { EndedForm } from "../../kernel/ended-form.ts";
import type { Journal, Store } from "../engine.ts";
import { makeFolder, NoFolder } from "../folder.ts";
import { openConnection, type SqliteConnection } from "./connection.ts";
import { spaceAt as freeSpaceAt, type SpaceAt, watchDisk } from "./disk.ts";
import { refuseEndedFile } from "./ended.ts";
import { isBusy } from "./errors.ts";
import { type FlushLog, flushedBeside, flushedWithin, flushLogOf } from "./flush.ts";
import { migrateSqlite } from "./migrate.ts";
import { generationOf, readsByTurn, snapshotsOf } from "./reads.ts";
import { writeLock } from "./write-lock.ts";
import { groupCommit } from "./writes.ts";

const OWNER_ONLY = 0o600;

export interface SqliteOptions {
  /** The database file; it and its folder are made when missing. */
  readonly path: string;
  readonly journal: Journal;
  /** Hears that new entries can be read. */
  readonly onEntries: () => void;
  /** Hears of a write body that awaited more than its transaction. */
  readonly onStall: () => void;
  /**
   * How a commit becomes durable: `within` COMMIT, or `beside` the event loop, by another thread. The latter
   * only where no other process reads the file: it could see what is not durable.
   */
  readonly flush: "within" | "beside";
  /** Unless given, the system's. */
  readonly flushLog?: FlushLog;
  /** Unless given, what the file system says. */
  readonly spaceAt?: SpaceAt;
}

/**
 * Opens the embedded engine: one connection writes, others read what is committed.
 * Throws an error whose message is a sentence when the file cannot be used.
 */
export async function openSqlite(options: SqliteOptions): Promise<Store> {
  const { path, journal, onEntries, onStall, flush, flushLog, spaceAt = freeSpaceAt } = options;
  prepare(path);
  const writer = openConnection(path, "writer");
  const reader = openConnection(path, "reader");
  const room = roomOf(reader);
  const version = generationOf(reader);
  version.current(); // The first question of all makes the log, if nobody else has it open.
  flushLogOf(path); // Else it may have what a process had not flushed when it was killed.
  const disk = watchDisk(path, spaceAt);
  const lock = writeLock(writer);
  const reads = readsByTurn(reader);
  const lost = Promise.withResolvers<unknown>();
  const parts = { path, writer, reads, onLost: lost.resolve, ...(flushLog && { flushLog }) };
  const durability = flush === "beside" ? flushedBeside(parts) : flushedWithin(reads);
  const writes = groupCommit({
    connection: writer,
    lock,
    disk,
    journal,
    onStall,
    durability,
    onCommit(entries) {
      version.forget();
      if (entries > 0) onEntries();
    },
  });
  const snapshots = snapshotsOf(path, durability.readable);

  return {
    read: reads.read,
    snapshot: snapshots.snapshot,
    probe: reads.read, // A file answers at once, or the whole process stands still.
    unhurried: { read: reads.read, snapshot: snapshots.snapshot },
    replica: null,
    write: writes.write,
    generation() {
      if (reads.refresh()) version.forget();
      return version.current();
    },
    now: () => Math.floor(Date.now() / 1000),
    sequence: async () => 0,
    lost: lost.promise,
    hadOthers: false,
    health: async () => ({
      engine: "sqlite",
      refusal: disk.refusal("usual") ?? lock.refusal(),
      waitingWrites: writes.waiting(),
    }),
    bytes: async () => room().pages * room().page_bytes,
    room() {
      return { ...spaceAt(path), ...room() };
    },
    async scrub(_tables, rewrite) {
      await writes.idle();
      reads.end();
      return scrubbed(writer.database, rewrite);
    },
    async close() {
      await snapshots.close();
      await writes.close();
      version.close();
      reads.close();
      // The last to close moves the log into the database, unless it may only read.
      const last = disk.mustKeepLog() || durability.isLost() ? reader : writer;
      for (const connection of [reader, writer]) if (connection !== last) connection.close();
      durability.close();
      last.close();
    },
  };
}

const SCRUB_TRIES = 50;
const SCRUB_PAUSE_MS = 100;

/** Other processes read and write beside it, so it asks again for some seconds. */
async function scrubbed(database: DatabaseSync, rewrite: boolean): Promise<boolean> {
  let isToRewrite = rewrite;
  for (let tries = 0; tries < SCRUB_TRIES; tries++) {
    try {
      if (isToRewrite) database.exec("VACUUM");
      isToRewrite = false;
      const { busy } = Object(database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get());
      if (busy === 0) return true;
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    await setTimeout(SCRUB_PAUSE_MS);
  }
  return false;
}

/** The pages of the file, and those of them that hold nothing. */
function roomOf({ database }: SqliteConnection) {
  const pragma = (name: string) => {
    const statement = database.prepare(`PRAGMA ${name}`);
    return () => Number(Object.values(statement.get() ?? {})[0]);
  };
  const pages = pragma("page_count");
  const free = pragma("freelist_count");
  const size = pragma("page_size");
  return () => ({ pages: pages(), free_pages: free(), page_bytes: size() });
}

/** Makes the file, switches it to write-ahead logging and brings its schema up to date. */
function prepare(path: string): void {
  try {
    refuseEndedFile(path);
    makeFolder(dirname(path));
    closeSync(openSync(path, "a", OWNER_ONLY)); // SQLite would let everybody read a new file.
    const database = new DatabaseSync(path, { timeout: 5_000 });
    try {
      database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      migrateSqlite(database);
    } finally {
      database.close();
    }
  } catch (error) {
    if (error instanceof NoFolder || error instanceof EndedForm) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`The database ${path} cannot be used: ${why}`, { cause: error });
  }
}
