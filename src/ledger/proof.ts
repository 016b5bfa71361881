import type { Db } from "../db/engine.ts";
import { reject } from "../kernel/errors.ts";
import {
  BLOCK_LEAVES,
  blockRootsOf,
  bytesOf,
  decodeTree,
  nodeAt,
  pathOf,
  rootOfTree,
  type Step,
  sealNode,
  type Tree,
  treeOf,
} from "../kernel/merkle.ts";
import { sealMessage } from "../kernel/seal-text.ts";
import * as sql from "./queries.ts";
import { SEALED_WITHIN_S } from "./seal.ts";
import { hex, type SealRow, showSeal } from "./seals.ts";
import { sha256 } from "./sha256.ts";

const inSeal = sealNode(sha256);

/** Which entry to prove: by kind and ref, or by its place in a seal. */
export interface ProofQuestion {
  readonly seq?: number | undefined;
  readonly kind?: string | undefined;
  readonly id?: string | undefined;
  readonly index?: number | undefined;
}

type EntryRow = NonNullable<Awaited<ReturnType<typeof sql.entryByRef.first>>>;

/** The path from one entry to its seal's root. Rejects with the codes of its contract. */
export async function prove(read: Db, question: ProofQuestion) {
  const { seal, entry } = await locate(read, question);
  const index = (entry.ledger_id ?? 0) - seal.from_id;
  const shown = showSeal(seal);
  return {
    leaf: entry.leaf?.toHex() ?? "",
    path: await pathIn(read, seal, index),
    root: shown.root,
    seq: seal.seq,
    index,
    count: seal.count,
    ledger_id: entry.ledger_id ?? 0,
    kind: entry.kind,
    ref: entry.ref,
    entry: entry.entry ?? "",
    seal: shown,
    signed_message:
      shown.signed_at === null || shown.pubkey === null
        ? null
        : sealMessage(shown, shown.signed_at, shown.pubkey),
  };
}

/**
 * The path of a leaf: through its own block, whose leaves are read, and through the tree over all
 * blocks, which was stored with the seal. Where that one does not join block and root it is made anew.
 */
async function pathIn(read: Db, seal: SealRow, index: number): Promise<Step[]> {
  const block = Math.floor(index / BLOCK_LEAVES);
  const first = block * BLOCK_LEAVES;
  const own = await leavesOf(read, seal, first, first + BLOCK_LEAVES);
  const tree = treeOf(own, inSeal);
  const through = (upper: Tree) => [...pathOf(tree, index - first), ...pathOf(upper, block)];

  const upper = await storedTree(read, seal);
  if (
    upper !== null &&
    isSame(nodeAt(upper, block), rootOfTree(tree)) &&
    isSame(rootOfTree(upper), seal.root)
  ) {
    return through(upper);
  }
  const all = await leavesOf(read, seal, 0, seal.count);
  return through(treeOf(blockRootsOf(all, inSeal), inSeal));
}

/** Trees of the seals asked for last, by the seal's hash. Whoever uses one checks it against the root. */
const known = new Map<string, Tree>();
const KNOWN_BYTES_MAX = 8 * 1024 * 1024;
let known_bytes = 0;

/** The tree over a seal's blocks as it was stored: 4 bytes for each entry. Null when there is none. */
async function storedTree(read: Db, seal: SealRow): Promise<Tree | null> {
  const key = hex(seal.seal_hash);
  const found = known.get(key);
  if (found !== undefined) {
    known.delete(key); // Those asked for last stand last.
    known.set(key, found);
    return found;
  }
  const stored = await sql.treeBySeq.first(read, { seq: seal.seq });
  const tree = stored && decodeTree(stored.levels, Math.ceil(seal.count / BLOCK_LEAVES));
  if (!tree) return null;
  if (!known.has(key)) keep(key, tree);
  return tree;
}

function keep(key: string, tree: Tree): void {
  known.set(key, tree);
  known_bytes += bytesOf(tree);
  for (const [oldest, dropped] of known) {
    if (known_bytes <= KNOWN_BYTES_MAX) return;
    known.delete(oldest);
    known_bytes -= bytesOf(dropped);
  }
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** The stored leaves of a seal from one index up to, and without, another. */
async function leavesOf(read: Db, { from_id, to_id }: SealRow, from: number, until: number) {
  const range = { from_id: from_id + from, to_id: Math.min(to_id, from_id + until - 1) };
  const rows = await sql.leaves.all(read, range);
  return rows.flatMap(({ leaf }) => (leaf === null ? [] : [leaf]));
}

/** Names that older clients of such a service use for two kinds. */
const ALIASES: Readonly<Record<string, string>> = {
  market_order: "order",
  market_payout: "payout",
};

async function locate(read: Db, { seq, kind: named, id, index }: ProofQuestion) {
  const kind = named === undefined ? undefined : (ALIASES[named] ?? named);
  const asked = seq === undefined ? undefined : await sql.sealBySeq.first(read, { seq });
  if (seq !== undefined && asked === undefined) {
    return reject("seal_not_found", "There is no seal with this seq. GET /api/v1/seal lists them.");
  }
  if (kind !== undefined && id !== undefined) {
    const entry = await sql.entryByRef.first(read, { kind, ref: id });
    if (entry === undefined) return reject("entry_not_found", "No entry has this kind and id.");
    const seal = await sealCovering(read, entry);
    if (asked !== undefined && asked.seq !== seal.seq) refuseOtherSeal(seal.seq);
    return { seal, entry };
  }
  if (asked === undefined || index === undefined || index >= asked.count) return refuseOtherSeal();
  const entry = await sql.entryById.first(read, { ledger_id: asked.from_id + index });
  return { seal: asked, entry: entry ?? refuseOtherSeal() };
}

async function sealCovering(read: Db, entry: EntryRow): Promise<SealRow> {
  const { ledger_id, at } = entry;
  const seal = ledger_id === null ? undefined : await sql.sealOfEntry.first(read, { ledger_id });
  if (seal !== undefined) return seal;
  const sealBy = at === null ? [] : [{ field: "seal_by", problem: String(at + SEALED_WITHIN_S) }];
  return reject("not_sealed_yet", "This entry has no seal yet. Ask again after seal_by.", sealBy);
}

function refuseOtherSeal(sealed_in?: number): never {
  const details =
    sealed_in === undefined ? undefined : [{ field: "sealed_in", problem: String(sealed_in) }];
  return reject("not_in_seal", "This entry is not in that seal.", details);
}
