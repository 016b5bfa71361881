import { HOUR_S } from "../kernel/time.ts";
import { type Attention, attentionsOf } from "../market/attention.ts";
import type { Finding, Patient } from "./finding.ts";

const DUE = "Run `cairn market due`.";

/** What each waits for, and what ends that. */
const WORDS: Readonly<Record<Attention["kind"], readonly [what: string, advice: string]>> = {
  hold: ["orders are held", "End it with `cairn market resolve`; after 30 days it ends by itself."],
  payout: ["sellers wait for their payouts", DUE],
  refund: ["refunds wait", DUE],
  unmatched: ["payments name no order", DUE],
  doubt: ["transfers are listed and not proven", DUE],
  unchecked: ["transfers were recorded unchecked", DUE],
  scan: ["escrow account was not read", "Right while no service runs. Else look at its log."],
  unreceived: ["transfers wait in the escrow account", "Receive them in the wallet."],
};

/** What of the market has waited too long for the operator. */
export async function checkMarket({ snapshot, configuration }: Patient): Promise<Finding[]> {
  if (snapshot === null) return [];
  const { escrowNanoAddress: escrowKey, marketPayWithin_h } = configuration;
  const now = Math.floor(Date.now() / 1_000);
  const settings = { escrowKey, payWithin_s: marketPayWithin_h * HOUR_S };
  const found = await attentionsOf({ read: snapshot.read, clock: { now: () => now }, settings });
  return found.map(({ kind, count, age_s }) => {
    const [what, advice] = WORDS[kind];
    const since = age_s === null ? "" : `, the oldest for ${Math.floor(age_s / HOUR_S)} hours`;
    return { about: "market", state: "warning", text: `${count} ${what}${since}.`, advice };
  });
}
