import { toHex } from "../kernel/bytes.ts";
import { leafOf, parseEntry } from "../kernel/entry.ts";
import { EMPTY_FRONTIER, grow, isSame, logNode, rootOf } from "../kernel/merkle.ts";
import type { SignedCheckpoint } from "../kernel/tlog-checkpoint.ts";
import { entriesOf, tilePath, tilesBetween } from "../kernel/tlog-tiles.ts";
import { Unproven } from "../kernel/unproven.ts";
import type { ReadLog } from "./log-source.ts";
import { platformHere } from "./platform.ts";
import type { ChainSource, EntryRecord } from "./shapes.ts";
import { Stop, UNREADABLE } from "./stop.ts";

const decoder = new TextDecoder();

/**
 * The ledger in the bundles of a log, as a chain of entries. A log holds no seals: its checkpoint
 * stands for them all. A Stop when the entries do not make the checkpoint's tree.
 */
export const logChain = (read: ReadLog, checkpoint: SignedCheckpoint): ChainSource => ({
  header: {
    ...{ type: "cairn-export", version: 1, origin: checkpoint.origin, keys: [] },
    entries: true,
    head: null,
  },
  records: recordsOf(read, checkpoint),
});

async function* recordsOf(
  read: ReadLog,
  { size, root }: SignedCheckpoint,
): AsyncGenerator<EntryRecord> {
  const { sha256 } = await platformHere();
  const node = logNode(sha256);
  let tree = EMPTY_FRONTIER;
  for (const tile of tilesBetween("entries", 0, size)) {
    const path = tilePath(tile);
    const entries = entriesOf(await read(path), tile.width);
    if (entries === null) throw new Stop(UNREADABLE, `${path} is no bundle of ${tile.width}.`);
    const leaves: Uint8Array[] = [];
    for (const bytes of entries) {
      const leaf = leafOf(bytes, sha256);
      leaves.push(leaf);
      yield entryIn(bytes, tree.size + leaves.length, leaf);
    }
    tree = grow(tree, leaves, node);
  }
  if (!isSame(rootOf(tree, node), root))
    throw new Stop(UNREADABLE, "The entries are not those under the checkpoint.");
}

/** What a walk finds wrong with an entry that is none: its own text says it. */
function entryIn(bytes: Uint8Array, id: number, leaf: Uint8Array): EntryRecord {
  const beside = {
    type: "entry",
    text: {},
    entry: decoder.decode(bytes),
    leaf: toHex(leaf),
  } as const;
  try {
    return { ...parseEntry(bytes), ...beside };
  } catch (error) {
    if (!(error instanceof Unproven)) throw error;
    return { id, at: 0, kind: "", ref: "", body: {}, ...beside };
  }
}
