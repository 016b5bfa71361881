import type { PublicKey } from "../kernel/nano.ts";
import { accountText } from "./account.ts";
import type { Lookup } from "./adapter.ts";
import type { Endpoint } from "./endpoint.ts";
import { HISTORY_PAGES_MAX, historyPages, receivablePage, receivedBy } from "./history.ts";
import { lookupBlock, type Recipient } from "./lookup.ts";
import { find, type Reader, sourceOf } from "./merged-reports.ts";

/**
 * A transfer whose send the endpoints have forgotten: it may still stand among what waits, or its
 * receive among what the account received. Asked only of endpoints that say that they forget.
 */
export async function lookupPruned(
  reader: Reader,
  to: Recipient,
  hash: string,
  signal: AbortSignal,
): Promise<Lookup> {
  const { nodes } = reader;
  const pages = await nodes.all(
    async (endpoint, limit) => {
      const from = { thresholdRaw: 1n, offset: 0 };
      const page = endpoint.prunes() ? await receivablePage(endpoint, to.account, from, limit) : [];
      return page.find((entry) => entry.hash === hash) ?? null;
    },
    () => false,
    signal,
  );
  const waiting = pages.filter((entry) => entry !== null);
  const [first] = waiting;
  if (first === undefined) return receivedPruned(reader, to, hash, signal);
  const { amountRaw, from } = first;
  const same = waiting.filter((entry) => entry.amountRaw === amountRaw && entry.from === from);
  if (same.length < waiting.length) throw nodes.contradiction("endpoints differ in an amount");
  if (amountRaw === null || from === null) throw nodes.contradiction("a send without an amount");
  if (same.length < nodes.quorum) return { kind: "unconfirmed", sendHash: hash };
  if (from === to.account) return { kind: "not_to_account", reason: "self" };
  if (to.own.includes(from)) return { kind: "not_to_account", reason: "internal" };
  return {
    kind: "credited",
    sendHash: hash,
    receiveHash: null,
    from: accountText(from),
    amountRaw,
    state: "receivable",
    proof: "node_reported",
    endpoints: same.length,
  };
}

async function receivedPruned(
  reader: Reader,
  to: Recipient,
  hash: string,
  signal: AbortSignal,
): Promise<Lookup> {
  const receiveHash = await reader.nodes.one(
    async (node, limit) => (node.prunes() ? receiveIn(node, to.account, hash, limit) : null),
    signal,
  );
  const receive = receiveHash === null ? null : await find(reader, receiveHash, signal);
  if (receive === null || sourceOf(receive) !== hash) return { kind: "not_found" };
  return (await lookupBlock(reader, to, receive.hash, signal)) ?? { kind: "not_found" };
}

/** The block of the account's history that received a send. */
async function receiveIn(
  endpoint: Endpoint,
  account: PublicKey,
  hash: string,
  signal: AbortSignal,
): Promise<string | null> {
  let pages = 0;
  for await (const page of historyPages(endpoint, account, signal)) {
    const receive = page.find((entry) => receivedBy(entry) === hash);
    if (receive !== undefined) return receive.hash;
    if (++pages === HISTORY_PAGES_MAX) break;
  }
  return null;
}
