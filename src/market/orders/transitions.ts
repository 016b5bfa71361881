import type { Db, Tx } from "../../db/engine.ts";
import { HOUR_S, type Seconds } from "../../kernel/time.ts";
import { enact, enactSurely } from "../../ledger/rows/enact.ts";
import { sha256Hex } from "../../ledger/sha256.ts";
import { releaseOf, UNIT_RAW } from "../amounts.ts";
import { commitment } from "../commitment.ts";
import * as sql from "../queries.ts";
import { rows } from "../rows.ts";
import {
  ACCEPT_WITHIN_S,
  AFTER_HOLD_MIN_S,
  HOLD_MAX_S,
  type HoldEnd,
  LATE_DELIVERY_S,
  REACCEPT_WITHIN_S,
  type RefundWhy,
} from "../rules.ts";
import { backTo, type Debt, debtsOf } from "../steps/debts.ts";

/**
 * One function for each row of the table of states. Each gets an order under its lock and resolves
 * to the order as it left it; rows and entries are one transaction with the rest of the write.
 */
type Order = sql.OrderRow;

/** Changes an order, which must still be in the state that it was locked in. */
export async function change(tx: Tx, order: Order, set: sql.Moved): Promise<Order> {
  if ((await sql.moveOrder.run(tx, { id: order.id, from: order.state, ...set })) !== 1)
    throw new Error("An order moved under its lock.");
  return { ...order, ...set };
}

/** Received money counts towards the price. */
export async function count(tx: Tx, order: Order, amount_raw: bigint): Promise<Order> {
  return change(tx, order, {
    received_raw: String(BigInt(order.received_raw) + amount_raw),
    escrow_raw: String(BigInt(order.escrow_raw) + amount_raw),
  });
}

/** Enough has come. A surplus of a unit or more goes back as the last payment would. */
export async function pay(
  tx: Tx,
  order: Order,
  now: Seconds,
  last: { readonly back: string | null },
): Promise<Order> {
  const deliver_by = now + order.sla_hours * HOUR_S;
  const refund_at = deliver_by + LATE_DELIVERY_S;
  const times = { state_since: now, paid_at: now, deliver_by, refund_at };
  const paid = await change(tx, order, { state: "paid", ...times });
  const { received_raw } = order;
  const fields = { received_raw, deliver_by, refund_at };
  await enactSurely(tx, rows.orderPaid, { order_id: order.id, ...fields }, now);
  const surplus = BigInt(received_raw) - BigInt(order.due_raw);
  if (surplus < UNIT_RAW) return paid;
  return owe(tx, paid, now, [{ to: last.back, amount_raw: surplus, why: "surplus" }]);
}

/** Books debts to those who paid. */
export async function owe(
  tx: Tx,
  order: Order,
  now: Seconds,
  debts: readonly Debt[],
): Promise<Order> {
  let owing = order;
  for (const { to, amount_raw, why } of debts) {
    const n = owing.refunds + 1;
    const debt = { order_id: order.id, n, amount_raw: String(amount_raw), why, to_account: to };
    await enactSurely(tx, rows.refundDue, debt, now);
    const escrow_raw = String(BigInt(owing.escrow_raw) - amount_raw);
    owing = await change(tx, owing, { refunds: n, escrow_raw });
  }
  return owing;
}

/** All that is held goes back, to each account what it sent, or to the one that the buyer named. */
async function refund(tx: Tx, order: Order, now: Seconds, why: RefundWhy): Promise<Order> {
  const [payments, refunds] = await Promise.all([
    sql.paymentsOf.all(tx, { order_id: order.id }),
    sql.refundsOf.all(tx, { order_id: order.id }),
  ]);
  const refunding = await change(tx, order, { state: "refund_due", state_since: now });
  const owed = refunds.filter(({ reopened }) => reopened === 0);
  const came = payments.map(({ role, from_account: from, ...payment }) => {
    const amount_raw = BigInt(payment.amount_raw);
    return { amount_raw, back: backTo(refundOf(order), { role, amount_raw, from }) };
  });
  return owe(tx, refunding, now, debtsOf(came, owed, why));
}

/** As much of an order as says to whom a payment goes back. */
export const refundOf = ({ due_raw, refund_address: refund_to }: Order) => ({
  due_raw,
  refund_to,
});

/** The time to pay is over, and what came in it has been found. */
export async function expire(tx: Tx, order: Order, now: Seconds): Promise<Order> {
  await enactSurely(tx, rows.orderExpired, { order_id: order.id }, now);
  if (order.received_raw !== "0") return refund(tx, order, now, "short");
  return change(tx, order, { state: "expired", state_since: now });
}

/** Its buyer does not want it any more, and nothing has come for it. Money that comes later is owed back. */
export async function withdraw(tx: Tx, order: Order, now: Seconds): Promise<Order> {
  await enactSurely(tx, rows.orderExpired, { order_id: order.id, by: "buyer" }, now);
  return change(tx, order, { state: "withdrawn", state_since: now });
}

/** Nothing was delivered in time. */
export async function giveUp(tx: Tx, order: Order, now: Seconds): Promise<Order> {
  await enactSurely(tx, rows.orderUndelivered, { order_id: order.id }, now);
  return refund(tx, order, now, "undelivered");
}

/** What a delivery is stored as. */
interface Content {
  readonly body: string;
  readonly salt: Uint8Array;
  readonly content_sha256: string;
  readonly content_commitment: string;
  readonly bytes: number;
}

/** The first delivery starts the time to look at it; a later one leaves a day of it at least. */
export async function deliver(
  tx: Tx,
  order: Order,
  now: Seconds,
  content: Content,
): Promise<Order> {
  const n = order.deliveries + 1;
  const late: 0 | 1 = now > (order.deliver_by ?? now) ? 1 : 0;
  const accept_by = Math.max(
    order.accept_by ?? now + ACCEPT_WITHIN_S,
    order.accept_by === null ? 0 : now + REACCEPT_WITHIN_S,
  );
  const delivery = { order_id: order.id, n, ...content, late, accept_by };
  await enactSurely(tx, rows.orderDelivered, delivery, now);
  const since = order.state === "paid" ? { state: "delivered" as const, state_since: now } : {};
  return change(tx, order, { ...since, accept_by, deliveries: n });
}

/** The `agent_id` of an order's seller. */
export async function sellerName(db: Db, { seller }: Pick<Order, "seller">): Promise<string> {
  const row = await sql.agentName.first(db, { id: seller });
  if (row === undefined) throw new Error("An order has no seller.");
  return row.agent_id;
}

/** The seller is owed its part; all that is left in escrow is the fee. */
export async function release(
  tx: Tx,
  order: Order,
  now: Seconds,
  by: "buyer" | "deadline" | "operator",
): Promise<Order> {
  const { fee, payoutDue } = releaseOf(order, await sellerName(tx, order));
  const times = { state: "released" as const, state_since: now };
  const released = await change(tx, order, { ...times, escrow_raw: "0" });
  await enactSurely(tx, rows.orderReleased, { order_id: order.id, by }, now);
  await enactSurely(tx, rows.fee, fee, now);
  await enactSurely(tx, rows.payoutDue, payoutDue, now);
  return released;
}

/** The hold that stops the clock of an order. */
function holdOf(order: Order, now: Seconds) {
  if (order.state !== "paid" && order.state !== "delivered")
    throw new Error("An order is held before its release.");
  const from_state = order.state;
  const deadline = (from_state === "paid" ? order.refund_at : order.accept_by) ?? now;
  return { order_id: order.id, n: order.holds + 1, from_state, remaining_s: deadline - now };
}

const stopped = (tx: Tx, order: Order, now: Seconds, disputed: number): Promise<Order> =>
  change(tx, order, {
    state: "held",
    state_since: now,
    held_until: now + HOLD_MAX_S,
    holds: order.holds + 1,
    disputed,
  });

/** The operator stops the clock. */
export async function hold(
  tx: Tx,
  order: Order,
  now: Seconds,
  { reason }: { readonly reason: string },
): Promise<Order> {
  const said = { reason, salt: null, reason_sha256: sha256Hex(reason) };
  await enactSurely(tx, rows.orderHeld, { ...holdOf(order, now), ...said }, now);
  return stopped(tx, order, now, order.disputed);
}

/** The buyer stops the clock: the reason is for the parties and the operator, and sealed as a commitment. */
export async function dispute(
  tx: Tx,
  order: Order,
  now: Seconds,
  { reason, salt }: { readonly reason: string; readonly salt: Uint8Array },
): Promise<Order> {
  const said = { reason, salt, reason_commitment: commitment(salt, Buffer.from(reason)) };
  await enactSurely(tx, rows.orderDisputed, { ...holdOf(order, now), ...said }, now);
  return stopped(tx, order, now, 1);
}

/** A hold ends; an order that goes on has all its time again, and three days at least. */
export async function resolve(
  tx: Tx,
  held: Order,
  now: Seconds,
  { outcome, by, reason }: HoldEnd,
): Promise<Order> {
  const order = await change(tx, held, { held_until: null });
  const named = { order_id: order.id, n: order.holds };
  const ended = await sql.holdOf.first(tx, named);
  const said = { ...named, outcome, by, outcome_reason: reason };
  if ((await enact(tx, rows.orderResolved, said, now)) === undefined || ended === undefined)
    throw new Error("A held order has an open hold.");
  if (outcome === "release") return release(tx, order, now, by === "buyer" ? "buyer" : "operator");
  if (outcome === "refund") return refund(tx, order, now, by === "seller" ? "seller" : "operator");
  const more_s = Math.max(0, AFTER_HOLD_MIN_S - ended.remaining_s);
  const held_s = now - ended.at + more_s;
  const later = (time: Seconds | null) => (time === null ? null : time + held_s);
  return change(tx, order, {
    state: ended.from_state,
    state_since: now,
    deliver_by: later(order.deliver_by),
    refund_at: later(order.refund_at),
    accept_by: later(order.accept_by),
  });
}
