import type { Tx } from "../../db/engine.ts";
import { Rejection } from "../../kernel/contract/errors.ts";
import type { Seconds } from "../../kernel/time.ts";
import { enactSurely } from "../../ledger/rows/enact.ts";
import { keysOf } from "../../transfers/contributions.ts";
import type { Currency } from "../../transfers/rules.ts";
import type { TransferUse } from "../../transfers/tables.ts";
import { useTransfer } from "../../transfers/use.ts";
import { change, count, owe, pay, refundOf } from "../orders/transitions.ts";
import type * as sql from "../queries.ts";
import { rows } from "../rows.ts";
import { isCounted, isUnpaidEnd, type PaymentRole } from "../rules.ts";
import { backTo } from "../steps/debts.ts";
import { wasUnmatched } from "./unmatched.ts";

/** A transfer that has come for an order. */
export interface Payment {
  readonly currency: Currency;
  /** As it is shown and sealed: of XNO the hash of the send. */
  readonly txid: string;
  /** Of the block that received it, once there is one. */
  readonly receive_txid: string | null;
  readonly amount_raw: bigint;
  readonly from: string | null;
  readonly checked: 0 | 1;
  /** Null when the watcher found it; else why the operator recorded it, in words or without. */
  readonly by: null | { readonly reason: string | null };
}

/**
 * Books a payment, whatever state its order is in. In time is what is found in time, whenever it was
 * sent. Rejects with `already_recorded` when the transfer has another use; then the write is undone.
 */
export async function receive(
  tx: Tx,
  order: sql.OrderRow,
  now: Seconds,
  payment: Payment,
): Promise<sql.OrderRow> {
  const { currency, txid, receive_txid, amount_raw, from, checked, by } = payment;
  const n = order.payments + 1;
  await takeTransfer(tx, keysOf(txid, receive_txid), `order_payment/${order.id}/${n}`);
  const role = roleOf(order, payment);
  const received = {
    order_id: order.id,
    n,
    currency,
    txid,
    receive_txid,
    amount_raw: String(amount_raw),
    checked,
    role,
    from_account: from,
    reason: by?.reason ?? null,
    unmatched: await wasUnmatched(tx, txid),
  };
  await enactSurely(tx, rows.orderPayment, received, now);
  const counted = await change(tx, order, { payments: n });

  const back = backTo(refundOf(order), { role, amount_raw, from });
  if (isCounted(role)) {
    const grown = await count(tx, counted, amount_raw);
    const isEnough = BigInt(grown.received_raw) >= BigInt(order.base_raw);
    return isEnough ? pay(tx, grown, now, { back }) : grown;
  }
  const late = { state: "refund_due" as const, state_since: now };
  const owing = await change(tx, counted, {
    ...(role === "late" ? late : {}),
    escrow_raw: String(BigInt(order.escrow_raw) + amount_raw),
  });
  return owe(tx, owing, now, [{ to: back, amount_raw, why: role }]);
}

function roleOf({ state }: sql.OrderRow, { by }: Payment): PaymentRole {
  if (state === "awaiting_payment") return by === null ? "payment" : "manual";
  return isUnpaidEnd(state) ? "late" : "extra";
}

/** Gives a transfer its one use. Rejects with `already_recorded`, which undoes the write. */
export async function takeTransfer(
  tx: Tx,
  keys: readonly string[],
  use: TransferUse,
): Promise<void> {
  if ((await useTransfer(tx, keys, use)) !== null)
    throw new Rejection(
      "already_recorded",
      "This transaction is recorded already; a transaction counts once.",
    );
}
