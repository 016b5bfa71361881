import type { Db, Tx } from "../../db/engine.ts";
import type { Body, EntryKind, Shape } from "../../kernel/contract/entry-kind.ts";
import { HOUR_S, type Seconds } from "../../kernel/time.ts";
import { append } from "../../ledger/append.ts";
import { sha256Hex, sha256IfAny } from "../../ledger/sha256.ts";
import { releaseOf, UNIT_RAW } from "../amounts.ts";
import { commitment } from "../commitment.ts";
import * as entries from "../entries.ts";
import * as sql from "../queries.ts";
import {
  ACCEPT_WITHIN_S,
  AFTER_HOLD_MIN_S,
  HOLD_MAX_S,
  LATE_DELIVERY_S,
  type OrderKind,
  type Outcome,
  REACCEPT_WITHIN_S,
  type RefundWhy,
} from "../rules.ts";
import { backTo, type Debt, debtsOf } from "../steps/refund-split.ts";

/**
 * One function for each row of the table of states. Each gets an order under its lock and resolves
 * to the order as it left it; rows and entries are one transaction with the rest of the write.
 */
type Order = sql.OrderRow;

/** A kind of entry that stands in the history of its order; its body holds every part of its ref. */
type OrderEntry<Fields extends Shape> = EntryKind<string, Fields> & {
  readonly kind: OrderKind;
};

/** Appends an entry of an order that was made at `at`, and the line in the history that its parties see. */
export async function record<Fields extends Shape>(
  tx: Tx,
  at: Seconds,
  entry: OrderEntry<Fields>,
  body: Body<Fields> & { readonly order_id: number },
): Promise<void> {
  const ref = append(tx, entry, "made_at" in entry.fields ? { ...body, made_at: at } : body);
  await sql.insertHistory.run(tx, { order_id: body.order_id, at, kind: entry.kind, ref });
}

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
  await record(tx, now, entries.orderPaid, { order_id: order.id, ...fields });
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
    const debt = { n, amount_raw: String(amount_raw), why };
    await sql.insertRefund.run(tx, { order_id: order.id, ...debt, to_account: to, at: now });
    const fields = { order_id: order.id, ...debt, to_sha256: sha256IfAny(to) };
    await record(tx, now, entries.refundDue, fields);
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
  await record(tx, now, entries.orderExpired, { order_id: order.id });
  if (order.received_raw !== "0") return refund(tx, order, now, "short");
  return change(tx, order, { state: "expired", state_since: now });
}

/** Its buyer does not want it any more, and nothing has come for it. Money that comes later is owed back. */
export async function withdraw(tx: Tx, order: Order, now: Seconds): Promise<Order> {
  await record(tx, now, entries.orderExpired, { order_id: order.id, by: "buyer" });
  return change(tx, order, { state: "expired", state_since: now });
}

/** Nothing was delivered in time. */
export async function giveUp(tx: Tx, order: Order, now: Seconds): Promise<Order> {
  await record(tx, now, entries.orderUndelivered, { order_id: order.id });
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
  { body, salt, content_sha256, content_commitment, bytes }: Content,
): Promise<Order> {
  const n = order.deliveries + 1;
  const order_id = order.id;
  const late = now > (order.deliver_by ?? now) ? 1 : 0;
  const accept_by = Math.max(
    order.accept_by ?? now + ACCEPT_WITHIN_S,
    order.accept_by === null ? 0 : now + REACCEPT_WITHIN_S,
  );
  const stored = { order_id, n, body, salt, content_sha256, late, at: now };
  await sql.insertDelivery.run(tx, stored);
  const since = order.state === "paid" ? { state: "delivered" as const, state_since: now } : {};
  const delivered = await change(tx, order, { ...since, accept_by, deliveries: n });
  const fields = { order_id, n, content_commitment, bytes, accept_by };
  await record(tx, now, entries.orderDelivered, { ...fields, late });
  return delivered;
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
  await record(tx, now, entries.orderReleased, { order_id: order.id, by });
  await record(tx, now, entries.fee, fee);
  await record(tx, now, entries.payoutDue, payoutDue);
  return released;
}

/** Stops the clock of an order; the hold that does. */
async function stop(
  tx: Tx,
  order: Order,
  now: Seconds,
  { reason, salt }: { readonly reason: string; readonly salt: Uint8Array | null },
) {
  if (order.state !== "paid" && order.state !== "delivered")
    throw new Error("An order is held before its release.");
  const n = order.holds + 1;
  const from_state = order.state;
  const deadline = (from_state === "paid" ? order.refund_at : order.accept_by) ?? now;
  const remaining_s = deadline - now;
  const stopped = { order_id: order.id, n, from_state, remaining_s, reason, salt, at: now };
  await sql.insertHold.run(tx, stopped);
  const held_until = now + HOLD_MAX_S;
  const disputed = salt === null ? order.disputed : 1;
  const set = { state_since: now, holds: n, held_until, disputed };
  const held = await change(tx, order, { state: "held", ...set });
  return { held, n, from_state, remaining_s };
}

/** The operator stops the clock. */
export async function hold(
  tx: Tx,
  order: Order,
  now: Seconds,
  { reason }: { readonly reason: string },
): Promise<Order> {
  const { held, ...fields } = await stop(tx, order, now, { reason, salt: null });
  const reason_sha256 = sha256Hex(reason);
  await record(tx, now, entries.orderHeld, { order_id: order.id, ...fields, reason_sha256 });
  return held;
}

/** The buyer stops the clock: the reason is for the parties and the operator, and sealed as a commitment. */
export async function dispute(
  tx: Tx,
  order: Order,
  now: Seconds,
  said: { readonly reason: string; readonly salt: Uint8Array },
): Promise<Order> {
  const { held, n, remaining_s } = await stop(tx, order, now, said);
  const reason_commitment = commitment(said.salt, Buffer.from(said.reason));
  const fields = { order_id: order.id, n, remaining_s, reason_commitment, made_at: now };
  await record(tx, now, entries.orderDisputed, fields);
  return held;
}

/** How a hold ends. */
interface Resolution {
  readonly outcome: Outcome;
  readonly by: "operator" | "deadline";
  readonly reason: string;
}

/** A hold ends; an order that goes on has all its time again, and three days at least. */
export async function resolve(
  tx: Tx,
  held: Order,
  now: Seconds,
  { outcome, by, reason }: Resolution,
): Promise<Order> {
  const order = await change(tx, held, { held_until: null });
  const n = order.holds;
  const stopped = await sql.holdOf.first(tx, { order_id: order.id, n });
  const said = { outcome, outcome_reason: reason, resolved_at: now };
  if ((await sql.resolveHold.run(tx, { order_id: order.id, n, ...said })) !== 1 || !stopped)
    throw new Error("A held order has an open hold.");
  const fields = { order_id: order.id, n, outcome, by };
  await record(tx, now, entries.orderResolved, { ...fields, reason_sha256: sha256Hex(reason) });
  if (outcome === "release") return release(tx, order, now, "operator");
  if (outcome === "refund") return refund(tx, order, now, "operator");
  const more_s = Math.max(0, AFTER_HOLD_MIN_S - stopped.remaining_s);
  const held_s = now - stopped.at + more_s;
  const later = (time: Seconds | null) => (time === null ? null : time + held_s);
  return change(tx, order, {
    state: stopped.from_state,
    state_since: now,
    deliver_by: later(order.deliver_by),
    refund_at: later(order.refund_at),
    accept_by: later(order.accept_by),
  });
}
