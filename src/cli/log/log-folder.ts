import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../../db/folder.ts";
import { HASH_BYTES } from "../../kernel/proof/merkle.ts";
import { parseCheckpoint, type SignedCheckpoint } from "../../kernel/tlog/checkpoint.ts";
import {
  hashesOf,
  levelsOf,
  TILE_WIDTH,
  type Tile,
  tilePath,
  tilesBetween,
} from "../../kernel/tlog/tiles.ts";
import type { HashesAt } from "../../kernel/tlog/tree.ts";
import { logSource, type ReadLog } from "../../verify/log/source.ts";
import { Stop, UNREADABLE } from "../command/stop.ts";

/** The name of the checkpoint, which is written last. */
const CHECKPOINT = "checkpoint";

/** Puts bytes at a path of a folder: whole, durable, and by another name until then. */
export function place(folder: string, path: string, bytes: Uint8Array | string): void {
  const target = join(folder, path);
  makeFolder(dirname(target));
  const next = `${target}.next`;
  const opened = openSync(next, "w");
  try {
    const all = Buffer.from(bytes);
    for (let at = 0; at < all.length; ) at += writeSync(opened, all, at);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
  renameSync(next, target);
}

/** The checkpoint that a folder holds; null when it holds none. A Stop when that is unreadable. */
export function checkpointIn(folder: string): SignedCheckpoint | null {
  const path = join(folder, CHECKPOINT);
  if (!existsSync(path)) return null;
  const checkpoint = parseCheckpoint(readFileSync(path, "utf8"));
  if (checkpoint === null) throw new Stop(UNREADABLE, `${path} is no checkpoint.`);
  return checkpoint;
}

/** Hashes out of the tiles of a log with a tree of this size. */
export const hashesFrom =
  (read: ReadLog, size: number): HashesAt =>
  async (level, { from, to }) => {
    const n = Math.floor(from / TILE_WIDTH);
    const width = Math.min(TILE_WIDTH, hashesOf(level, size) - n * TILE_WIDTH);
    const bytes = await read(tilePath({ level, n, width }));
    return Array.from({ length: to - from }, (_, i) => {
      const at = (from + i - n * TILE_WIDTH) * HASH_BYTES;
      return bytes.subarray(at, at + HASH_BYTES);
    });
  };

/** Hashes of the log in a folder, which holds a tree of this size. */
export const hashesIn = (folder: string, size: number): HashesAt =>
  hashesFrom(logSource(folder), size);

/** How much one call wrote. */
export interface Written {
  readonly files: number;
}

/**
 * Brings a folder from the tree that it holds to a larger one: tiles and bundles, then the checkpoint.
 * A partial tile goes when the full one is there.
 */
export async function extend(
  folder: string,
  { old_size, size, note }: { old_size: number; size: number; note: string },
  bytesOf: (tile: Tile) => Promise<Uint8Array>,
): Promise<Written> {
  let files = 0;
  for (const level of ["entries" as const, ...levelsOf(size)]) {
    for (const tile of tilesBetween(level, old_size, size)) {
      const path = tilePath(tile);
      if (existsSync(join(folder, path))) continue;
      place(folder, path, await bytesOf(tile));
      files++;
      if (tile.width === TILE_WIDTH)
        rmSync(join(folder, `${path}.p`), { recursive: true, force: true });
    }
  }
  place(folder, CHECKPOINT, note);
  return { files: files + 1 };
}
