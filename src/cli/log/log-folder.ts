import { readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { isNothingAt } from "../../main/running/trusted-file.ts";
import { makeFolder, writeAnew } from "../../platform/db/folder.ts";
import { parseCheckpoint, type SignedCheckpoint } from "../../platform/kernel/tlog/checkpoint.ts";
import {
  hashesOf,
  levelsOf,
  TILE_WIDTH,
  type Tile,
  tilePath,
  tilesBetween,
} from "../../platform/kernel/tlog/tiles.ts";
import type { HashesAt } from "../../platform/kernel/tlog/tree.ts";
import { readTile } from "../../verify/log/files.ts";
import { logSource, type ReadLog } from "../../verify/log/source.ts";
import { Stop, UNREADABLE } from "../command/stop.ts";

/** The name of the checkpoint, which is written last. */
const CHECKPOINT = "checkpoint";

/** A file server may serve the files. */
const FOR_ALL = 0o666;

/** Puts bytes at a path of a folder: whole, durable, and by another name until then. */
export function place(folder: string, path: string, bytes: Uint8Array | string): void {
  const target = join(folder, path);
  makeFolder(dirname(target));
  const next = `${target}.next`;
  writeAnew(next, bytes, FOR_ALL);
  renameSync(next, target);
}

/** The checkpoint that a folder holds; null when it holds none. A Stop when that is unreadable. */
export function checkpointIn(folder: string): SignedCheckpoint | null {
  const path = join(folder, CHECKPOINT);
  if (isNothingAt(path)) return null;
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
    const tile = { level, n, width };
    const hashes = await readTile(read, tile);
    if (hashes === null) throw new Stop(UNREADABLE, `${tilePath(tile)} is no tile of ${width}.`);
    return hashes.slice(from - n * TILE_WIDTH, to - n * TILE_WIDTH);
  };

/** Hashes of the log in a folder, which holds a tree of this size. */
export const hashesIn = (folder: string, size: number): HashesAt =>
  hashesFrom(logSource(folder), size);

/** How much one call wrote. */
interface Written {
  readonly files: number;
}

/** From the tree that a folder holds to a larger one. */
interface Growth {
  readonly old_size: number;
  readonly size: number;
}

/** The tiles and bundles that the folder lacks. */
export const lackingIn = (folder: string, { old_size, size }: Growth): readonly Tile[] =>
  ["entries" as const, ...levelsOf(size)]
    .flatMap((level) => [...tilesBetween(level, old_size, size)])
    .filter((tile) => isNothingAt(join(folder, tilePath(tile))));

/**
 * Brings a folder from the tree that it holds to a larger one: tiles and bundles, then the checkpoint. A
 * partial tile goes when the full one is there, which readers of an earlier checkpoint take instead.
 */
export async function extend(
  folder: string,
  { note, ...growth }: Growth & { readonly note: string },
  bytesOf: (tile: Tile) => Promise<Uint8Array>,
): Promise<Written> {
  const tiles = lackingIn(folder, growth);
  for (const tile of tiles) place(folder, tilePath(tile), await bytesOf(tile));
  place(folder, CHECKPOINT, note);
  for (const tile of tiles)
    if (tile.width === TILE_WIDTH)
      rmSync(join(folder, `${tilePath(tile)}.p`), { recursive: true, force: true });
  return { files: tiles.length + 1 };
}
