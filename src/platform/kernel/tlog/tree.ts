import { isSame, merkleRoot, type NodeHash } from "../proof/merkle.ts";
import { TILE_HEIGHT } from "./tiles.ts";

/** Proofs over the tree of the whole ledger (RFC 6962, 2.1). Sizes may be up to 2^53 - 1. */

/** The leaves from `from` up to, and without, `to`. */
export interface LeafRange {
  readonly from: number;
  readonly to: number;
}

/** The largest power of two below `count`, which is at least 2. */
function splitOf(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}

/** The ranges whose roots are PATH(index, D[size]), from the leaf up (RFC 6962, 2.1.1). */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  const ranges: LeafRange[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + splitOf(to - from);
    if (index < middle) {
      ranges.push({ from: middle, to });
      to = middle;
    } else {
      ranges.push({ from, to: middle });
      from = middle;
    }
  }
  return ranges.reverse();
}

/** The ranges whose roots are PROOF(old, D[size]) (RFC 6962, 2.1.2); none from 0 or from `size`. */
export function consistencyRanges(old: number, size: number): LeafRange[] {
  if (old === 0 || old === size) return [];
  const ranges: LeafRange[] = [];
  let [from, to] = [0, size];
  while (to !== old) {
    const middle = from + splitOf(to - from);
    if (old <= middle) {
      ranges.push({ from: middle, to });
      to = middle;
    } else {
      ranges.push({ from, to: middle });
      from = middle;
    }
  }
  if (from !== 0) ranges.push({ from, to });
  return ranges.reverse();
}

/** A subtree of 2^height leaves, the one with this number from the left. */
interface Subtree {
  readonly height: number;
  readonly number: number;
}

/** The whole subtrees of a range that a proof names, or of a tree: the largest first. */
export function subtreesOf({ from, to }: LeafRange): Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = from; at < to; ) {
    let [height, leaves] = [0, 1];
    while (leaves * 2 <= to - at) [height, leaves] = [height + 1, leaves * 2];
    subtrees.push({ height, number: at / leaves });
    at += leaves;
  }
  return subtrees;
}

/** The root over subtrees that follow each other, the largest first. */
export function joined(roots: readonly Uint8Array[], node: NodeHash): Uint8Array {
  const last = roots.at(-1);
  if (last === undefined) throw new RangeError("A tree without leaves has no root.");
  return roots.slice(0, -1).reduceRight((right, left) => node(left, right), last);
}

/** The hashes of one level of tiles, from one number up to, and without, another. */
export type HashesAt = (level: number, range: LeafRange) => Promise<readonly Uint8Array[]>;

/** The root over a range that a proof names, or over a tree: at most 255 hashes of each level are read. */
export async function rootOfRange(
  hashesAt: HashesAt,
  range: LeafRange,
  node: NodeHash,
): Promise<Uint8Array> {
  return joined(await subtreeRoots(hashesAt, range, node), node);
}

/** The roots of the whole subtrees of a range, the largest first. */
export const subtreeRoots = (
  hashesAt: HashesAt,
  range: LeafRange,
  node: NodeHash,
): Promise<Uint8Array[]> =>
  Promise.all(
    subtreesOf(range).map(async ({ height, number }) => {
      const width = 2 ** (height % TILE_HEIGHT);
      const place = { from: number * width, to: (number + 1) * width };
      return merkleRoot(await hashesAt(Math.floor(height / TILE_HEIGHT), place), node);
    }),
  );

/** The root that a leaf and its path lead to (RFC 9162, 2.1.3.2); null when the path has another length. */
export function inclusionRoot(
  leaf: Uint8Array,
  { index, size }: { readonly index: number; readonly size: number },
  path: readonly Uint8Array[],
  node: NodeHash,
): Uint8Array | null {
  if (!(index >= 0 && index < size)) return null;
  let [place, last, root] = [index, size - 1, leaf];
  for (const hash of path) {
    if (last === 0) return null;
    if (place % 2 === 1 || place === last) {
      root = node(hash, root);
      while (place % 2 === 0 && place !== 0) [place, last] = [place / 2, half(last)];
    } else root = node(root, hash);
    [place, last] = [half(place), half(last)];
  }
  return last === 0 ? root : null;
}

const half = (n: number): number => Math.floor(n / 2);

/** A tree as a checkpoint names it. */
export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/** Whether the proof shows that `later` continues `earlier` (RFC 9162, 2.1.4.2). */
export function isConsistent(
  earlier: TreeHead,
  later: TreeHead,
  proof: readonly Uint8Array[],
  node: NodeHash,
): boolean {
  if (earlier.size > later.size) return false;
  if (earlier.size === 0) return proof.length === 0;
  if (earlier.size === later.size) return proof.length === 0 && isSame(earlier.root, later.root);
  let [place, last] = [earlier.size - 1, later.size - 1];
  while (place % 2 === 1) [place, last] = [half(place), half(last)];
  const hashes = place === 0 ? [earlier.root, ...proof] : proof;
  const [first, ...rest] = hashes;
  if (first === undefined) return false;
  let [old, now] = [first, first];
  for (const hash of rest) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      [old, now] = [node(hash, old), node(hash, now)];
      while (place % 2 === 0 && place !== 0) [place, last] = [place / 2, half(last)];
    } else now = node(now, hash);
    [place, last] = [half(place), half(last)];
  }
  return last === 0 && isSame(old, earlier.root) && isSame(now, later.root);
}
