import type { Db } from "../../../platform/db/engine.ts";
import { REMOVED_TEXT } from "../../../platform/kernel/text.ts";
import type { HashingKind } from "../../entries.ts";
import { capabilitiesOf } from "../../identity/directory/profile.ts";
import * as market from "./market-queries.ts";
import * as notices from "./notice-queries.ts";
import * as sql from "./queries.ts";
import type { EntrySelection } from "./selection.ts";

/**
 * For every `<x>_sha256` of an entry, the text `<x>` where it is public now; never a page or a
 * payload, which may be large: the application's and the task's own pages have them.
 */
export type Texts = Record<string, string | string[]>;

/** Finds the texts of all entries of one kind among these. */
interface Lookup {
  all(read: Db, selection: EntrySelection): Promise<readonly { readonly ledger_id: number }[]>;
}

/** Of every kind that hashes texts; every column that is a text but the id of the entry goes out under its own name. */
const LOOKUPS: Readonly<Record<HashingKind, Lookup | null>> = {
  post: sql.postTexts,
  post_hidden: notices.postNoticeTexts,
  post_unhidden: notices.postNoticeTexts,
  text_hidden: notices.textNoticeTexts,
  text_shown: notices.textNoticeTexts,

  agent_banned: notices.agentNoticeTexts,
  agent_unbanned: notices.agentNoticeTexts,
  profile: sql.profileTexts,
  recognition: sql.recognitionTexts,
  contribution: sql.contributionTexts,

  repo: sql.repositoryTexts,
  repo_join: sql.roleTexts,
  repo_role: sql.roleTexts,
  repo_commit: sql.commitTexts,
  file_purged: notices.filePurgeTexts,
  coin_transfer: sql.memoTexts,

  app: sql.appTexts,
  app_hidden: notices.appNoticeTexts,
  app_unhidden: notices.appNoticeTexts,
  app_purged: notices.appNoticeTexts,

  task: sql.taskTexts,
  request: sql.requestTexts,
  request_message: sql.followUpTexts,
  request_answer: sql.answerTexts,
  request_refused: sql.refusalTexts,

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
  payment_refunded: market.returnTexts,
  doubt_dismissed: market.doubtTexts,

  ledger_restored: sql.epochTexts,
  announcement: sql.announcementTexts,

  // Payloads have their own page; addresses are for the parties of an order; a payout or a refund says how it was paid.
  task_pass: null,
  task_fail: null,
  order: null,
  payout_address: null,
  refund_due: null,
  debt_settled: null,
};
const lookupOf: ReadonlyMap<string, Lookup | null> = new Map(Object.entries(LOOKUPS));

/** What texts are looked up by; a body is RFC 8785 text, or its fields. */
interface Named {
  readonly ledger_id: number;
  readonly kind: string;
  readonly ref: string;
  readonly body?: string | Readonly<Record<string, unknown>>;
}

/** The texts of a row; a column that is null has none. Capabilities are stored as one JSON list. */
function textsIn(row: { readonly ledger_id: number }): Texts {
  const texts: Texts = {};
  for (const [name, value] of Object.entries(row))
    if (typeof value === "string")
      texts[name] = name === "capabilities" ? capabilitiesOf(value) : value;
  return texts;
}

/** Most transfers are named in the entry itself: only a name that was hashed is a text of it. */
const hasTransferName = ({ body = "" }: Named): boolean =>
  typeof body === "string" ? body.includes('"txid_sha256":') : "txid_sha256" in body;

const isStandIn = (text: string | string[]): boolean => text === REMOVED_TEXT;

/** The stand-in of a removed text is no text of its entry. Only such texts are asked about. */
async function dropRemoved(
  read: Db,
  entries: readonly Named[],
  texts: Map<number, Texts>,
): Promise<void> {
  const like = entries.filter(({ ledger_id }) =>
    Object.values(texts.get(ledger_id) ?? {}).some(isStandIn),
  );
  if (like.length === 0) return;
  const names = like.map(({ ledger_id, kind, ref }) => [ledger_id, kind, ref]);
  for (const { ledger_id } of await notices.removed.all(read, { entries: JSON.stringify(names) }))
    texts.delete(ledger_id);
}

/** The public texts behind a page of entries: one query per kind that has any, never one per entry. */
export async function textsOf(
  read: Db,
  entries: readonly Named[],
): Promise<ReadonlyMap<number, Texts>> {
  const asked = Map.groupBy(entries, ({ kind }) => lookupOf.get(kind) ?? null);
  const texts = new Map<number, Texts>();
  const lookUp = async ([lookup, named]: readonly [Lookup | null, readonly Named[]]) => {
    if (lookup === null) return;
    const names = named.map(({ ledger_id, kind, ref }) => [ledger_id, kind, ref]);
    const rows = await lookup.all(read, { entries: JSON.stringify(names) });
    for (const row of rows) texts.set(row.ledger_id, textsIn(row));
  };
  await Promise.all([...asked].map(lookUp));
  await dropRemoved(read, entries, texts);
  for (const entry of entries)
    if (!hasTransferName(entry)) delete texts.get(entry.ledger_id)?.["txid"];
  return texts;
}
