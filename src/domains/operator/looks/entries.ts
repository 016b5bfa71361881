import * as z from "zod";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import { entryUnder } from "../../../platform/kernel/proof/inclusion.ts";
import { faultOf } from "../../../platform/kernel/proof/unproven.ts";
import { entriesByIds, entryAndSeal } from "../../../platform/ledger/entry-queries.ts";
import { prover } from "../../../platform/ledger/seals/proof.ts";
import { sha256 } from "../../../platform/ledger/sha256.ts";
import { ENTRY_KINDS } from "../../entries.ts";
import { findAgent } from "../../identity/agents.ts";
import { type Look, list, type Needs, type Row, thing } from "../look.ts";
import { agentName, oneOf, value } from "../values.ts";
import * as sql from "./entry-queries.ts";
import { idsIn, SPAN } from "./span-queries.ts";

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

const entryList = list({
  name: "entry list",
  summary:
    "list entries of the ledger, newest first: of one kind, or those that move coins of an agent",
  input: z.object({
    kind: oneOf(...KINDS)
      .optional()
      .describe("only those of one kind"),
    agent: agentName.optional().describe("only those that move its coins"),
    ...SPAN,
  }),
  columns: [
    { key: "ledger_id", title: "entry", as: "id" },
    { key: "kind", title: "kind", as: "word" },
    { key: "ref", title: "id", as: "word" },
    { key: "at", title: "recorded", as: "time" },
    { key: "body", title: "body", as: "text" },
  ],
  goesOn: "before",
  placeOf: ({ ledger_id }) => ledger_id,
  async rows(context, { kind, agent, ...span }, { limit, from }) {
    const { read } = context;
    if (kind === "post" && agent === undefined)
      throw new Rejection(
        "validation_failed",
        "Posts are in a list of their own: `cairn post list`.",
      );
    const agent_id = agent === undefined ? undefined : (await findAgent(context, agent)).agent_id;
    const ids = await idsIn(read, "entry", span, from);
    const found = await sql.entryIds.all(read, { ...ids, kind, agent_id, limit });
    const asked = JSON.stringify(found.map(({ ledger_id }) => ledger_id));
    const rows = await entriesByIds.all(read, { ids: asked });
    return rows
      .map(({ ledger_id, kind: of, ref, at, body }) => ({ ledger_id, kind: of, ref, at, body }))
      .sort((a, b) => b.ledger_id - a.ledger_id);
  },
});

export const ENTRY_LOOKS: readonly Look[] = [entryShow, entryList];
