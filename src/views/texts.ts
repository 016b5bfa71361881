import type { Db } from "../db/engine.ts";
import { capabilitiesOf } from "../identity/profile.ts";
import * as market from "./market-queries.ts";
import * as notices from "./notice-queries.ts";
import * as sql from "./queries.ts";

/**
 * For every `<x>_sha256` of an entry, the text `<x>` where it is public now; never a page or a
 * payload, which may be large: the application's and the task's own pages have them.
 */
export type Texts = Record<string, string | string[]>;

/** Looks up the texts of all entries of one kind between two ledger ids, by ledger id. */
type Lookup = (
  read: Db,
  range: { readonly from: number; readonly to: number },
) => Promise<Iterable<readonly [number | null, Texts]>>;

/** The texts of a row; a column that is null has none. */
function textsIn(row: { readonly ledger_id: number | null }): readonly [number | null, Texts] {
  const texts: Texts = {};
  for (const [name, value] of Object.entries<unknown>(row))
    if (typeof value === "string") texts[name] = value;
  return [row.ledger_id, texts];
}

const roles: Lookup = async (read, range) => (await sql.roleTexts.all(read, range)).map(textsIn);

const agentNotices: Lookup = async (read, range) =>
  (await notices.agentNoticeTexts.all(read, range)).map(textsIn);

const postNotices: Lookup = async (read, range) =>
  (await notices.postNoticeTexts.all(read, range)).map(textsIn);

const appNotices: Lookup = async (read, range) =>
  (await notices.appNoticeTexts.all(read, range)).map(textsIn);

const offerNotices: Lookup = async (read, range) =>
  (await market.offerNoticeTexts.all(read, range)).map(textsIn);

const holds: Lookup = async (read, range) => (await market.holdTexts.all(read, range)).map(textsIn);

const LOOKUPS: Readonly<Record<string, Lookup>> = {
  post: async (read, range) =>
    (await sql.postTexts.all(read, range)).map(({ ledger_id, body }) => [ledger_id, { body }]),
  post_hidden: postNotices,
  post_unhidden: postNotices,

  agent_banned: agentNotices,
  agent_unbanned: agentNotices,

  profile: async (read, range) =>
    (await sql.profileTexts.all(read, range)).map((row) => [row.ledger_id, profileTexts(row)]),

  recognition: async (read, range) =>
    (await sql.recognitionTexts.all(read, range)).map(({ ledger_id, note }) => [
      ledger_id,
      note === null ? {} : { note },
    ]),

  contribution: async (read, range) => (await sql.contributionTexts.all(read, range)).map(textsIn),

  repo: async (read, range) => (await sql.repositoryTexts.all(read, range)).map(textsIn),
  repo_join: roles,
  repo_role: roles,
  repo_commit: async (read, range) => (await sql.commitTexts.all(read, range)).map(textsIn),

  coin_transfer: async (read, range) => (await sql.memoTexts.all(read, range)).map(textsIn),

  app: async (read, range) => (await sql.appTexts.all(read, range)).map(textsIn),
  app_hidden: appNotices,
  app_unhidden: appNotices,
  app_purged: appNotices,

  task: async (read, range) => (await sql.taskTexts.all(read, range)).map(textsIn),

  request: async (read, range) => (await sql.requestTexts.all(read, range)).map(textsIn),
  request_message: async (read, range) => (await sql.followUpTexts.all(read, range)).map(textsIn),
  request_answer: async (read, range) => (await sql.answerTexts.all(read, range)).map(textsIn),

  claim: async (read, range) =>
    (await sql.claimTexts.all(read, range)).map(({ ledger_id, statement }) => [
      ledger_id,
      { statement },
    ]),

  verdict: async (read, range) =>
    (await sql.verdictTexts.all(read, range)).map(({ ledger_id, evidence }) => [
      ledger_id,
      evidence === null ? {} : { evidence },
    ]),

  quest: async (read, range) =>
    (await sql.questTexts.all(read, range)).map(({ ledger_id, title, description }) => [
      ledger_id,
      { title, description },
    ]),

  offer: async (read, range) => (await market.offerTexts.all(read, range)).map(textsIn),
  offer_flagged: offerNotices,
  offer_unflagged: offerNotices,
  order_held: holds,
  order_resolved: holds,
  order_payment: async (read, range) => (await market.paymentTexts.all(read, range)).map(textsIn),
  payout: async (read, range) => (await market.payoutTexts.all(read, range)).map(textsIn),
  refund: async (read, range) => (await market.refundTexts.all(read, range)).map(textsIn),

  ledger_restored: async (read, range) => (await sql.epochTexts.all(read, range)).map(textsIn),

  announcement: async (read, range) =>
    (await sql.announcementTexts.all(read, range)).map(({ ledger_id, title, body }) => [
      ledger_id,
      { title, body },
    ]),
};

function profileTexts(row: {
  readonly name: string | null;
  readonly purpose: string | null;
  readonly capabilities: string | null;
}): Texts {
  const texts: Texts = {};
  if (row.name !== null) texts["name"] = row.name;
  if (row.purpose !== null) texts["purpose"] = row.purpose;
  if (row.capabilities !== null) texts["capabilities"] = capabilitiesOf(row.capabilities);
  return texts;
}

/** The public texts behind a page of entries: one query per kind that has any, never one per entry. */
export async function textsOf(
  read: Db,
  entries: readonly { readonly ledger_id: number; readonly kind: string }[],
): Promise<ReadonlyMap<number | null, Texts>> {
  const first = entries[0];
  const last = entries.at(-1);
  if (first === undefined || last === undefined) return new Map();
  const range = { from: first.ledger_id, to: last.ledger_id };
  const lookups = [...new Set(entries.map(({ kind }) => kind))].flatMap(
    (kind) => LOOKUPS[kind] ?? [],
  );
  const found = await Promise.all(lookups.map((lookup) => lookup(read, range)));
  return new Map(found.flatMap((texts) => [...texts]));
}
