import { fromHex, toHex } from "../platform/kernel/bytes.ts";
import {
  addEntries,
  type Contents,
  type Finding,
  isTurn,
  type StoredEntry,
} from "../platform/kernel/proof/chain.ts";
import { flatJson, leafOf, sealedText } from "../platform/kernel/proof/entry.ts";
import { grow, logNode, type Sha256, sealNode } from "../platform/kernel/proof/merkle.ts";
import { HEX_32_BYTES } from "../platform/kernel/proof/signature.ts";
import type { EntryRecord } from "./shapes.ts";

const encoder = new TextEncoder();

/** The body without a member that no contract lets through, so that it never compares as equal. */
const plainBody = (body: EntryRecord["body"]): EntryRecord["body"] =>
  Object.fromEntries(Object.entries(body).filter(([name]) => name !== "__proto__"));

/** An entry as it is verified; a leaf that is none fits no text. */
export const storedEntry = ({
  body,
  leaf,
  id,
  at,
  kind,
  ref,
  entry,
}: EntryRecord): StoredEntry => ({
  id,
  at,
  kind,
  ref,
  entry,
  body: flatJson(plainBody(body)),
  leaf: HEX_32_BYTES.test(leaf) ? fromHex(leaf) : new Uint8Array(),
});

/**
 * Reads the entries that follow, as `addEntries` does, in half the time: the shown fields are written
 * once as RFC 8785 text. Where that is `entry`, parsing `entry` would show the same fields. An entry
 * for which this fails is read the long way, which names the fault.
 */
export function readEntries(
  contents: Contents,
  records: readonly EntryRecord[],
  sha256: Sha256,
): { readonly contents: Contents; readonly findings: readonly Finding[] } {
  const findings: Finding[] = [];
  let read = contents;
  let leaves: Uint8Array[] = [];
  let { next_id, at } = contents;
  let turns = [...contents.turns];
  const growTrees = () => {
    const tree = grow(read.tree, leaves, sealNode(sha256));
    const log = read.log && grow(read.log, leaves, logNode(sha256));
    read = { ...read, turns, next_id, at, tree, log };
    leaves = [];
  };
  for (const record of records) {
    const leaf = soundLeaf(record, next_id, at, sha256);
    if (leaf === null) {
      growTrees();
      const added = addEntries(read, [storedEntry(record)], sha256);
      findings.push(...added.findings);
      read = added.contents;
      ({ next_id, at } = read);
      turns = [...read.turns];
      continue;
    }
    leaves.push(leaf);
    next_id++;
    at = record.at;
    const { id, kind, ref, body } = record;
    if (isTurn(kind)) turns.push({ id, at, kind, ref, body });
  }
  growTrees();
  return { contents: read, findings };
}

/** The leaf of an entry in which nothing is wrong; null when something may be. */
function soundLeaf(
  record: EntryRecord,
  next_id: number,
  at: number,
  sha256: Sha256,
): Uint8Array | null {
  if (record.id !== next_id || record.at < at || Object.hasOwn(record.body, "__proto__"))
    return null;
  const text = sealedText(record);
  if (text === null || text !== record.entry) return null;
  const leaf = leafOf(encoder.encode(text), sha256);
  return toHex(leaf) === record.leaf ? leaf : null;
}
