import { type Stats, statfsSync, statSync } from "node:fs";

/** Below this much free space the embedded engine takes no writes. */
export const FREE_SPACE_MIN_BYTES = 256 * 1024 * 1024;

/** On a small file system the floor is this part of it, so that a small disk is of use at all. */
const FREE_SPACE_MIN_PART = 16;

const PROBE_INTERVAL_MS = 250;

/** Tells whether the database file is still there and has room to grow. */
export interface Disk {
  /** False while a write must not begin. While all is well the disk is looked at 4 times a second. */
  hasRoom(): boolean;
}

/** Watches the file that is at `path` now: one that is put in its place later is another database. */
export function watchDisk(path: string): Disk {
  const opened = statSync(path);
  let probedAt = 0;
  let room = true;

  return {
    hasRoom() {
      const now = performance.now();
      if (now - probedAt < PROBE_INTERVAL_MS && room) return true;
      probedAt = now;
      room = probe(path, opened);
      return room;
    },
  };
}

function probe(path: string, opened: Stats): boolean {
  try {
    const file = statSync(path);
    if (file.ino !== opened.ino || file.dev !== opened.dev) return false;
    const { free_bytes, min_bytes } = spaceAt(path);
    return free_bytes >= min_bytes;
  } catch {
    return false; // The file is gone, or its file system is.
  }
}

/** What is free where a file or folder is, and below what no write begins. */
export function spaceAt(path: string): { readonly free_bytes: number; readonly min_bytes: number } {
  const { bsize, blocks, bavail } = statfsSync(path);
  const min_bytes = Math.min(FREE_SPACE_MIN_BYTES, (bsize * blocks) / FREE_SPACE_MIN_PART);
  return { free_bytes: bsize * bavail, min_bytes };
}
