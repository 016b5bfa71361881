import type * as z from "zod";
import type { Db } from "../../../platform/db/engine.ts";
import { cutParts } from "../../../platform/kernel/contract/page.ts";
import { xnoOf } from "../../../platform/kernel/nano.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { rateText } from "../../transfers/rules.ts";
import { splitOf, toCompleteRaw } from "../amounts.ts";
import { commitment } from "../commitment.ts";
import { doubtsOfOrder } from "../doubts/queries.ts";
import * as sql from "../queries.ts";
import {
  actionsOf,
  type Block,
  DELIVERIES_MAX,
  deadlineOf,
  ORDER_LISTS_MAX,
  type Role,
} from "../rules.ts";
import type { delivery, invoice, order } from "../shapes.ts";
import { INVOICE_EXACT } from "../texts.ts";
import * as addresses from "./address-queries.ts";
import { isContested } from "./contested.ts";
import * as views from "./view-queries.ts";

type Order = z.output<typeof order>;
type StoredDelivery = Awaited<ReturnType<typeof views.deliveriesOf.all>>[number];
type Sums = NonNullable<Awaited<ReturnType<typeof views.orderSums.first>>>;

const UNPROVEN_SHOWN_MAX = 10;

interface Wanted {
  readonly order_id: number;
  readonly role: Role;
  /** Of the deliveries only this one. */
  readonly delivery: number | undefined;
}

/**
 * An order as one of its parties sees it; the other's own matters are left out. Its lists show what is
 * newest, in the order of time, and the whole of it stays within `PAGE_MAX_BYTES`.
 */
export async function viewOrder(
  read: Db,
  { order_id, role, delivery: n }: Wanted,
  { now, payWithin_s }: { readonly now: Seconds; readonly payWithin_s: Seconds },
): Promise<Order> {
  const order = await sql.orderById.first(read, { id: order_id });
  if (order === undefined) throw new Error("An order has gone.");
  const none = Promise.resolve([]);
  const unproven = { order_id, limit: UNPROVEN_SHOWN_MAX };
  const newest = { order_id, limit: ORDER_LISTS_MAX };
  const [around, sums, payout, payments, doubts, deliveries, refunds, hold, history] =
    await Promise.all([
      views.orderSurroundings.first(read, { id: order_id }),
      views.orderSums.first(read, { order_id }),
      payoutOf(read, order, now),
      order.payments === 0 ? none : views.newestPayments.all(read, newest),
      role === "seller" ? none : doubtsOfOrder.all(read, unproven),
      order.deliveries === 0 ? none : views.deliveriesOf.all(read, { order_id }),
      order.refunds === 0 ? none : views.newestRefunds.all(read, newest),
      order.holds === 0 ? undefined : sql.holdOf.first(read, { order_id, n: order.holds }),
      views.newestSteps.all(read, newest),
    ]);
  if (around === undefined || sums === undefined)
    throw new Error("An order has no offer or no parties.");
  const { title, capability } = around;
  const split = splitOf(order);
  const buyer = { agent_id: around.buyer_id, handle: around.buyer_handle };
  const view = {
    id: order_id,
    offer_id: order.offer,
    title,
    capability,
    role,
    state: order.state,
    ...deadlineOf(order),
    allowed_actions: actionsOf(
      { ...order, isContested: isContested(order, hold) },
      role,
      payout.blocked,
      now,
    ),
    ...owedBy(order, sums.owed_since, now - payWithin_s),
    state_since: order.state_since,
    created_at: order.created_at,
    buyer,
    seller: { agent_id: around.seller_id, handle: around.seller_handle },
    price_usd: split.price_usd,
    split,
    ...(role === "seller"
      ? { payout }
      : { invoice: invoiceOf(order), client_ref: order.client_ref, unproven: doubts }),
    payment: paymentOf(order, sums),
    sla_hours: order.sla_hours,
    deliver_by: order.deliver_by,
    refund_at: order.refund_at,
    accept_by: order.accept_by,
    deliveries_count: deliveries.length,
    refunds_count: order.refunds,
    hold: hold === undefined ? null : showHold(hold, buyer),
    history_count: sums.steps ?? 0,
  };
  const bodies = n === undefined ? deliveries : deliveries.filter((each) => each.n === n);
  const shown = cutParts(
    {
      views: [{ ok: true, order: view, ...NO_LISTS }],
      payments: payments.map(showPayment),
      refunds: refunds.map(showRefund),
      history,
      deliveries: bodies.map(showContent).toReversed(),
    },
    LISTS_MAX,
  );
  return {
    ...view,
    payment: view.payment && { ...view.payment, payments: shown.payments.toReversed() },
    deliveries: shown.deliveries.toReversed(),
    deliveries_more: shown.deliveries_more,
    refunds: shown.refunds.toReversed(),
    history: shown.history.toReversed(),
  };
}

/** The names of the lists, which are part of the answer, too. */
const NO_LISTS = { payments: [], deliveries: [], deliveries_more: false, refunds: [], history: [] };

const LISTS_MAX = {
  views: 1,
  payments: ORDER_LISTS_MAX,
  refunds: ORDER_LISTS_MAX,
  history: ORDER_LISTS_MAX,
  deliveries: DELIVERIES_MAX,
};

type StoredPayment = Awaited<ReturnType<typeof views.newestPayments.all>>[number];
type StoredRefund = Awaited<ReturnType<typeof views.newestRefunds.all>>[number];

const showPayment = ({ n, txid, amount_raw, role, from_account: from, at }: StoredPayment) => ({
  n,
  txid,
  amount_raw,
  role,
  from,
  at,
});

/** Since when the operator owes a transfer, and whether that is longer than it means to. */
function owedBy(
  { state, state_since }: sql.OrderRow,
  refund_since: Seconds | null,
  before: Seconds,
) {
  const since = [state === "released" ? state_since : null, refund_since].filter(
    (at) => at !== null,
  );
  const owed_since = since.length === 0 ? null : Math.min(...since);
  return { owed_since, overdue: owed_since !== null && owed_since < before };
}

function refundState({ txid, reopened }: StoredRefund) {
  if (txid === null) return "due";
  return reopened === 1 ? "reopened" : "sent";
}

const showRefund = (debt: StoredRefund): Order["refunds"][number] => ({
  n: debt.n,
  amount_raw: debt.amount_raw,
  why: debt.why,
  state: refundState(debt),
  to: debt.txid === null ? debt.to_account : debt.sent_to,
  txid: debt.txid,
  at: debt.sent_at ?? debt.at,
});

const showContent = (stored: StoredDelivery) => ({
  ...showDelivery(stored),
  body: stored.body,
  verified: false as const,
});

/** What the buyer is to pay, and how. */
function invoiceOf(order: sql.OrderRow): z.output<typeof invoice> {
  const { due_raw } = splitOf(order);
  const address = order.escrow_address;
  return {
    currency: "xno",
    address,
    due_raw,
    to_complete_raw: order.state === "awaiting_payment" ? String(toCompleteRaw(order)) : null,
    due_xno: xnoOf(BigInt(due_raw)),
    uri: `nano:${address}?amount=${due_raw}`,
    refund_address: order.refund_address,
    rate: rateText(BigInt(order.rate_e8)),
    rate_source: order.rate_source,
    expires_at: order.expires_at,
    exact: INVOICE_EXACT,
  };
}

/** A delivery as its seller sees it. */
function showDelivery(stored: StoredDelivery): z.output<typeof delivery> {
  const { n, at, late, body, salt, content_sha256 } = stored;
  const content = Buffer.from(body);
  return {
    n,
    at,
    late: late === 1,
    bytes: content.length,
    content_sha256,
    content_salt: salt.toHex(),
    content_commitment: commitment(salt, content),
  };
}

/** Why a seller cannot be paid now, and where to if it can. */
export async function payoutAddress(
  read: Db,
  seller: number,
  now: Seconds,
): Promise<{ readonly address: string | null; readonly blocked: Block | null }> {
  const inForce = await addresses.addressInForce.first(read, { agent: seller, now });
  if (inForce !== undefined) return { address: inForce.address, blocked: null };
  const last = await addresses.lastAddress.first(read, { agent: seller });
  return { address: null, blocked: last === undefined ? "no_address" : "address_too_new" };
}

async function payoutOf(read: Db, order: sql.OrderRow, now: Seconds) {
  const { seller_raw: amount_raw } = splitOf(order);
  if (order.state === "paid_out") {
    const sent = await sql.payoutOf.first(read, { order_id: order.id });
    if (sent === undefined) throw new Error("An order is paid out and has no payout.");
    const { txid, at: paid_at, to_account: address } = sent;
    return { state: "sent" as const, amount_raw, address, blocked: null, txid, paid_at };
  }
  const state = order.state === "released" ? ("due" as const) : ("none" as const);
  const where = await payoutAddress(read, order.seller, now);
  return { state, amount_raw, ...where, txid: null, paid_at: null };
}

function paymentOf({ paid_at, received_raw, payments }: sql.OrderRow, sums: Sums) {
  if (payments === 0) return null;
  return {
    paid_at,
    received_raw,
    currency: sums.currency ?? ("xno" as const),
    checked: sums.checked === 1,
    payments_count: payments,
  };
}

const showHold = (
  stored: NonNullable<Awaited<ReturnType<typeof sql.holdOf.first>>>,
  buyer: Order["buyer"],
): Order["hold"] => ({
  since: stored.at,
  from_state: stored.from_state,
  remaining_s: stored.remaining_s,
  reason: stored.reason,
  by: stored.salt === null ? "operator" : "buyer",
  from: stored.salt === null ? null : buyer,
  reason_salt: stored.salt?.toHex() ?? null,
  outcome: stored.outcome,
  outcome_reason: stored.outcome_reason,
  ended_by: stored.ended_by,
  resolved_at: stored.resolved_at,
});
