import {
  EMPTY_FRONTIER,
  type Frontier,
  grow,
  growWatched,
  isSame,
  merkleRoot,
  type NodeHash,
  rootOf,
} from "../../platform/kernel/proof/merkle.ts";
import { TILE_HEIGHT, TILE_WIDTH, type Tile, tilePath } from "../../platform/kernel/tlog/tiles.ts";
import type { LogFiles, OnFault } from "./files.ts";

type Hashes = readonly Uint8Array[];

/** The tree over the entries of a log, compared with its tiles while it grows. */
interface ComparedTree {
  /** The entries of one bundle, and the hashes of its tile; null for what could not be read. */
  add(bundle: Tile, leaves: Hashes | null, hashes: Hashes | null): Promise<void>;
  /** Whether all that was added makes this root; true where too little could be read to say. */
  end(signed: Uint8Array): boolean;
}

/** What a bundle's entries and its tile say, where they differ; the same list twice where not. */
interface Pair {
  readonly bundle: Tile;
  readonly leaves: Hashes;
  readonly hashes: Hashes;
}

/**
 * Where an entry and its hash differ, the hash above both, or the root, decides which of them was
 * changed: the other one fits.
 */
export function comparedTree(files: LogFiles, node: NodeHash, onFault: OnFault): ComparedTree {
  /** Over the roots of full bundles; null behind a bundle of which nothing is known. */
  let full: Frontier | null = EMPTY_FRONTIER;
  /** The bundle at the end that is not full. */
  let last: Pair | null = null;

  const fault = (tile: Tile, ledger_id: number, reason: string) =>
    onFault({ file: tilePath(tile), ledger_id, reason, unread: false });

  /** Tells how the two differ, and resolves to the right ones. */
  function settled({ bundle, leaves, hashes }: Pair, isRight: (all: Hashes) => boolean): Hashes {
    const differing = leaves.flatMap((leaf, i) => (isSame(leaf, hashes[i] ?? leaf) ? [] : [i]));
    if (differing.length === 0) return leaves;
    const isTileRight = !isRight(leaves) && isRight(hashes);
    for (const i of differing) {
      const ledger_id = bundle.n * TILE_WIDTH + i + 1;
      if (isTileRight) fault(bundle, ledger_id, "the entry is not the one that was hashed");
      else fault({ ...bundle, level: 0 }, ledger_id, "the hash is not that of the entry");
    }
    return isTileRight ? hashes : leaves;
  }

  /** Compares a root of 256^level entries with its hash in the tiles. */
  async function compare(level: number, n: number, root: Uint8Array): Promise<void> {
    const known = await files.hash(level, n);
    if (known === null || isSame(known.hash, root)) return;
    const from = n * TILE_WIDTH ** level + 1;
    onFault({
      file: known.file,
      ledger_id: from,
      unread: false,
      reason: `the hash over the entries ${from} to ${from + TILE_WIDTH ** level - 1} is not that of the files below it`,
    });
  }

  async function addRoot(n: number, root: Uint8Array): Promise<void> {
    const made: [level: number, n: number, root: Uint8Array][] = [[1, n, root]];
    full &&= growWatched(full, [root], node, (height, number, hash) => {
      if (height % TILE_HEIGHT === 0) made.push([1 + height / TILE_HEIGHT, number, hash]);
    });
    for (const each of made) await compare(...each);
  }

  const rootWith = (above: Frontier, leaves: Hashes): Uint8Array => {
    const { size, roots } = grow(EMPTY_FRONTIER, leaves, node);
    return rootOf(
      { size: above.size * TILE_WIDTH + size, roots: [...above.roots, ...roots] },
      node,
    );
  };

  return {
    async add(bundle, leaves, hashes) {
      const own = leaves ?? hashes;
      const theirs = hashes ?? leaves;
      const pair = own && theirs && { bundle, leaves: own, hashes: theirs };
      if (bundle.width < TILE_WIDTH) {
        last = pair;
        if (pair === null) full = null;
        return;
      }
      const above = await files.hash(1, bundle.n);
      if (pair !== null) {
        const isRight = (all: Hashes) =>
          above !== null && isSame(merkleRoot(all, node), above.hash);
        await addRoot(bundle.n, merkleRoot(settled(pair, isRight), node));
      } else if (above === null) full = null;
      else await addRoot(bundle.n, above.hash);
    },
    end(signed) {
      const above = full;
      if (last !== null) {
        const isRight = (all: Hashes) => above !== null && isSame(rootWith(above, all), signed);
        last = { ...last, leaves: settled(last, isRight) };
      }
      return above === null || isSame(rootWith(above, last?.leaves ?? []), signed);
    },
  };
}
