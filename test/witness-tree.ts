import { createPrivateKey, sign } from "node:crypto";
import { logLeafOf } from "../src/platform/kernel/proof/entry.ts";
import {
  EMPTY_FRONTIER,
  growWatched,
  logNode,
  merkleRoot,
} from "../src/platform/kernel/proof/merkle.ts";
import { checkpointText } from "../src/platform/kernel/tlog/checkpoint.ts";
import {
  LOG_KEY,
  logLine,
  noteKey,
  noteOf,
  WITNESS_KEY,
} from "../src/platform/kernel/tlog/note.ts";
import { bundleOf, TILE_HEIGHT, type Tile } from "../src/platform/kernel/tlog/tiles.ts";
import { joined, type LeafRange, subtreesOf } from "../src/platform/kernel/tlog/tree.ts";
import { sha256 } from "../src/platform/ledger/sha256.ts";
import { largeEntry, SMALL, VECTORS } from "./witness-vectors.ts";

/** The small and the large log of the vectors, in memory. */

const node = logNode(sha256);
const { log, witness } = VECTORS;
export const logKey = noteKey(log.origin, LOG_KEY, log.pubkey, sha256);
export const witnessKey = noteKey(witness.name, WITNESS_KEY, witness.pubkey, sha256);

/** A tree in memory, as a log has it: leaves, and every eighth level. */
export function treeOf(entries: readonly Uint8Array[]) {
  const leaves = entries.map((entry) => logLeafOf(entry, sha256));
  const levels: Uint8Array[][] = [leaves.slice()];
  growWatched(EMPTY_FRONTIER, leaves, node, (height, number, root) => {
    if (height % TILE_HEIGHT !== 0) return;
    const row = levels[height / TILE_HEIGHT] ?? [];
    row[number] = root;
    levels[height / TILE_HEIGHT] = row;
  });
  const nodes = ({ from, to }: LeafRange, level: number) => (levels[level] ?? []).slice(from, to);
  const rootOf = (range: LeafRange) =>
    joined(
      subtreesOf(range).map(({ height, number }) => {
        const width = 2 ** (height % TILE_HEIGHT);
        const place = { from: number * width, to: (number + 1) * width };
        return merkleRoot(nodes(place, Math.floor(height / TILE_HEIGHT)), node);
      }),
      node,
    );
  const tile = ({ level, n, width }: Tile): Uint8Array => {
    const place = { from: n * 256, to: n * 256 + width };
    return level === "entries"
      ? bundleOf(entries.slice(place.from, place.to))
      : Buffer.concat(nodes(place, level));
  };
  return { leaves, rootOf, tile };
}

export const signer = (seed: string) =>
  createPrivateKey({
    key: Buffer.concat([
      Buffer.from("302e020100300506032b657004220420", "hex"),
      Buffer.from(seed, "hex"),
    ]),
    format: "der",
    type: "pkcs8",
  });

export const small = treeOf(SMALL);
export const big = treeOf(Array.from({ length: 70_000 }, (_, i) => largeEntry(i)));

export function signed(size: number, root: Uint8Array): string {
  const text = checkpointText({ origin: log.origin, size, root });
  return noteOf(text, [logLine(logKey, sign(null, Buffer.from(text), signer(log.seed)))]);
}
