import { HOUR_S, type Seconds } from "../../../platform/kernel/time.ts";
import { fault, refusal } from "../../../platform/ledger/transition.ts";
import { isTagged, taggedId, UNIT_RAW } from "../amounts.ts";
import * as entries from "../entries.ts";
import * as rules from "../rules.ts";
import { backTo, dueBack, owed } from "./debts.ts";
import { isNamed, NAMED, UNSAID, wordOf } from "./named-transfers.ts";
import type { Columns, KnownOrder, MarketState } from "./order-state.ts";
import { inState, isOver, more, stateRefusal, step } from "./step.ts";

export const roleOf = (state: rules.State, isManual: boolean): rules.PaymentRole => {
  if (state === "awaiting_payment") return isManual ? "manual" : "payment";
  return rules.isUnpaidEnd(state) ? "late" : "extra";
};

/** The order that the digits of an amount name. */
function namedIn(orders: MarketState["orders"], amount_raw: bigint): KnownOrder | undefined {
  const order = orders.get(taggedId(amount_raw) ?? 0);
  return order !== undefined && isTagged(amount_raw, order) ? order : undefined;
}

const missing = ({ due_raw, received_raw }: Columns): bigint =>
  BigInt(due_raw) - BigInt(received_raw);

export const orderPayment = step(entries.orderPayment, {
  asks: ["paid"],
  takes: ["debts"],
  refuses: {
    role: fault("The role of a payment follows from the state of its order."),
    count: fault("An order's payments are counted from 1."),
    named: NAMED,
    reason: UNSAID,
    missing: fault("A payment in another currency is exactly the part that is missing."),
    sender: fault("A payment that the chain has shown names the hash of its sender."),
    other: fault("Its digits name another order, and no reason is given."),
    stranger: fault("Its digits name no order, and its sender has not paid for this one."),
    unmatched: fault(
      "It says that it was sealed as a payment without an order, if and only if it was.",
    ),
  },
  drafts: ({ payments }) => ({ n: payments + 1 }),
  beyond: ({ orders, unmatched }, { body }) => ({
    isUnmatched: unmatched.has(body.txid ?? ""),
    named: body.currency === "xno" ? namedIn(orders, BigInt(body.amount_raw))?.id : undefined,
  }),
  rule(order, { body }, { refuses, beyond: { isUnmatched, named } }) {
    if ((body.unmatched === 1) !== isUnmatched) return refuses.unmatched;
    if (body.role !== roleOf(order.state, body.role === "manual")) return refuses.role;
    if (body.n !== order.payments + 1) return refuses.count;
    if (!isNamed(body)) return refuses.named;
    const amount_raw = BigInt(body.amount_raw);
    if (body.currency !== "xno" || body.checked === 0) {
      if (body.reason_sha256 === undefined) return refuses.reason;
      const isMissing = body.currency === "xno" || amount_raw === missing(order);
      return isMissing ? undefined : refuses.missing;
    }
    if (body.from_sha256 === undefined) return refuses.sender;
    if (isTagged(amount_raw, order)) return undefined;
    if (named !== undefined) return body.reason_sha256 === undefined ? refuses.other : undefined;
    const isPayer = order.paid.some(({ from }) => from !== null && from === body.from_sha256);
    return body.role === "payment" && !isPayer ? refuses.stranger : undefined;
  },
  moves(order, { body }) {
    const { paid, received_raw, escrow_raw, payments, state } = order;
    const { role } = body;
    const amount_raw = BigInt(body.amount_raw);
    const came = { role, amount_raw, from: body.from_sha256 ?? null };
    return {
      paid: [...paid, { ...came, back: backTo(order, came) }],
      payments: payments + 1,
      received_raw: rules.isCounted(role) ? more(received_raw, amount_raw) : received_raw,
      escrow_raw: more(escrow_raw, amount_raw),
      state: body.role === "late" ? "refund_due" : state,
    };
  },
  entails(after, { body: { role, amount_raw } }) {
    const to = after.paid.at(-1)?.back ?? null;
    if (role === "late" || role === "extra")
      return [dueBack(after, 0, { to, amount_raw: BigInt(amount_raw), why: role })];
    const { id: order_id, received_raw } = after;
    const isEnough = BigInt(received_raw) >= BigInt(after.base_raw);
    return isEnough ? [{ kind: "order_paid", body: { order_id, received_raw } }] : [];
  },
  spends({ unmatched }, { body }) {
    unmatched.delete(body.txid ?? "");
  },
  word({ body }, { order, beyond }) {
    const named = beyond?.named;
    if (named !== undefined && named !== order?.id) return "payments that name another order";
    return body.role === "manual" ? "payments by hand" : wordOf("payments", body);
  },
});

/** The times of an order that is paid now. */
const timesOf = ({ sla_hours }: Columns, now: Seconds) => {
  const deliver_by = now + sla_hours * HOUR_S;
  return { deliver_by, refund_at: deliver_by + rules.LATE_DELIVERY_S };
};

export const orderPaid = step(entries.orderPaid, {
  isEntailed: true,
  takes: ["paid", "debts"],
  refuses: {
    deliver: fault("A seller has the offer's delivery time from the payment on."),
    refund: fault("A late seller may deliver for 24 hours more."),
  },
  drafts: timesOf,
  rule(order, entry, { refuses }) {
    const { deliver_by, refund_at } = entry.body;
    const first = timesOf(order, entry.earliest);
    const last = timesOf(order, entry.latest);
    if (deliver_by < first.deliver_by || deliver_by > last.deliver_by) return refuses.deliver;
    const left_s = refund_at - deliver_by;
    return left_s === first.refund_at - first.deliver_by ? undefined : refuses.refund;
  },
  moves: (_, { body: { deliver_by, refund_at } }) => ({ state: "paid", deliver_by, refund_at }),
  entails(after) {
    const surplus = -missing(after);
    const to = after.paid.at(-1)?.back ?? null;
    return surplus < UNIT_RAW
      ? []
      : [dueBack(after, 0, { to, amount_raw: surplus, why: "surplus" })];
  },
});

export const orderExpired = step(entries.orderExpired, {
  takes: ["paid", "debts"],
  refuses: {
    state: stateRefusal,
    early: fault("The hour to pay, and ten minutes more, are not over."),
    paid: refusal(
      "invalid_state",
      "A part of the price has come. Pay the rest, or it is owed back when the time to pay is over.",
    ),
  },
  rule(order, entry, { refuses }) {
    if (order.state !== "awaiting_payment") return inState(refuses.state, order.state);
    if (entry.body.by === "buyer") return order.received_raw === "0" ? undefined : refuses.paid;
    const ends_at = order.expires_at + rules.EXPIRY_GRACE_S;
    return isOver(ends_at, entry) ? undefined : refuses.early;
  },
  moves({ received_raw }, { body }) {
    if (body.by === "buyer") return { state: "withdrawn" };
    return { state: received_raw === "0" ? "expired" : "refund_due" };
  },
  entails: (after) => owed(after, "short"),
});
