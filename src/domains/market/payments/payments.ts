import type { Tx } from "../../../platform/db/engine.ts";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { NOBODY } from "../../../platform/ledger/decide.ts";
import { keysOf } from "../../transfers/contributions.ts";
import type { Currency } from "../../transfers/rules.ts";
import type { TransferUse } from "../../transfers/tables.ts";
import { useTransfer } from "../../transfers/use.ts";
import { orderNamed } from "../doubts/doubts.ts";
import { takeStep } from "../orders/take-step.ts";
import type * as sql from "../queries.ts";
import { rows } from "../rows.ts";
import { orderPayment, roleOf } from "../steps/paying.ts";
import { knowing } from "../steps/step.ts";
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
  const unmatched = await wasUnmatched(tx, txid);
  const named = currency === "xno" ? (await orderNamed(tx, amount_raw))?.id : undefined;
  const step = knowing(orderPayment, { isUnmatched: unmatched === 1, named });
  const accounts = from === null ? [] : [from];
  return takeStep(NOBODY, { tx, order, now, accounts }, [step, rows.orderPayment], {
    currency,
    txid,
    receive_txid,
    amount_raw: String(amount_raw),
    checked,
    role: roleOf(order.state, by !== null),
    from_account: from,
    reason: by?.reason ?? null,
    unmatched,
  });
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
