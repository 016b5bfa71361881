import type { Context } from "../context.ts";
import { reject } from "../kernel/errors.ts";
import { pathOf, sealNode, type Tree, treeOf } from "../kernel/merkle.ts";
import { sealMessage } from "../kernel/seal-text.ts";
import * as sql from "./queries.ts";
import { SEALED_WITHIN_S } from "./seal.ts";
import { type SealRow, showSeal } from "./seals.ts";
import { sha256 } from "./sha256.ts";

/** Trees kept in memory; the least recently used one goes first. */
const TREES_MAX = 16;

const inSeal = sealNode(sha256);

/** Which entry to prove: by kind and ref, or by its place in a seal. */
export interface ProofQuestion {
  readonly seq?: number | undefined;
  readonly kind?: string | undefined;
  readonly id?: string | undefined;
  readonly index?: number | undefined;
}

type EntryRow = NonNullable<Awaited<ReturnType<typeof sql.entryByRef.first>>>;

/** The trees of recently asked seals: `(read, seal)` to the seal's tree. */
export type Trees = (read: Context["read"], seal: SealRow) => Promise<Tree>;

export function treesOf(): Trees {
  const known = new Map<number, Promise<Tree>>();
  return (read, seal) => {
    const tree = known.get(seal.seq) ?? grow(read, seal);
    known.delete(seal.seq);
    known.set(seal.seq, tree);
    tree.catch(() => known.delete(seal.seq));
    for (const oldest of known.keys()) {
      if (known.size <= TREES_MAX) break;
      known.delete(oldest);
    }
    return tree;
  };
}

async function grow(read: Context["read"], { from_id, to_id }: SealRow): Promise<Tree> {
  const rows = await sql.leaves.all(read, { from_id, to_id });
  const leaves = rows.flatMap(({ leaf }) => (leaf === null ? [] : [leaf]));
  return treeOf(leaves, inSeal);
}

/** The path from one entry to its seal's root. Rejects with the codes of its contract. */
export async function prove(read: Context["read"], trees: Trees, question: ProofQuestion) {
  const { seal, entry } = await locate(read, question);
  const index = (entry.ledger_id ?? 0) - seal.from_id;
  const shown = showSeal(seal);
  return {
    leaf: entry.leaf?.toHex() ?? "",
    path: pathOf(await trees(read, seal), index),
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

async function locate(read: Context["read"], { seq, kind, id, index }: ProofQuestion) {
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

async function sealCovering(read: Context["read"], entry: EntryRow): Promise<SealRow> {
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
