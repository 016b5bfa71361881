import type { Db } from "../db/engine.ts";
import { logNode, merkleRoot } from "../kernel/merkle.ts";
import { TILE_HEIGHT } from "../kernel/tlog-tiles.ts";
import {
  consistencyRanges,
  inclusionRanges,
  joined,
  type LeafRange,
  subtreesOf,
} from "../kernel/tlog-tree.ts";
import { sha256 } from "../ledger/sha256.ts";
import { leavesOf } from "./nodes.ts";
import * as sql from "./queries.ts";

const inLog = logNode(sha256);

/** The hashes of one level of tiles, from one number up to, and without, another. They must be there. */
export async function hashesAt(
  read: Db,
  level: number,
  { from, to }: LeafRange,
): Promise<Uint8Array[]> {
  const hashes =
    level === 0
      ? await leavesOf(read, from + 1, to)
      : (await sql.nodes.all(read, { level, from, to })).map(({ hash }) => hash);
  if (hashes.length === to - from) return hashes;
  throw new Error(`The log lacks hashes of level ${level} from ${from} to ${to}.`);
}

/** The root over a range that a proof names: at most 255 hashes of each level are read. */
async function rootOfRange(read: Db, range: LeafRange): Promise<Uint8Array> {
  const roots = subtreesOf(range).map(async ({ height, number }) => {
    const width = 2 ** (height % TILE_HEIGHT);
    const place = { from: number * width, to: (number + 1) * width };
    return merkleRoot(await hashesAt(read, Math.floor(height / TILE_HEIGHT), place), inLog);
  });
  return joined(await Promise.all(roots), inLog);
}

const rootsOf = (read: Db, ranges: readonly LeafRange[]): Promise<Uint8Array[]> =>
  Promise.all(ranges.map((range) => rootOfRange(read, range)));

/** PATH(index, D[size]) of RFC 6962, from the leaf up. */
export const inclusionProof = (read: Db, index: number, size: number): Promise<Uint8Array[]> =>
  rootsOf(read, inclusionRanges(index, size));

/** PROOF(old, D[size]) of RFC 6962. */
export const consistencyProof = (read: Db, old: number, size: number): Promise<Uint8Array[]> =>
  rootsOf(read, consistencyRanges(old, size));
