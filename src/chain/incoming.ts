import type { PublicKey } from "../kernel/nano.ts";
import { accountText } from "./account.ts";
import type { Incoming } from "./adapter.ts";
import type { HistoryEntry, Receivable } from "./answers.ts";
import type { Endpoint } from "./endpoint.ts";
import { historyPages, isUnclear, receivablePage, receivedBy } from "./history.ts";
import type { Nodes } from "./nodes.ts";
import { contentsOf } from "./sighting.ts";

/**
 * What waits for an account, then what it received, newest first. One endpoint tells all of one
 * reading, since pages of two do not fit together; the next reading begins with another endpoint.
 */
export async function* incoming(
  nodes: Nodes,
  account: PublicKey,
  thresholdRaw: bigint,
  signal: AbortSignal,
): AsyncGenerator<Incoming> {
  const begun = await nodes.one(async (endpoint, limit) => {
    const from = { thresholdRaw, offset: 0 };
    return { endpoint, page: await receivablePage(endpoint, account, from, limit) };
  }, signal);
  if (begun === null) return;
  const { endpoint } = begun;
  const seen = new Set<string>();
  let page = begun.page;
  // A page without anything new is the last: proxies shorten pages, and some ignore the offset.
  while (page.some(({ hash }) => !seen.has(hash))) {
    const fresh = page.filter(({ hash }) => !seen.has(hash));
    for (const entry of fresh) {
      seen.add(entry.hash);
      yield* waiting(endpoint, entry, signal);
    }
    const from = { thresholdRaw, offset: seen.size };
    page = await receivablePage(endpoint, account, from, signal);
  }
  for await (const entries of historyPages(endpoint, account, signal)) {
    for (const entry of entries) {
      const found = received(entry);
      if (found !== null && (found.amountRaw ?? thresholdRaw) >= thresholdRaw) yield found;
    }
  }
}

/** What a block of the account's history received; null when it certainly received nothing. */
function received(entry: HistoryEntry): Incoming | null {
  const { hash, account: from, amount: amountRaw = null } = entry;
  const sendHash = receivedBy(entry);
  if (sendHash === null && !isUnclear(entry)) return null;
  if (sendHash === null || from === null || amountRaw === null)
    return { hash, amountRaw: null, from: null, state: "received" };
  return { hash: sendHash, amountRaw, from: accountText(from), state: "received" };
}

/** An entry as it is told; what an endpoint left out stands in the block. */
async function* waiting(
  endpoint: Endpoint,
  { hash, amountRaw, from }: Receivable,
  signal: AbortSignal,
): AsyncGenerator<Incoming> {
  const row = amountRaw === null || from === null ? await contentsOf(endpoint, hash, signal) : null;
  const amount = amountRaw ?? row?.amount ?? null;
  const sender = from ?? row?.block_account ?? null;
  if (amount === null || sender === null) return;
  yield { hash, amountRaw: amount, from: accountText(sender), state: "receivable" };
}
