import type { ServiceContext } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/engine.ts";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { demandReason } from "../orders/operator.ts";
import {
  demandSend,
  type NamedTransfer,
  shownTxid,
  type WantedSend,
} from "../payments/proof-of-send.ts";
import { RECHECK_FIRST_S } from "../rules.ts";
import { CONSENT } from "../steps/named-transfers.ts";
import type { MarketSend } from "../tables.ts";
import { insertRecheck } from "./recheck-queries.ts";

/** Money that the operator has sent, and how far anybody else can see that. */
export interface Sent extends NamedTransfer {
  readonly order_id: number;
  /** `unchecked` when no node answers; other currencies always are. Both need a reason. */
  readonly proof: "checked" | "unchecked";
  /** Of a payout, if no node reports it: one of the seller's addresses since the release. Of a refund: see there. */
  readonly to?: string | undefined;
  readonly reason?: string | undefined;
}

type Refusing = Pick<ServiceContext, "reject">;

/** A debt in XNO ends in another currency only when its creditor says so. */
export function refuseForced({ reject }: Refusing, currency: Sent["currency"]): void {
  if (currency !== "xno")
    reject("validation_failed", CONSENT.sentence, [
      { field: "currency", problem: "must be xno; the creditor says so with POST /market/settle" },
    ]);
}

/** How a transfer is recorded: what it was, and whether the chain says so. */
interface Recorded {
  readonly to: string | null;
  readonly amount_raw: string;
  readonly checked: 0 | 1;
  readonly reason: string | null;
}

/**
 * What the chain says of a transfer. The operator's word is taken only in its place: when no node says
 * anything that can be believed. What a node does not know, or shows otherwise, is never recorded.
 */
export async function recordable(
  context: Pick<ServiceContext, "chain" | "settings" | "reject">,
  sent: Sent,
  amounts_raw: readonly string[],
  wanted: () => Promise<Omit<WantedSend, "amounts_raw">>,
): Promise<Recorded> {
  const { proof, reason = null } = sent;
  const excuse = proof === "unchecked" ? demandReason(context, sent.reason) : null;
  const owed = { ...(await wanted()), amounts_raw };
  try {
    const { to, amountRaw } = await demandSend(context, shownTxid(context, sent), owed);
    return { to, amount_raw: String(amountRaw), checked: 1, reason };
  } catch (error) {
    const isSilent = error instanceof Rejection && error.code === "chain_unavailable";
    if (excuse === null || !isSilent) throw error;
    return { to: owed.to[0] ?? null, checked: 0, ...wordOf(context, amounts_raw), reason: excuse };
  }
}

/** The amount, if only the operator knows it. */
function wordOf(context: Refusing, amounts_raw: readonly string[]): Pick<Recorded, "amount_raw"> {
  const [amount_raw] = amounts_raw;
  if (amount_raw !== undefined && amounts_raw.length === 1) return { amount_raw };
  return refuseAmount(context);
}

/** One transfer pays the oldest debts to an account, however many: its amount says how many. */
export const refuseAmount = ({ reject }: Refusing): never =>
  reject("validation_failed", "Say how much of what is owed to this account was sent.", [
    { field: "amount_raw", problem: "must be the sum of its oldest debts, of as many as you paid" },
  ]);

/** Has the chain asked again about what is recorded on the operator's word. */
export async function recheckLater(
  tx: Tx,
  use: MarketSend,
  {
    order_id,
    currency,
    checked,
    at,
  }: Pick<Sent, "order_id" | "currency"> & {
    readonly checked: 0 | 1;
    readonly at: Seconds;
  },
): Promise<void> {
  if (currency !== "xno" || checked === 1) return;
  const next_try_at = at + RECHECK_FIRST_S;
  await insertRecheck.run(tx, { sent: use, order_id, recorded_at: at, next_try_at });
}
