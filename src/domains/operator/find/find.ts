import * as z from "zod";
import type { Db } from "../../../platform/db/engine.ts";
import { startOf } from "../../../platform/kernel/text.ts";
import { type Look, list, type Row } from "../look.ts";
import { words } from "../values.ts";
import * as sql from "./find-queries.ts";

const WORDS_LENGTH_MAX = 128;
/** Newest rows of each table that are looked at, and rows of each kind that are shown. */
const WINDOW = 1_000_000;
const OF_A_KIND = 20;
const SHOWN_LENGTH = 300;

/** Names of agents, transactions and accounts on chains have no space, and these are as long. */
const LONG_NAME = /^[0-9A-Za-z_]{20,128}$/;
const WHOLE = /^[1-9][0-9]{0,14}$/;

type Kind = keyof typeof sql.things;

/** The look that shows a thing of a kind; others have their entry alone. */
const OPENS: Partial<Readonly<Record<Kind, string>>> = {
  agent: "agent show",
  profile: "agent show",
  post: "post show",
  order: "order show",
  task: "task show",
  quest: "quest show",
};

const KINDS = Object.keys(sql.things).filter((kind): kind is Kind => kind in sql.things);

const literal = (given: string): string => given.toLowerCase().replaceAll(/[\\%_]/g, "\\$&");

type Found = Awaited<ReturnType<(typeof sql.things)[Kind]["all"]>>[number];

const rowOf = (kind: Kind, { id, ...found }: Found): Row => ({
  what: kind,
  opens: OPENS[kind] ?? null,
  id: OPENS[kind] === "agent show" ? found.agent_id : String(id),
  ...found,
  text: found.text === null ? null : startOf(found.text, SHOWN_LENGTH),
});

/** Things with the words in their texts, then those with the number. */
async function thingsWith(read: Db, given: string, limit: number): Promise<readonly Row[]> {
  const part = { window: WINDOW, limit: Math.min(limit, OF_A_KIND) };
  const searches = [
    ...(WHOLE.test(given) ? [{ id: Number(given), ...part }] : []),
    { like: `%${literal(given)}%`, ...part },
  ];
  const rows: Row[] = [];
  for (const search of searches)
    for (const kind of KINDS)
      for (const found of await sql.things[kind].all(read, search)) rows.push(rowOf(kind, found));
  return rows;
}

const NOBODY = { agent_id: null, handle: null, hidden_at: null };

async function hiddenWith(read: Db, given: string, limit: number): Promise<readonly Row[]> {
  const found = await sql.hiddenTexts.all(read, { like: `%${literal(given)}%`, limit });
  return found.map(({ kind, ref, text, hidden_at }) => ({
    ...NOBODY,
    what: kind,
    opens: null,
    id: ref,
    at: null,
    hidden_at,
    text: startOf(text, SHOWN_LENGTH),
  }));
}

/** Where a long name occurs: as a transaction, as an account, as the SHA-256 of a content. */
async function named(read: Db, given: string, limit: number): Promise<readonly Row[]> {
  const name = given.toLowerCase();
  const [moved, unmatched, content] = await Promise.all([
    sql.moved.all(read, { name, limit }),
    sql.unmatched.all(read, { name, limit }),
    sql.content.first(read, { sha256: name }),
  ]);
  const rows: Row[] = [];
  for (const { what, id, at, name: text } of moved) {
    const owner = what === "payout address of" ? await sql.agentOf.first(read, { id }) : null;
    const opens = owner ? "agent show" : what === "contribution" ? null : "order show";
    const own = owner ?? { agent_id: null, handle: null };
    rows.push({ ...NOBODY, ...own, what, opens, id: owner?.agent_id ?? String(id), at, text });
  }
  for (const { txid, from_account, first_seen_at: at, order_id } of unmatched)
    rows.push({
      ...NOBODY,
      what: "payment without an order",
      at,
      text: `${txid} from ${from_account}`,
      opens: order_id === null ? null : "order show",
      id: String(order_id ?? "-"),
    });
  if (content !== undefined) {
    const { sha256: id, created_at: at, purged_at: hidden_at, ...author } = content;
    rows.push({ what: "file", opens: "file show", id, at, hidden_at, text: null, ...author });
  }
  return rows;
}

export const findLook: Look = list({
  name: "find",
  summary: "find agents, texts, things, transactions and addresses by words or a number",
  about:
    "Words are found anywhere in a name or a text, hidden ones included, in the newest million of each kind; of each kind 20 are shown.\nA number finds the things with that id; a transaction, an address or a hash is given whole.",
  input: z.object({
    words: words(WORDS_LENGTH_MAX).describe("words, an id, a transaction, an address or a hash"),
  }),
  operands: ["words"],
  scans: () => true,
  columns: [
    { key: "what", title: "what", as: "word" },
    { key: "id", title: "id", as: "word", opensBy: "opens" },
    { key: "agent_id", title: "agent", as: "agent", opens: "agent show" },
    { key: "at", title: "when", as: "time" },
    { key: "hidden_at", title: "hidden", as: "time" },
    { key: "text", title: "text", as: "text" },
  ],
  goesOn: null,
  async rows({ read }, { words: given }, { limit }) {
    const names = LONG_NAME.test(given) ? await named(read, given, limit) : [];
    const things = await thingsWith(read, given, limit);
    return [...names, ...things, ...(await hiddenWith(read, given, limit))].slice(0, limit);
  },
});
