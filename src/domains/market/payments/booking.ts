import type { Lookup } from "../../../platform/chain/adapter.ts";
import type { Context } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import { isUsed } from "../../transfers/sealed-use.ts";
import { orderNamed } from "../doubts/doubts.ts";
import { lockOrder, type OrderRow, ordersPaidFrom } from "../queries.ts";
import { receive } from "./payments.ts";
import { noteUnmatched } from "./unmatched.ts";

/** Payments under a hundredth of the price that one order takes; a larger one is always booked. */
const SMALL_PAYMENTS_MAX = 100;
const SMALL_PART = 100n;

type Credited = Extract<Lookup, { readonly kind: "credited" }>;

/**
 * Books a proven transfer. The last digits of its amount name the order; what names none waits for
 * the operator. Resolves to null, or to why it was not booked: the ledger contradicts a row that claims it.
 */
export async function book(
  context: Pick<Context, "read" | "write" | "clock" | "edited">,
  found: Credited,
): Promise<"too_many" | "contradicted" | null> {
  const { read, write, clock } = context;
  const { sendHash: txid, receiveHash, from, amountRaw: amount_raw } = found;
  const id = await orderFor(read, found);
  if (id === null) {
    await noteUnmatched({ write, clock }, found);
    return null;
  }
  const transfer = { currency: "xno", txid, receive_txid: receiveHash, amount_raw, from } as const;
  try {
    return await write(async (tx) => {
      const order = await lockOrder.first(tx, { id });
      if (order === undefined) return null;
      if (isTooSmall(order, amount_raw)) return "too_many";
      await receive(tx, order, clock.now(), { ...transfer, checked: 1, by: null });
      return null;
    });
  } catch (error) {
    if (!(error instanceof Rejection) || error.code !== "already_recorded") throw error;
    // Another node was faster, or it is a payment that the operator has recorded; or its row was added by somebody.
    return (await isUsed(context, txid)) ? null : "contradicted";
  }
}

/**
 * The order whose tag an amount has. Without one an account is known by what it has paid: if exactly one order that
 * waits for payment has it, and no more is missing.
 */
async function orderFor(read: Db, { amountRaw, from }: Credited): Promise<number | null> {
  const named = await orderNamed(read, amountRaw);
  if (named !== null) return named.id;
  const [order, another] = await ordersPaidFrom.all(read, { from_account: from });
  if (order === undefined || another !== undefined) return null;
  return amountRaw <= BigInt(order.due_raw) - BigInt(order.received_raw) ? order.id : null;
}

/** So that dust makes no order's books and views endless. */
function isTooSmall(order: OrderRow, amount_raw: bigint): boolean {
  if (order.payments < SMALL_PAYMENTS_MAX) return false;
  const due = BigInt(order.due_raw);
  const completes =
    order.state === "awaiting_payment" && BigInt(order.received_raw) + amount_raw >= due;
  return !completes && amount_raw * SMALL_PART < due;
}
