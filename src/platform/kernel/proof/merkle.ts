import { fromHex, toHex } from "../bytes.ts";

/**
 * The two trees of the ledger. Both split at the largest power of two below their count and promote
 * a lone node, never pairing it with itself (CVE-2012-2459). The seal tree hashes bare pairs, the
 * log tree puts 0x01 before them (RFC 6962). Every hash here has 32 bytes.
 */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** The hash of an interior node from its two children. */
export type NodeHash = (left: Uint8Array, right: Uint8Array) => Uint8Array;

export type Side = "left" | "right";

/** One step from a leaf up: where the sibling sits, and its hash in lower-case hex. */
export interface Step {
  readonly side: Side;
  readonly hash: string;
}

export const HASH_BYTES = 32;

/** One buffer serves all nodes, so `sha256` must be done with its input when it returns. */
function nodeHash(sha256: Sha256, prefix: readonly number[]): NodeHash {
  const start = prefix.length;
  const bytes = new Uint8Array(start + 2 * HASH_BYTES);
  bytes.set(prefix);
  return (left, right) => {
    bytes.set(left, start);
    bytes.set(right, start + HASH_BYTES);
    return sha256(bytes);
  };
}

/** SHA-256(left ‖ right): the nodes of one seal's tree. */
export const sealNode = (sha256: Sha256): NodeHash => nodeHash(sha256, []);

/** SHA-256(0x01 ‖ left ‖ right): the nodes of the tree over the whole ledger. */
export const logNode = (sha256: Sha256): NodeHash => nodeHash(sha256, [1]);

/** A tree that can grow: only the roots of its full subtrees, largest first. */
export interface Frontier {
  readonly size: number;
  readonly roots: readonly Uint8Array[];
}

export const EMPTY_FRONTIER: Frontier = { size: 0, roots: [] };

function requireHash(hash: Uint8Array): void {
  if (hash.length !== HASH_BYTES) throw new RangeError(`A hash has ${HASH_BYTES} bytes.`);
}

/** The tree with `leaves` appended: about one node hash per leaf. */
export const grow = (frontier: Frontier, leaves: Iterable<Uint8Array>, node: NodeHash): Frontier =>
  growWatched(frontier, leaves, node, () => {});

/** Told of each full subtree of 2^height leaves, the one with this number from the left. */
type Completed = (height: number, number: number, root: Uint8Array) => void;

/** The same, with a callback for each completed full subtree of two leaves or more. */
export function growWatched(
  frontier: Frontier,
  leaves: Iterable<Uint8Array>,
  node: NodeHash,
  completed: Completed,
): Frontier {
  const roots = [...frontier.roots];
  let size = frontier.size;
  for (const leaf of leaves) {
    requireHash(leaf);
    let root = leaf;
    let height = 0;
    // Every set bit at the low end of the size is a full subtree that this leaf completes.
    for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) {
      const left = roots.pop();
      if (left === undefined) throw new RangeError("The roots do not fit the size.");
      root = node(left, root);
      height++;
      completed(height, (rest - 1) / 2, root);
    }
    roots.push(root);
    size++;
  }
  return { size, roots };
}

/** The root of all leaves so far; at least one is needed. */
export function rootOf(frontier: Frontier, node: NodeHash): Uint8Array {
  const root = frontier.roots.reduceRight<Uint8Array | null>(
    (right, left) => (right === null ? left : node(left, right)),
    null,
  );
  if (root === null) throw new RangeError("A tree without leaves has no root.");
  return root;
}

/** The root over `leaves`; at least one is needed. */
export const merkleRoot = (leaves: Iterable<Uint8Array>, node: NodeHash): Uint8Array =>
  rootOf(grow(EMPTY_FRONTIER, leaves, node), node);

/** The roots one after the other, as stored beside the size. */
export function encodeFrontier(frontier: Frontier): Uint8Array {
  const bytes = new Uint8Array(frontier.roots.length * HASH_BYTES);
  frontier.roots.forEach((root, i) => {
    bytes.set(root, i * HASH_BYTES);
  });
  return bytes;
}

/** The reverse of `encodeFrontier`; a RangeError when the bytes are no tree of `size` leaves. */
export function decodeFrontier(bytes: Uint8Array, size: number): Frontier {
  let subtrees = 0;
  for (let rest = size; rest > 0; rest = Math.floor(rest / 2)) subtrees += rest % 2;
  if (bytes.length !== subtrees * HASH_BYTES) {
    throw new RangeError(`A tree of ${size} leaves has ${subtrees} full subtrees.`);
  }
  const roots = Array.from({ length: subtrees }, (_, i) =>
    bytes.slice(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
  return { size, roots };
}

/** All levels of a tree, leaves first, each as its hashes in a row: 64 bytes per leaf. */
export interface Tree {
  readonly count: number;
  readonly levels: readonly Uint8Array[];
}

const hashAt = (level: Uint8Array, index: number): Uint8Array =>
  level.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);

function parentsOf(level: Uint8Array, node: NodeHash): Uint8Array {
  const count = level.length / HASH_BYTES;
  const parents = new Uint8Array(Math.ceil(count / 2) * HASH_BYTES);
  for (let i = 0; i + 1 < count; i += 2) {
    parents.set(node(hashAt(level, i), hashAt(level, i + 1)), (i / 2) * HASH_BYTES);
  }
  if (count % 2 === 1) parents.set(hashAt(level, count - 1), parents.length - HASH_BYTES);
  return parents;
}

/** The tree over `leaves`, kept so that every path is a look-up. */
export function treeOf(leaves: readonly Uint8Array[], node: NodeHash): Tree {
  let level: Uint8Array = new Uint8Array(leaves.length * HASH_BYTES);
  leaves.forEach((leaf, i) => {
    requireHash(leaf);
    level.set(leaf, i * HASH_BYTES);
  });
  const levels = [level];
  while (level.length > HASH_BYTES) {
    level = parentsOf(level, node);
    levels.push(level);
  }
  return { count: leaves.length, levels };
}

/** The root of a tree that has leaves. */
export function rootOfTree({ levels }: Tree): Uint8Array {
  const root = levels.at(-1);
  if (root?.length !== HASH_BYTES) throw new RangeError("A tree without leaves has no root.");
  return root;
}

/** Leaves under one node of a stored tree: a path needs these few and the tree over their roots. */
export const BLOCK_LEAVES = 16;

/** The roots of the blocks of `leaves`; only the last block may be short. */
export function blockRootsOf(leaves: readonly Uint8Array[], node: NodeHash): Uint8Array[] {
  const roots: Uint8Array[] = [];
  for (let i = 0; i < leaves.length; i += BLOCK_LEAVES) {
    roots.push(merkleRoot(leaves.slice(i, i + BLOCK_LEAVES), node));
  }
  return roots;
}

/** What a tree takes, in memory or encoded. */
export const bytesOf = ({ levels }: Tree): number =>
  levels.reduce((sum, level) => sum + level.length, 0);

/** How many nodes all levels have together. */
export const nodesOf = (tree: Tree): number => bytesOf(tree) / HASH_BYTES;

/** All levels one after the other, lowest first, as stored beside the count. */
export function encodeTree(tree: Tree): Uint8Array {
  const bytes = new Uint8Array(bytesOf(tree));
  let at = 0;
  for (const level of tree.levels) {
    bytes.set(level, at);
    at += level.length;
  }
  return bytes;
}

/** The reverse of `encodeTree`; null when the bytes cannot be a tree of `count` nodes. */
export function decodeTree(bytes: Uint8Array, count: number): Tree | null {
  const levels: Uint8Array[] = [];
  let at = 0;
  for (
    let nodes = count;
    nodes > 0 && at < bytes.length;
    nodes = nodes === 1 ? 0 : Math.ceil(nodes / 2)
  ) {
    levels.push(bytes.subarray(at, at + nodes * HASH_BYTES));
    at += nodes * HASH_BYTES;
  }
  const isWhole = at === bytes.length && levels.at(-1)?.length === HASH_BYTES;
  return isWhole ? { count, levels } : null;
}

/** A leaf of a tree, which is a block's root where the tree is over blocks. */
export const nodeAt = ({ levels: [leaves = NOTHING] }: Tree, index: number): Uint8Array =>
  hashAt(leaves, index);

const NOTHING = new Uint8Array(0);

/** The path of a leaf, from the leaf up; a RangeError when there is no such leaf. */
export function pathOf(tree: Tree, index: number): Step[] {
  if (!(index >= 0 && index < tree.count)) throw new RangeError(`There is no leaf ${index}.`);
  const path: Step[] = [];
  let i = index;
  for (const level of tree.levels) {
    const side: Side = i % 2 === 1 ? "left" : "right";
    const sibling = hashAt(level, side === "left" ? i - 1 : i + 1);
    if (sibling.length > 0) path.push({ side, hash: toHex(sibling) });
    i = Math.floor(i / 2);
  }
  return path;
}

/**
 * Whether each node from a leaf up to the root is the hash of its children. `sound` remembers for
 * every node of the tree whether it is, so that many questions hash each of them once.
 */
export function leadsToRoot(
  { levels }: Tree,
  index: number,
  node: NodeHash,
  sound: Uint8Array,
): boolean {
  const climbed: number[] = [];
  let i = index;
  let below = 0;
  for (const [height, level] of levels.entries()) {
    const parents = levels[height + 1];
    if (parents === undefined) break;
    i = Math.floor(i / 2);
    below += level.length / HASH_BYTES;
    if (sound[below + i] === 1) break;
    const left = hashAt(level, 2 * i);
    const right = hashAt(level, 2 * i + 1);
    const parent = right.length === 0 ? left : node(left, right);
    if (!isSame(parent, hashAt(parents, i))) return false;
    climbed.push(below + i);
  }
  for (const place of climbed) sound[place] = 1;
  return true;
}

/** Whether two hashes are the same. */
export const isSame = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

/** The only sides that the path of leaf `index` out of `count` can have, from the leaf up. */
export function sidesOf(index: number, count: number): Side[] {
  const sides: Side[] = [];
  for (let i = index, n = count; n > 1; i = Math.floor(i / 2), n = Math.ceil(n / 2)) {
    if (i % 2 === 1) sides.push("left");
    else if (i + 1 < n) sides.push("right");
  }
  return sides;
}

/** The root that a leaf and its path lead to. The sides must have been compared with `sidesOf`. */
export const fold = (leaf: Uint8Array, path: readonly Step[], node: NodeHash): Uint8Array =>
  path.reduce((hash, step) => {
    const sibling = fromHex(step.hash);
    return step.side === "left" ? node(sibling, hash) : node(hash, sibling);
  }, leaf);
