import type { PublicKey } from "../kernel/nano.ts";
import { accountText } from "./account.ts";
import { ChainInconsistent, type Listed, type ListRequest, type Lists } from "./adapter.ts";
import type { HistoryEntry, Receivable } from "./answers.ts";
import { contentsOf } from "./block-report.ts";
import type { Endpoint } from "./endpoint.ts";
import { historyPages, isUnclear, receivablePage, receivedBy } from "./history.ts";
import type { Nodes } from "./nodes.ts";

/** The list of what waits is sorted by amount, so beyond 20,000 transfers only the smallest are cut off. */
const RECEIVABLE_PAGES_MAX = 20;

/** One endpoint's report on an account. */
interface Told {
  readonly teller: string;
  readonly waiting: readonly Listed[];
  /** The account's own blocks, newest first, each with what it received. */
  readonly own: readonly { readonly hash: string; readonly received: Listed | null }[];
}

/**
 * The transfers that wait for an account and those that it received, as the quorum reports them. One endpoint reports
 * its whole list or none: pages of two do not fit together, and a list that ends early hides payments.
 */
export async function listsOf(
  nodes: Nodes,
  account: PublicKey,
  request: ListRequest,
  signal: AbortSignal,
): Promise<Lists> {
  const answers = await nodes.most(
    (endpoint, limit) => listOf(endpoint, account, request, limit),
    signal,
  );
  const entries = new Map<string, Lists["entries"][number]>();
  for (const { teller, waiting, own } of answers) {
    const received = own.flatMap(({ received: one }) => (one === null ? [] : [one]));
    for (const entry of new Map([...waiting, ...received].map((one) => [one.hash, one])).values())
      entries.set(entry.hash, merged(entries.get(entry.hash), entry, teller));
  }
  return { entries: [...entries.values()], blocks: blocksOf(answers, nodes.quorum) };
}

/** A received transfer no longer waits, whatever another endpoint says. */
function merged(
  known: Lists["entries"][number] | undefined,
  { hash, amountRaw, from, state }: Listed,
  teller: string,
): Lists["entries"][number] {
  const amounts = new Set(known?.amounts);
  if (amountRaw !== null) amounts.add(amountRaw);
  return {
    hash,
    amounts: [...amounts],
    from: known?.from ?? from,
    state: known?.state === "received" ? "received" : state,
    tellers: [...(known?.tellers ?? []), teller],
  };
}

/** The own blocks that the quorum reports, newest first. */
function blocksOf(answers: readonly Told[], quorum: number): Lists["blocks"] {
  const tellers = new Map<string, string[]>();
  for (const { teller, own } of answers)
    for (const { hash } of own) tellers.set(hash, [...(tellers.get(hash) ?? []), teller]);
  const toldOf = (hash: string) => tellers.get(hash) ?? [];
  const longest = answers
    .map(({ own }) => own.filter(({ hash }) => toldOf(hash).length >= quorum))
    .reduce((most, own) => (own.length > most.length ? own : most), []);
  return longest.map(({ hash, received }) => ({
    hash,
    received: received?.hash ?? null,
    tellers: toldOf(hash),
  }));
}

async function listOf(
  endpoint: Endpoint,
  account: PublicKey,
  { thresholdRaw, history }: ListRequest,
  signal: AbortSignal,
): Promise<Told> {
  const waiting = await waitingOf(endpoint, account, thresholdRaw, signal);
  const { name: teller } = endpoint;
  if (history === null) return { teller, waiting, own: [] };
  const own: Told["own"][number][] = [];
  for await (const page of historyPages(endpoint, account, signal)) {
    for (const entry of page) {
      const { hash } = entry;
      if (history.until === hash || (history.until !== null && receivedBy(entry) === history.until))
        return { teller, waiting, own };
      const found = receivedOf(entry);
      const isLess = (found?.amountRaw ?? thresholdRaw) < thresholdRaw;
      own.push({ hash, received: isLess ? null : found });
    }
  }
  if (history.until === null) return { teller, waiting, own };
  throw new ChainInconsistent("an account's history ends before a block that was known");
}

/** All pages of what is confirmed and waits. */
async function waitingOf(
  endpoint: Endpoint,
  account: PublicKey,
  thresholdRaw: bigint,
  signal: AbortSignal,
): Promise<readonly Listed[]> {
  const found = new Map<string, Listed>();
  let offset = 0;
  for (let pages = 0; pages < RECEIVABLE_PAGES_MAX; pages++) {
    const page = await receivablePage(endpoint, account, { thresholdRaw, offset }, signal);
    const fresh = page.filter(({ hash }) => !found.has(hash));
    // A page without anything new is the last: proxies shorten pages, and some ignore the offset.
    if (fresh.length === 0) break;
    for (const entry of fresh) found.set(entry.hash, await waitingOne(endpoint, entry, signal));
    offset = found.size;
  }
  return [...found.values()].filter(({ amountRaw }) => (amountRaw ?? thresholdRaw) >= thresholdRaw);
}

/** An entry as reported; fields that an endpoint left out come from the block, if it has one. */
async function waitingOne(
  endpoint: Endpoint,
  { hash, amountRaw, from }: Receivable,
  signal: AbortSignal,
): Promise<Listed> {
  const row = amountRaw === null || from === null ? await contentsOf(endpoint, hash, signal) : null;
  const sender = from ?? row?.block_account ?? null;
  return {
    hash,
    amountRaw: amountRaw ?? row?.amount ?? null,
    from: sender === null ? null : accountText(sender),
    state: "receivable",
  };
}

/** What a block of the account's history received; null when it certainly received nothing. */
function receivedOf(entry: HistoryEntry): Listed | null {
  const { hash, account: from, amount: amountRaw = null } = entry;
  const sendHash = receivedBy(entry);
  if (sendHash === null && !isUnclear(entry)) return null;
  if (sendHash === null || from === null || amountRaw === null)
    return { hash, amountRaw: null, from: null, state: "received" };
  return { hash: sendHash, amountRaw, from: accountText(from), state: "received" };
}
