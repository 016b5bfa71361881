import { type Stats, statfsSync, statSync } from "node:fs";

/** Below this much free space the embedded engine takes no writes. */
export const FREE_SPACE_MIN_BYTES = 256 * 1024 * 1024;

/** Below this much it takes no large ones, so that a page or a box is never what fills the disk. */
export const FREE_SPACE_LARGE_MIN_BYTES = 1024 * 1024 * 1024;

/** On a small file system the floors are these parts of it, so that a small disk is of use at all. */
const FREE_SPACE_MIN_PART = 16;
const FREE_SPACE_LARGE_MIN_PART = 4;

const PROBE_INTERVAL_MS = 250;

type WriteSize = "usual" | "large";

/** Tells whether the database file is still there and has room to grow. */
export interface Disk {
  /** False while a write must not begin. While all is well the disk is looked at 4 times a second. */
  hasRoom(size: WriteSize): boolean;
}

/** Watches the file that is at `path` now: one that is put in its place later is another database. */
export function watchDisk(path: string): Disk {
  const opened = statSync(path);
  let probedAt = 0;
  let room: Readonly<Record<WriteSize, boolean>> = { usual: true, large: true };

  return {
    hasRoom(size) {
      const now = performance.now();
      if (now - probedAt < PROBE_INTERVAL_MS && room[size]) return true;
      probedAt = now;
      room = probe(path, opened);
      return room[size];
    },
  };
}

const NO_ROOM = { usual: false, large: false };

function probe(path: string, opened: Stats): Readonly<Record<WriteSize, boolean>> {
  try {
    const file = statSync(path);
    if (file.ino !== opened.ino || file.dev !== opened.dev) return NO_ROOM;
    const { free_bytes, min_bytes, large_min_bytes } = spaceAt(path);
    return { usual: free_bytes >= min_bytes, large: free_bytes >= large_min_bytes };
  } catch {
    return NO_ROOM; // The file is gone, or its file system is.
  }
}

/** What is free where a file or folder is, and below what no write begins, and no large one. */
export function spaceAt(path: string) {
  const { bsize, blocks, bavail } = statfsSync(path);
  const total_bytes = bsize * blocks;
  return {
    free_bytes: bsize * bavail,
    min_bytes: Math.min(FREE_SPACE_MIN_BYTES, total_bytes / FREE_SPACE_MIN_PART),
    large_min_bytes: Math.min(FREE_SPACE_LARGE_MIN_BYTES, total_bytes / FREE_SPACE_LARGE_MIN_PART),
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
