import { ENTRY_KINDS } from "../../../domains/entries.ts";
import type { Db } from "../../db/engine.ts";
import type { Rejects } from "../../kernel/contract/errors.ts";
import { lru } from "../../kernel/lru.ts";
import { type Seal, sealMessage } from "../../kernel/proof/seal-text.ts";
import type { Seconds } from "../../kernel/time.ts";
import { nearest } from "../../kernel/words/nearest.ts";
import { entryAndSeal, entryById } from "../entry-queries.ts";
import * as sql from "../queries.ts";
import { pathFinder } from "./paths.ts";
import { SEALED_WITHIN_S } from "./seal.ts";
import { hex, type SealRow, showSeal } from "./seals.ts";

/** Which entry to prove: by kind and ref, or by its place in a seal. */
export interface ProofQuestion {
  readonly seq?: number | undefined;
  readonly kind?: string | undefined;
  readonly id?: string | undefined;
  readonly index?: number | undefined;
}

type Asking = { readonly read: Db } & Rejects<
  "seal_not_found" | "entry_not_found" | "not_in_seal" | "not_sealed_yet"
>;

/** A seal, and what every proof under it says of it. */
interface Sealed {
  readonly row: SealRow;
  readonly shown: Seal;
  readonly signed_message: string | null;
}

/** Signed seals that one process has at hand: they never change. */
const SEALS_MAX = 4_096;

/** Proofs of entries: the path from one to its seal's root. They reject with the codes of the contract. */
export function prover() {
  const seals = lru<number, Sealed>({ max: SEALS_MAX, sizeOf: () => 1 });
  const findPath = pathFinder();

  async function sealOf(read: Db, seq: number): Promise<Sealed | undefined> {
    const known = seals.get(seq);
    if (known !== undefined) return known;
    const row = await sql.sealBySeq.first(read, { seq });
    if (row === undefined) return;
    const sealed = sealedBy(row);
    if (row.signature !== null) seals.set(seq, sealed);
    return sealed;
  }

  async function locate({ read, reject }: Asking, { seq, kind: named, id, index }: ProofQuestion) {
    const kind = named === undefined ? undefined : (ALIASES[named] ?? named);
    const asked = seq === undefined ? undefined : await sealOf(read, seq);
    if (seq !== undefined && asked === undefined) {
      const where = "There is no seal with this seq. {ledger.seals} lists them.";
      return reject("seal_not_found", where);
    }
    if (kind !== undefined && id !== undefined) {
      const entry = await entryAndSeal.first(read, { kind, ref: id });
      if (entry === undefined) return refuseEntry(reject, kind);
      if (entry.seq === null) return refuseUnsealed(reject, entry.at);
      if (seq !== undefined && seq !== entry.seq) return refuseOtherSeal(reject, entry.seq);
      return { sealed: (await sealOf(read, entry.seq)) ?? refuseUnsealed(reject, entry.at), entry };
    }
    if (asked === undefined || index === undefined || index >= asked.row.count)
      return refuseOtherSeal(reject);
    const entry = await entryById.first(read, { ledger_id: asked.row.from_id + index });
    return { sealed: asked, entry: entry ?? refuseOtherSeal(reject) };
  }

  return async (context: Asking, question: ProofQuestion) => {
    const { sealed, entry } = await locate(context, question);
    const { row, shown, signed_message } = sealed;
    const { kind, ref, ledger_id, leaf } = entry;
    const index = ledger_id - row.from_id;
    return {
      leaf: hex(leaf),
      path: await findPath(context.read, row, index, leaf),
      root: shown.root,
      seq: row.seq,
      index,
      count: row.count,
      ledger_id,
      kind,
      ref,
      entry: entry.entry,
      seal: shown,
      signed_message,
    };
  };
}

function sealedBy(row: SealRow): Sealed {
  const shown = showSeal(row);
  const { signed_at, pubkey } = shown;
  const isSigned = signed_at !== null && pubkey !== null;
  return { row, shown, signed_message: isSigned ? sealMessage(shown, signed_at, pubkey) : null };
}

const KINDS: ReadonlySet<string> = new Set(ENTRY_KINDS.map(({ kind }) => kind));

/** Names that older clients of such a service use for two kinds. */
const ALIASES: Readonly<Record<string, string>> = {
  market_order: "order",
  market_payout: "payout",
};

function refuseUnsealed(reject: Asking["reject"], at: Seconds): never {
  const sealBy = [{ field: "seal_by", problem: String(at + SEALED_WITHIN_S) }];
  return reject("not_sealed_yet", "This entry has no seal yet. Ask again after seal_by.", sealBy);
}

function refuseOtherSeal(reject: Asking["reject"], sealed_in?: number): never {
  const details =
    sealed_in === undefined ? undefined : [{ field: "sealed_in", problem: String(sealed_in) }];
  return reject("not_in_seal", "This entry is not in that seal.", details);
}

/** The kinds that a word may mean: those that have it among theirs, else those nearest by letters. */
function kindsNear(word: string): readonly string[] {
  const having = [...KINDS].filter((kind) => kind.split("_").includes(word));
  return having.length > 0 ? having : nearest(word, KINDS);
}

function saidOfKind(kind: string): string {
  const near = kindsNear(kind);
  return near.length === 0
    ? "is no kind of entry; post, repo_commit and request_answer are some"
    : `is no kind of entry; did you mean ${near.join(" or ")}?`;
}

/** No such entry; where the ledger has no such kind, the details name those that may be meant. */
const refuseEntry = (reject: Asking["reject"], kind: string): never =>
  reject(
    "entry_not_found",
    "No entry has this kind and id. {views.since} shows every entry with its kind and ref.",
    KINDS.has(kind) ? undefined : [{ field: "kind", problem: saidOfKind(kind) }],
  );
