import type { Db } from "../db/engine.ts";
import type { HashingKind } from "../entries.ts";
import { capabilitiesOf } from "../identity/profile.ts";
import type { EntrySelection } from "./entry-selection.ts";
import * as market from "./market-queries.ts";
import * as notices from "./notice-queries.ts";
import * as sql from "./queries.ts";

/**
 * For every `<x>_sha256` of an entry, the text `<x>` where it is public now; never a page or a
 * payload, which may be large: the application's and the task's own pages have them.
 */
export type Texts = Record<string, string | string[]>;

/** Finds the texts of all entries of one kind among these. */
interface Lookup {
  all(
    read: Db,
    selection: EntrySelection,
  ): Promise<readonly { readonly ledger_id: number | null }[]>;
}

/** Of every kind that hashes texts; every column that is a text but the id of the entry goes out under its own name. */
const LOOKUPS: Readonly<Record<HashingKind, Lookup | null>> = {
  post: sql.postTexts,
  post_hidden: notices.postNoticeTexts,
  post_unhidden: notices.postNoticeTexts,

  agent_banned: notices.agentNoticeTexts,
  agent_unbanned: notices.agentNoticeTexts,
  profile: sql.profileTexts,
  recognition: sql.recognitionTexts,
  contribution: sql.contributionTexts,

  repo: sql.repositoryTexts,
  repo_join: sql.roleTexts,
  repo_role: sql.roleTexts,
  repo_commit: sql.commitTexts,
  coin_transfer: sql.memoTexts,

  app: sql.appTexts,
  app_hidden: notices.appNoticeTexts,
  app_unhidden: notices.appNoticeTexts,
  app_purged: notices.appNoticeTexts,

  task: sql.taskTexts,
  request: sql.requestTexts,
  request_message: sql.followUpTexts,
  request_answer: sql.answerTexts,

  claim: sql.claimTexts,
  verdict: sql.verdictTexts,
  quest: sql.questTexts,

  offer: market.offerTexts,
  offer_flagged: market.offerNoticeTexts,
  offer_unflagged: market.offerNoticeTexts,
  order_held: market.holdTexts,
  order_resolved: market.holdTexts,
  order_payment: market.paymentTexts,
  payout: market.payoutTexts,
  refund: market.refundTexts,

  ledger_restored: sql.epochTexts,
  announcement: sql.announcementTexts,

  // Payloads have their own page; addresses are for the parties of an order.
  task_pass: null,
  task_fail: null,
  payout_address: null,
  refund_due: null,
};
const lookupOf: ReadonlyMap<string, Lookup | null> = new Map(Object.entries(LOOKUPS));

/** The texts of a row; a column that is null has none. Capabilities are stored as one JSON list. */
function textsIn(row: { readonly ledger_id: number | null }): readonly [number | null, Texts] {
  const texts: Texts = {};
  for (const [name, value] of Object.entries<unknown>(row))
    if (typeof value === "string")
      texts[name] = name === "capabilities" ? capabilitiesOf(value) : value;
  return [row.ledger_id, texts];
}

/** So many ids of a range for each entry cost less than a look-up by id. */
const DENSE_MAX = 4;

/** The public texts behind a page of entries: one query per kind that has any, never one per entry. */
export async function textsOf(
  read: Db,
  entries: readonly { readonly ledger_id: number; readonly kind: string }[],
): Promise<ReadonlyMap<number | null, Texts>> {
  const first = entries[0];
  const last = entries.at(-1);
  if (first === undefined || last === undefined) return new Map();
  const [from, to] = [first.ledger_id, last.ledger_id];
  // Entries that lie far apart are asked for one by one: between them may be millions.
  const isDense = to - from < DENSE_MAX * entries.length;
  const selection = isDense
    ? { from, to }
    : { ids: JSON.stringify(entries.map(({ ledger_id }) => ledger_id)) };
  const lookups = [...new Set(entries.map(({ kind }) => kind))].flatMap(
    (kind) => lookupOf.get(kind) ?? [],
  );
  const found = await Promise.all(lookups.map((lookup) => lookup.all(read, selection)));
  return new Map(found.flat().map(textsIn));
}
