import { statfsSync } from "node:fs";
import { storageUnavailable } from "./errors.ts";
import { isThere, missingOf, type OpenedFiles, openedFiles } from "./files.ts";

/** Below this much free space the embedded engine takes no writes. */
export const FLOOR_BYTES = 256 * 1024 * 1024;

/** Below this much it takes no large ones, so that a page or a box is never what fills the disk. */
export const LARGE_FLOOR_BYTES = 1024 * 1024 * 1024;

/** On a small file system the floors are these parts of it, so that a small disk is of use at all. */
const FLOOR_PART = 16;
const LARGE_FLOOR_PART = 4;

const PROBE_INTERVAL_MS = 250;

type WriteSize = "usual" | "large";

/** Tells whether the database's files are still there and have room to grow. */
export interface Disk {
  /**
   * Why a write must not begin, in a sentence; null when it may. While all is well the disk is looked
   * at 4 times a second.
   */
  refusal(size: WriteSize): string | null;
  /** Rejects a commit, at each of which the files are looked at: 4 µs. Throws `storage_unavailable`. */
  demandFiles(): void;
  /**
   * Whether the log is in its place and its index is not. Another process may have written to the log since,
   * so nothing of it may be moved into the database with the index of this one.
   */
  mustKeepLog(): boolean;
}

type Refusals = Readonly<Record<WriteSize, string | null>>;

const NONE: Refusals = { usual: null, large: null };

/** Watches the files of the database at `path`, which is open, and the space around them. */
export function watchDisk(path: string, spaceAt: SpaceAt): Disk {
  const files = openedFiles(path);
  let probedAt = 0;
  let refusals = NONE;

  return {
    refusal(size) {
      const now = performance.now();
      if (now - probedAt < PROBE_INTERVAL_MS && refusals[size] === null) return null;
      probedAt = now;
      refusals = probe(files, spaceAt);
      return refusals[size];
    },
    demandFiles() {
      let fault: unknown;
      try {
        if (isThere(files.log) && isThere(files.index)) return;
      } catch (error) {
        fault = error;
      }
      probedAt = Number.NEGATIVE_INFINITY;
      throw storageUnavailable(fault);
    },
    mustKeepLog() {
      try {
        return isThere(files.log) && !isThere(files.index);
      } catch {
        return true; // A disk on which nobody can look is not written, either.
      }
    },
  };
}

const NO_WRITES = "The storage takes no writes.";
const DISK_FULL = "The storage takes no writes: its disk has too little free space.";
const LOG_REMOVED =
  "The log file was removed. Stop the service with SIGTERM, which moves what it held into the database.";
const INDEX_REMOVED =
  "The file cairn.db-shm was removed or replaced. Stop the service with SIGTERM and start it again.";

/** The refusal for each file that is not in its place. */
const REMOVED = { database: NO_WRITES, log: LOG_REMOVED, index: INDEX_REMOVED } as const;

function probe(files: OpenedFiles, spaceAt: SpaceAt): Refusals {
  try {
    const missing = missingOf(files);
    if (missing !== undefined) {
      const why = REMOVED[missing];
      return { usual: why, large: why };
    }
    const { free_bytes, floor_bytes, large_floor_bytes } = spaceAt(files.database.path);
    const refusalBelow = (bytes: number) => (free_bytes >= bytes ? null : DISK_FULL);
    return { usual: refusalBelow(floor_bytes), large: refusalBelow(large_floor_bytes) };
  } catch (error) {
    const why = `${NO_WRITES} ${error instanceof Error ? error.message : error}.`;
    return { usual: why, large: why };
  }
}

interface Space {
  readonly free_bytes: number;
  readonly floor_bytes: number;
  readonly large_floor_bytes: number;
}

/** Tells what is free at a path. */
export type SpaceAt = (path: string) => Space;

/** The free space around a file or folder, and the floors below which no write, and no large one, begins. */
export function spaceAt(path: string): Space {
  const { bsize, blocks, bavail } = statfsSync(path);
  const total_bytes = bsize * blocks;
  return {
    free_bytes: bsize * bavail,
    floor_bytes: Math.min(FLOOR_BYTES, total_bytes / FLOOR_PART),
    large_floor_bytes: Math.min(LARGE_FLOOR_BYTES, total_bytes / LARGE_FLOOR_PART),
  };
}

/**
 * After so much write-ahead log a commit also moves it to the database. The more, the oftener a page
 * was written meanwhile that is moved only once: 64 MiB take a fifth off the cost of a busy commit.
 */
const LOG_MAX_BYTES = 64 * 1024 * 1024;
const LOG_MAX_PART = 64;

/** What the log may take of the file system on which a database is. */
export function logSpaceAt(path: string): number {
  const { bsize, blocks } = statfsSync(path);
  return Math.min(LOG_MAX_BYTES, (bsize * blocks) / LOG_MAX_PART);
}
