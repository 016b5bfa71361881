import { closeSync, fdatasync, fdatasyncSync, openSync } from "node:fs";
import { promisify } from "node:util";
import { logPagesAt, type SqliteConnection } from "./connection.ts";
import { isStorageFault, perhapsStored, storageUnavailable } from "./errors.ts";
import type { TurnReads } from "./reads.ts";

/** Makes the log durable whose file is open under a descriptor. */
export type FlushLog = (log: number) => Promise<void>;

/** Makes the log of a database durable in which another process, or one that was killed, may have committed. */
export function flushLogOf(path: string): void {
  const log = openIfThere(`${path}-wal`);
  if (log === null) return;
  try {
    fdatasyncSync(log);
  } finally {
    closeSync(log);
  }
}

/** Where nothing is in a log, and where this user may only read it. */
const NOT_TO_FLUSH: readonly unknown[] = ["ENOENT", "EACCES", "EPERM", "EROFS"];

function openIfThere(path: string): number | null {
  try {
    return openSync(path, "r+");
  } catch (error) {
    if (NOT_TO_FLUSH.includes(Object(error).code)) return null;
    throw error;
  }
}

/** How commits of this process become durable. */
export interface Durability {
  /** Called right before each COMMIT; throws when nothing may be committed any more. */
  beforeCommit(): void;
  /** Called after a COMMIT that has failed. */
  undone(): void;
  /** Resolves when what was committed is durable, and lets it be read. Rejects when it may be lost. */
  flushed(): Promise<void>;
  /** Resolves when all that is committed is durable. */
  readable(): Promise<void>;
  /** Moves a log that has become long into the database. */
  shorten(): void;
  /** Whether a flush has failed. */
  isLost(): boolean;
  close(): void;
}

/** Each COMMIT flushes the log itself, and holds this thread meanwhile: the way where other processes read the file, too. */
export const flushedWithin = (reads: TurnReads): Durability => ({
  beforeCommit: reads.end,
  undone() {},
  flushed: async () => {},
  readable: async () => {},
  shorten() {},
  isLost: () => false,
  close() {},
});

interface BesideParts {
  readonly path: string;
  readonly writer: SqliteConnection;
  readonly reads: TurnReads;
  /** Hears of a flush that failed, after which the process has to end. */
  readonly onLost: (error: unknown) => void;
  /** Unless given, the system's. */
  readonly flushLog?: FlushLog;
}

/** By this part of its bound the log grows before it is moved again while somebody reads what stands in it. */
const AGAIN_PART = 4;

/**
 * Another thread flushes the log, and this one answers reads meanwhile. Until the flush has ended they see the
 * state before it, so nobody is told, and nobody signs, what a loss of power could take back.
 *
 * A flush that failed is never tried again: the system may have dropped what it could not store, and would call
 * the next one a success. The last commit may have happened, then, and the process has to end. SQLite
 * flushes the log itself before it moves pages of it into the database.
 */
export function flushedBeside(parts: BesideParts): Durability {
  const { path, writer, reads, onLost, flushLog = promisify(fdatasync) } = parts;
  const { database } = writer;
  database.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0");
  const log = openSync(`${path}-wal`, "r+");
  const length = database.prepare("PRAGMA wal_checkpoint(NOOP)");
  const move = database.prepare("PRAGMA wal_checkpoint(PASSIVE)");
  // It changes with each commit of another process, and with none of this connection.
  const version = database.prepare("PRAGMA data_version");
  const pagesMax = logPagesAt(path);
  let movedAt = pagesMax;
  let flushing: Promise<void> | null = null;
  let isLost = false;
  /** The version of the file after the last commit here; null during a commit. */
  let committed: unknown = null;

  const versionNow = (): unknown => version.get()?.["data_version"];
  /** A command flushes the log before others see its commit, and with it all that stands there before. */
  const isFlushedByOther = (): boolean =>
    committed !== null && !isLost && versionNow() !== committed;

  async function flush(): Promise<void> {
    try {
      await flushLog(log);
    } catch (error) {
      isLost = true; // The reads stay with what is durable.
      onLost(error);
      throw perhapsStored(error);
    }
    flushing = null;
    reads.release();
  }

  return {
    beforeCommit() {
      if (isLost) throw storageUnavailable();
      committed = null;
      reads.hold(isFlushedByOther);
    },
    undone() {
      if (!isLost) reads.release();
    },
    flushed() {
      committed = versionNow();
      flushing = flush();
      return flushing;
    },
    async readable() {
      while (flushing !== null)
        await flushing.catch((error) => {
          throw storageUnavailable(error);
        });
    },
    shorten() {
      const pages = Number(Object(length.get()).log);
      if (pages < pagesMax) movedAt = pagesMax;
      if (pages < movedAt || isLost) return;
      movedAt = pages + pagesMax / AGAIN_PART;
      reads.end();
      try {
        move.get();
      } catch (error) {
        if (!isStorageFault(error)) throw error; // The log stays as it is, and is moved later.
      }
    },
    isLost: () => isLost,
    close: () => closeSync(log),
  };
}
