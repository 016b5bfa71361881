import type { PublicKey } from "../kernel/nano.ts";
import { accountText } from "./account.ts";
import { ChainInconsistent, type Sends, type SendsRequest } from "./adapter.ts";
import type { HistoryEntry } from "./answers.ts";
import type { Endpoint } from "./endpoint.ts";
import { HISTORY_PAGES_MAX, historyPages, isUnclear, sentTo } from "./history.ts";
import type { Nodes } from "./nodes.ts";

/** A node notes its own time for a block; its clock may be so far behind. */
const CLOCK_APART_S = 3_600;

interface Told {
  readonly sends: Sends["sends"];
  readonly isWhole: boolean;
}

/**
 * What an account sent since a time, oldest first: everything that any of the endpoints lists, of which the
 * quorum has answered. Nothing of it is proven.
 */
export async function sendsOf(
  nodes: Nodes,
  account: PublicKey,
  request: SendsRequest,
  signal: AbortSignal,
): Promise<Sends> {
  const answers = await nodes.most(
    (endpoint, limit) => toldBy(endpoint, account, request, limit),
    signal,
  );
  const newestFirst = answers.flatMap(({ sends }) => sends);
  const sends = new Map(newestFirst.toReversed().map((send) => [send.hash, send]));
  const isWhole = answers.filter((one) => one.isWhole).length >= nodes.quorum;
  return { sends: [...sends.values()], isWhole };
}

/** One endpoint's history, down to the time, or to the account's first block. */
async function toldBy(
  endpoint: Endpoint,
  account: PublicKey,
  { since, known }: SendsRequest,
  signal: AbortSignal,
): Promise<Told> {
  const sends: Told["sends"][number][] = [];
  let [pages, unclear, isKnown] = [0, 0, known === null];
  for await (const page of historyPages(endpoint, account, signal)) {
    for (const entry of page) {
      if (isBefore(entry, since)) return { sends, isWhole: unclear === 0 };
      isKnown ||= entry.hash === known;
      const to = sentTo(entry);
      if (isUnclear(entry) || (to !== null && entry.amount == null)) unclear++;
      else if (to !== null && entry.amount != null)
        sends.push({ hash: entry.hash, to: accountText(to), amountRaw: entry.amount });
    }
    if (++pages === HISTORY_PAGES_MAX) return { sends, isWhole: false };
  }
  if (isKnown) return { sends, isWhole: unclear === 0 };
  throw new ChainInconsistent("an account's history ends before a block that was known");
}

/** A block that a node has had for so long is older still; nodes that do not know the time say nothing or 0. */
const isBefore = ({ local_timestamp: seen_at }: HistoryEntry, since: number): boolean =>
  seen_at != null && seen_at > 0 && seen_at < since - CLOCK_APART_S;
