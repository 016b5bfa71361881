import { HOUR_S, MINUTE_S, type Seconds } from "../../kernel/time.ts";
import { lastOrder } from "../../market/orders/restored-queries.ts";
import { type Attention, attentionsOf } from "../../market/payouts/attention.ts";
import type { Finding, Patient } from "./finding.ts";

const DUE = "Run `cairn market due`.";

/** Work that waits for the operator, and the command that ends the wait. */
const WORDS: Readonly<Record<Attention["kind"], readonly [what: string, advice: string]>> = {
  hold: ["Held orders", "End it with `cairn market resolve`; after 30 days it ends by itself."],
  payout: ["Payouts that are owed", DUE],
  refund: ["Debts that are owed back", DUE],
  unmatched: ["Payments that name no order", DUE],
  doubt: ["Transfers that are listed and not proven", DUE],
  unchecked: ["Transfers that were recorded unchecked", DUE],
  scan: ["Escrow accounts not read", "Right while no service runs. Else look at its log."],
  unreceived: ["Transfers to the escrow account that wait there", "Receive them in the wallet."],
};

const about = "market";

/** What of the market has waited too long for the operator; nothing where there is no market. */
export async function checkMarket({ snapshot, configuration }: Patient): Promise<Finding[]> {
  if (snapshot === null) return [];
  const { escrowNanoAddress: escrowKey, marketPayWithin_h } = configuration;
  const now = Math.floor(Date.now() / 1_000);
  const settings = { escrowKey, payWithin_s: marketPayWithin_h * HOUR_S };
  const found = await attentionsOf({
    read: snapshot.read,
    clock: { now: () => now, mayEnd: () => false },
    settings,
  });
  if (found.length === 0 && (await lastOrder.first(snapshot.read, {})) !== undefined)
    return [{ about, state: "ok", text: "Nothing has waited too long for you." }];
  return found.map(({ kind, count, age_s }) => {
    const [what, advice] = WORDS[kind];
    const since = age_s === null ? "" : `, the oldest for ${shownAge(age_s)}`;
    return { about, state: "warning", text: `${what}: ${count}${since}.`, advice };
  });
}

const shownAge = (age_s: Seconds): string =>
  age_s < 2 * HOUR_S
    ? `${Math.floor(age_s / MINUTE_S)} minutes`
    : `${Math.floor(age_s / HOUR_S)} hours`;
