import type { ServiceContext } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/engine.ts";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import { sha256Hex, sha256IfAny } from "../../../platform/ledger/sha256.ts";
import { transferKey } from "../../transfers/rules.ts";
import { sellerRaw } from "../amounts.ts";
import { refuseEditedOrder, refuseEditedPayout } from "../audit/commitments.ts";
import { addressesSet } from "../orders/address-queries.ts";
import { findOrder, refuseUnknown } from "../orders/operator.ts";
import { payoutAddress } from "../orders/order-view.ts";
import { refuseState } from "../orders/parties.ts";
import { addressesSinceRelease } from "../orders/payout-address.ts";
import { refuseUnscanned } from "../orders/restored.ts";
import { countPayouts, takeStep } from "../orders/take-step.ts";
import { takeTransfer } from "../payments/payments.ts";
import { demandAccount, shownTxid } from "../payments/proof-of-send.ts";
import * as sql from "../queries.ts";
import { rows } from "../rows.ts";
import { payout, payoutUse } from "../steps/sending.ts";
import { knowing } from "../steps/step.ts";
import { recheckLater, recordable, refuseForced, type Sent } from "./recordable.ts";
import { recordRefund } from "./refunds.ts";
import { type SentLine, sentAlready } from "./sent-already.ts";

type Needs = Pick<
  ServiceContext,
  "read" | "snapshot" | "write" | "clock" | "chain" | "settings" | "isProven" | "edited" | "reject"
>;

/**
 * Records that the seller was paid its part, to any of its addresses in force since the release. Rejects
 * unless the chain shows exactly that transfer, or says nothing.
 */
export async function recordPayout(context: Needs, sent: Sent): Promise<void> {
  const { write, clock } = context;
  const { order_id, currency } = sent;
  refuseForced(context, currency);
  const order = await findOrder(context, order_id);
  if (order.state !== "released") return refuseState(context, order.state);
  await refuseUnscanned(context, order);
  await refuseEditedOrder(context, order);
  await refuseEditedPayout(context, order, sent);
  const txid = shownTxid(context, sent);
  const amounts_raw = [String(sellerRaw(order))];
  const { to, checked, reason } = await recordable(context, sent, amounts_raw, async () => ({
    escrow_address: order.escrow_address,
    to: await payoutTargets(context, order, sent.to),
  }));
  await write(async (tx) => {
    const locked = await sql.lockOrder.first(tx, { id: order_id });
    if (locked === undefined) return refuseUnknown(context);
    const now = clock.now();
    const use = await nextPayout(tx, order_id);
    await takeTransfer(tx, [transferKey(txid)], use);
    const step = [await payoutTo(tx, locked, to), rows.payout] as const;
    const said = { currency, txid, to, checked, reason };
    await takeStep(context, { tx, order: locked, now }, step, said);
    await recheckLater(tx, use, { order_id, currency, checked, at: now });
  });
}

/** The name of an order's next payout. */
export const nextPayout = async (tx: Tx, order_id: number) =>
  payoutUse(order_id, (await countPayouts(tx, order_id)) + 1);

/** The payout of an order's seller to an account. */
export async function payoutTo(tx: Tx, { seller }: sql.OrderRow, to: string | null) {
  const set = await addressesSet.all(tx, { agent: seller });
  const addresses = set.map(({ address, usable_from }) => ({
    sha256: sha256Hex(address),
    usable_from,
  }));
  return knowing(payout, { addresses, to_sha256: sha256IfAny(to) });
}

/** Where a seller may be paid to: one of its addresses, if the operator names it, or any. */
async function payoutTargets(
  context: Needs,
  order: sql.OrderRow,
  named: string | undefined,
): Promise<readonly string[]> {
  const usable = await addressesSinceRelease(context, order);
  if (usable.length === 0) {
    const { blocked } = await payoutAddress(context.read, order.seller, context.clock.now());
    return context.reject(
      "validation_failed",
      "The seller has no payout address that may be used now.",
      [{ field: "address", problem: blocked ?? "no_address" }],
    );
  }
  if (named === undefined) return usable;
  const to = demandAccount(context, named);
  if (usable.includes(to)) return [to];
  return context.reject(
    "validation_failed",
    "Name an account that the seller wants to be paid to.",
    [{ field: "to", problem: "was no payout address of the seller since the release" }],
  );
}

/** Records everything that is owed and that the chain shows as sent, the oldest first; what it recorded. */
export async function recordSent(context: Needs, limit: number): Promise<readonly SentLine[]> {
  const { lines } = await sentAlready(context, limit);
  const recorded: SentLine[] = [];
  for (const line of lines.filter(({ state }) => state === "sent")) {
    const { order_id, n, txid } = line;
    const transfer = { order_id, currency: "xno", txid, proof: "checked" } as const;
    try {
      if (n === null) await recordPayout(context, transfer);
      else await recordRefund(context, { ...transfer, n });
      recorded.push(line);
    } catch (error) {
      // What somebody has edited waits for the operator; the others do not wait for it.
      if (!(error instanceof Rejection && error.code === "validation_failed")) throw error;
    }
  }
  return recorded;
}
