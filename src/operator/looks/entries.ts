import * as z from "zod";
import { ENTRY_KINDS } from "../../entries.ts";
import { entryUnder } from "../../kernel/proof/inclusion.ts";
import { faultOf } from "../../kernel/proof/unproven.ts";
import { entryAndSeal } from "../../ledger/entry-queries.ts";
import { prover } from "../../ledger/seals/proof.ts";
import { sha256 } from "../../ledger/sha256.ts";
import { type Look, type Needs, type Row, thing } from "../look.ts";
import { value } from "../values.ts";

const KINDS = ENTRY_KINDS.map(({ kind }) => kind).sort();
const REF = /^[A-Za-z0-9_/-]{1,128}$/;

const prove = prover();

/** An entry without a seal, or with what its path shows when it is folded here. */
async function proofOf(context: Needs, kind: string, ref: string): Promise<Row> {
  const found = await entryAndSeal.first(context.read, { kind, ref });
  if (found === undefined)
    return context.reject("entry_not_found", "The ledger has no entry of this kind and id.");
  const { ledger_id, at, entry, seq } = found;
  if (seq === null) return { ledger_id, kind, ref, at, ...UNSEALED, entry };
  const { seal, index, path, ...proof } = await prove(context, { kind, id: ref });
  const fault = faultOf(() => entryUnder(seal, { ...proof, index, path }, sha256));
  return {
    ledger_id,
    kind,
    ref,
    at,
    seq,
    place: `${index + 1} of ${proof.count}`,
    proven: fault ?? "yes",
    signed_at: seal.signed_at,
    root: proof.root,
    path: path.map(({ side, hash }) => `${side} ${hash}`).join("\n"),
    entry,
  };
}

const UNSEALED = {
  seq: null,
  place: null,
  proven: "not yet: it waits for its seal",
  signed_at: null,
  root: null,
  path: null,
};

export const entryShow = thing({
  name: "entry show",
  summary: "show an entry of the ledger with its proof, which is checked",
  input: z.object({
    kind: z
      .enum(KINDS, { error: KINDS.join(", ") })
      .meta({ takes: "KIND" })
      .describe("such as post or coin_transfer"),
    id: value("ID", "the id of an entry, as GET /since shows it", (given) =>
      REF.test(given) ? given : undefined,
    ).describe("its id among those of its kind"),
  }),
  operands: ["kind", "id"],
  columns: [
    { key: "ledger_id", title: "entry", as: "id" },
    { key: "kind", title: "kind", as: "word" },
    { key: "ref", title: "id", as: "word" },
    { key: "at", title: "recorded", as: "time" },
    { key: "seq", title: "seal", as: "id" },
    { key: "place", title: "place in it", as: "word" },
    { key: "proven", title: "its path leads to the root", as: "word" },
    { key: "signed_at", title: "signed", as: "time" },
    { key: "root", title: "root", as: "word" },
    { key: "path", title: "path, from the leaf up", as: "text" },
    { key: "entry", title: "the entry, as it is hashed", as: "text" },
  ],
  see: async (context, { kind, id }) => ({ row: await proofOf(context, kind, id), lists: [] }),
});

export const ENTRY_LOOKS: readonly Look[] = [entryShow];
