import type { Db } from "../../db/engine.ts";
import { lru } from "../../kernel/lru.ts";
import {
  BLOCK_LEAVES,
  blockRootsOf,
  bytesOf,
  decodeTree,
  HASH_BYTES,
  isSame,
  leadsToRoot,
  nodeAt,
  nodesOf,
  pathOf,
  rootOfTree,
  type Step,
  sealNode,
  type Tree,
  treeOf,
} from "../../kernel/proof/merkle.ts";
import { leaves } from "../entry-queries.ts";
import * as sql from "../queries.ts";
import { sha256 } from "../sha256.ts";
import type { SealRow } from "./seals.ts";

const inSeal = sealNode(sha256);

/** For the trees over the blocks of seals: 4 bytes an entry, so those of 11 million entries. */
const UPPER_MAX_BYTES = 48 * 1024 * 1024;

/** Blocks of 16 entries, some KiB each: clients often ask for the proof of a neighbour next. */
const BLOCKS_MAX = 64;

/** A block of a seal that leads to the seal's root. */
interface Block {
  readonly tree: Tree;
  /** From the root of the block to that of the seal. */
  readonly above: readonly Step[];
}

/** The path of entry `index` of a seal, whose leaf is given, to the seal's root. */
export type FindPath = (
  read: Db,
  seal: SealRow,
  index: number,
  leaf: Uint8Array,
) => Promise<Step[]>;

/**
 * Finds paths: through an entry's own block, whose leaves are read, and through the tree over all
 * blocks, which was stored with the seal. Where that one does not lead to the root it is made anew.
 * Sealed data never changes, so the trees and blocks asked for last are kept.
 */
export function pathFinder(): FindPath {
  const uppers = lru<number, Upper>({ max: UPPER_MAX_BYTES, sizeOf: ({ tree }) => bytesOf(tree) });
  const blocks = lru<number, Block>({ max: BLOCKS_MAX, sizeOf: () => 1 });

  async function storedTree(read: Db, seal: SealRow): Promise<Upper | null> {
    const known = uppers.get(seal.seq);
    if (known !== undefined) return known;
    const stored = await sql.treeBySeq.first(read, { seq: seal.seq });
    const tree = stored && decodeTree(stored.levels, Math.ceil(seal.count / BLOCK_LEAVES));
    if (!tree || !isSame(rootOfTree(tree), seal.root)) return null;
    const upper = upperOf(tree);
    uppers.set(seal.seq, upper);
    return upper;
  }

  async function blockAt(read: Db, seal: SealRow, place: number): Promise<Block> {
    const first = place * BLOCK_LEAVES;
    const tree = treeOf(await leavesOf(read, seal, first, first + BLOCK_LEAVES), inSeal);
    const upper = await storedTree(read, seal);
    if (
      upper !== null &&
      isSame(nodeAt(upper.tree, place), rootOfTree(tree)) &&
      leadsToRoot(upper.tree, place, inSeal, upper.sound)
    )
      return { tree, above: pathOf(upper.tree, place) };
    const all = await leavesOf(read, seal, 0, seal.count);
    const made = treeOf(blockRootsOf(all, inSeal), inSeal);
    uppers.set(seal.seq, upperOf(made));
    return { tree, above: pathOf(made, place) };
  }

  return async (read, seal, index, leaf) => {
    const place = Math.floor(index / BLOCK_LEAVES);
    const within = index % BLOCK_LEAVES;
    const first_id = seal.from_id + index - within;
    const known = blocks.get(first_id);
    const isKnown = known !== undefined && isSame(nodeAt(known.tree, within), leaf);
    const block = isKnown ? known : await blockAt(read, seal, place);
    if (!isKnown) blocks.set(first_id, block);
    return [...pathOf(block.tree, within), ...block.above];
  };
}

/** A tree over blocks, and which of its nodes were found to be the hashes of their children. */
interface Upper {
  readonly tree: Tree;
  readonly sound: Uint8Array;
}

const upperOf = (tree: Tree): Upper => ({ tree, sound: new Uint8Array(nodesOf(tree)) });

/** The stored leaves of a seal from one index up to, and without, another. */
async function leavesOf(
  read: Db,
  { from_id, to_id }: SealRow,
  from: number,
  until: number,
): Promise<Uint8Array[]> {
  const range = { from_id: from_id + from, to_id: Math.min(to_id, from_id + until - 1) };
  const joined = (await leaves.first(read, range))?.hex ?? "";
  const bytes = Buffer.from(joined, "hex");
  return Array.from({ length: bytes.length / HASH_BYTES }, (_, i) =>
    bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
}
