import type { Db } from "../../platform/db/engine.ts";
import { logNode } from "../../platform/kernel/proof/merkle.ts";
import {
  consistencyRanges,
  type HashesAt,
  inclusionRanges,
  type LeafRange,
  rootOfRange,
} from "../../platform/kernel/tlog/tree.ts";
import { sha256 } from "../../platform/ledger/sha256.ts";
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

const rootsOf = (read: Db, ranges: readonly LeafRange[]): Promise<Uint8Array[]> => {
  const from: HashesAt = (level, range) => hashesAt(read, level, range);
  return Promise.all(ranges.map((range) => rootOfRange(from, range, inLog)));
};

/** PATH(index, D[size]) of RFC 6962, from the leaf up. */
export const inclusionProof = (read: Db, index: number, size: number): Promise<Uint8Array[]> =>
  rootsOf(read, inclusionRanges(index, size));

/** PROOF(old, D[size]) of RFC 6962. */
export const consistencyProof = (read: Db, old: number, size: number): Promise<Uint8Array[]> =>
  rootsOf(read, consistencyRanges(old, size));
