import type { PublicKey } from "../kernel/nano.ts";
import { accountText } from "./account.ts";
import { type HistoryEntry, historyPage, type Receivable, receivableList } from "./answers.ts";
import type { Endpoint } from "./endpoint.ts";
import { type RpcRequest, shaped } from "./rpc.ts";

const RECEIVABLE_PAGE = 1_000;
const HISTORY_PAGE = 500;
export const HISTORY_PAGES_MAX = 20;

/** One page of what is confirmed and waits to be received, the largest amounts first. */
export async function receivablePage(
  endpoint: Endpoint,
  account: PublicKey,
  from: { readonly thresholdRaw: bigint; readonly offset: number },
  signal: AbortSignal,
): Promise<readonly Receivable[]> {
  const request = {
    action: "receivable",
    account: accountText(account),
    count: String(RECEIVABLE_PAGE),
    offset: String(from.offset),
    source: "true",
    threshold: String(from.thresholdRaw),
    sorting: "true", // Without it `offset` counts blocks below the threshold too.
    include_only_confirmed: "true", // The default differs between versions.
  };
  const answer = await endpoint.call(request, signal);
  return answer === null ? [] : shaped(receivableList, answer, request.action).blocks;
}

/** Pages of an account's own blocks, the newest first. */
export async function* historyPages(
  endpoint: Endpoint,
  account: PublicKey,
  signal: AbortSignal,
): AsyncGenerator<readonly HistoryEntry[]> {
  const action = "account_history";
  const first = { action, account: accountText(account), count: String(HISTORY_PAGE), raw: "true" };
  let request: RpcRequest | null = first;
  while (request !== null) {
    const answer = await endpoint.call(request, signal);
    if (answer === null) return; // The account has no block yet.
    const { history, previous } = shaped(historyPage, answer, action);
    yield history;
    request = previous === null ? null : { ...first, head: previous };
  }
}

/** The send that an entry of an account's history received; null when it is no receive. */
export function receivedBy(entry: HistoryEntry): string | null {
  const kind = kindOf(entry);
  return kind === "receive" || kind === "open" ? (entry.link ?? entry.source) : null;
}

/** The account that an entry of an account's history sent to; null when it is no send. */
export const sentTo = (entry: HistoryEntry): PublicKey | null =>
  kindOf(entry) === "send" ? entry.account : null;

/** Whether the endpoint cannot know the block's effect, because it has pruned the previous block. */
export const isUnclear = (entry: HistoryEntry): boolean =>
  !["receive", "open", "send", "change", "epoch"].includes(kindOf(entry) ?? "");

const kindOf = ({ type, subtype }: HistoryEntry) => (type === "state" ? subtype : type);
