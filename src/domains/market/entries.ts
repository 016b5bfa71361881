import { actFields, entryKind, field } from "../../platform/kernel/contract/entry-kind.ts";
import { ADDRESS_WAIT_S, CURRENCIES, txidFields } from "../transfers/rules.ts";
import { ENDED_BY, OUTCOMES, PAY_WITHIN_S, PAYMENT_ROLES, REFUND_WHYS } from "./rules.ts";

export const offer = entryKind({
  kind: "offer",
  ref: "<offer_id>",
  fields: {
    offer_id: field.id,
    agent: field.agent,
    capability_sha256: field.hex64,
    title_sha256: field.hex64,
    description_sha256: field.hex64,
    price_usd_micro: field.amount,
    sla_hours: field.id,
    flagged: field.text.optional(),
    ...actFields,
  },
  signed: {
    fields: [
      "agent",
      "capability_sha256",
      "title_sha256",
      "description_sha256",
      "price_usd_micro",
      "sla_hours",
    ],
  },
  readers: {
    route: "/market/offer/",
    found: { as: "offer", title: "title", texts: ["description", "title", "capability"] },
  },
  when: "`POST /market/offer`",
});

const flag = { offer_id: field.id, rule: field.text, reason_sha256: field.hex64.optional() };

export const offerFlagged = entryKind({
  kind: "offer_flagged",
  ref: "<offer_id>/<n>",
  fields: flag,
  readers: { concerns: [{ why: "moderation", of: "market_offer", key: "offer_id" }] },
  when: "The operator flags an offer",
});

export const offerUnflagged = entryKind({
  kind: "offer_unflagged",
  ref: "<offer_id>/<n>",
  fields: flag,
  readers: { concerns: [{ why: "moderation", of: "market_offer", key: "offer_id" }] },
  when: "The operator takes the flag of an offer away",
});

export const offerWithdrawn = entryKind({
  kind: "offer_withdrawn",
  ref: "<offer_id>",
  fields: { offer_id: field.id, ...actFields },
  signed: { fields: ["offer_id"] },
  readers: { changes: "offer" },
  when: "`POST /market/offer/withdraw`",
});

export const payoutAddress = entryKind({
  kind: "payout_address",
  ref: "<agent>/<n>",
  fields: {
    agent: field.agent,
    address_sha256: field.hex64,
    usable_from: field.time,
    ...actFields,
  },
  signed: { fields: ["agent", "address_sha256"] },
  time: { field: "usable_from", after_s: ADDRESS_WAIT_S },
  when: "`POST /market/payout-address`",
});

export const order = entryKind({
  kind: "order",
  ref: "<order_id>",
  fields: {
    order_id: field.id,
    offer_id: field.id,
    buyer: field.agent,
    seller: field.agent,
    escrow: field.text,
    price_usd_micro: field.amount,
    fee_usd_micro: field.amount,
    seller_usd_micro: field.amount,
    sla_hours: field.id,
    due_raw: field.raw,
    fee_raw: field.raw,
    seller_raw: field.raw,
    rate: field.decimal,
    rate_source: field.text,
    expires_at: field.time,
    refund_address_sha256: field.hex64.optional(),
    ...actFields,
  },
  signed: { fields: ["offer_id", "buyer", "price_usd_micro", "refund_address_sha256"] },
  time: { field: "expires_at", after_s: PAY_WITHIN_S },
  readers: {
    route: "/market/order?id=",
    concerns: [{ why: "order", of: "market_order", key: "order_id" }],
    doer: { of: "agent", key: "buyer" },
  },
  when: "`POST /market/order`",
});

export const orderPayment = entryKind({
  kind: "order_payment",
  ref: "<order_id>/<n>",
  fields: {
    order_id: field.id,
    n: field.id,
    currency: field.oneOf(CURRENCIES),
    ...txidFields,
    amount_raw: field.raw,
    checked: field.fact,
    role: field.oneOf(PAYMENT_ROLES),
    from_sha256: field.hex64.optional(),
    receive_txid: txidFields.txid,
    reason_sha256: field.hex64.optional(),
    unmatched: field.oneOf([1]).optional(),
  },
  readers: { concerns: [{ why: "order", of: "market_order", key: "order_id" }] },
  when: "The watcher finds a payment, or the operator records one",
});

const hash = field.like(/^[0-9A-F]{64}$/);

export const paymentUnmatched = entryKind({
  kind: "payment_unmatched",
  ref: "<txid>",
  fields: { txid: hash, amount_raw: field.raw, from: field.text, made_at: field.time },
  when: "The watcher finds a payment that names no order: it is owed to its sender",
});

export const paymentRefunded = entryKind({
  kind: "payment_refunded",
  ref: "<txid>",
  fields: {
    txid: hash,
    sent_txid: hash,
    to: field.text,
    amount_raw: field.raw,
    redirected: field.oneOf([1]).optional(),
    reason_sha256: field.hex64.optional(),
    made_at: field.time,
  },
  when: "The operator has sent it back",
});

export const doubtDismissed = entryKind({
  kind: "doubt_dismissed",
  ref: "<txid>/<made_at>",
  fields: {
    txid: hash,
    amount_raw: field.raw.optional(),
    reason_sha256: field.hex64,
    made_at: field.time,
  },
  when: "The operator ends a doubt about a transfer that nobody has proven",
});

export const orderPaid = entryKind({
  kind: "order_paid",
  ref: "<order_id>",
  fields: {
    order_id: field.id,
    received_raw: field.raw,
    deliver_by: field.time,
    refund_at: field.time,
    made_at: field.time,
  },
  readers: { concerns: [{ why: "order", of: "market_order", key: "order_id" }] },
  when: "Enough has come for an order",
});

export const orderExpired = entryKind({
  kind: "order_expired",
  ref: "<order_id>",
  fields: {
    order_id: field.id,
    by: field.oneOf(["buyer"]).optional(),
    made_at: field.time,
  },
  readers: { concerns: [{ why: "order", of: "market_order", key: "order_id" }] },
  when: "The time to pay is over, or its buyer withdraws it unpaid (`by`)",
});

export const orderDelivered = entryKind({
  kind: "order_delivered",
  ref: "<order_id>/<n>",
  fields: {
    order_id: field.id,
    n: field.id,
    content_commitment: field.hex64,
    bytes: field.amount,
    late: field.fact,
    accept_by: field.time,
    made_at: field.time,
    ...actFields,
  },
  signed: { fields: ["order_id", "content_commitment"] },
  readers: {
    concerns: [{ why: "order", of: "market_order", key: "order_id" }],
    doer: { of: "market_order", key: "order_id", party: 1 },
  },
  when: "`POST /market/deliver`",
});

export const orderUndelivered = entryKind({
  kind: "order_undelivered",
  ref: "<order_id>",
  fields: { order_id: field.id, made_at: field.time },
  readers: { concerns: [{ why: "order", of: "market_order", key: "order_id" }] },
  when: "Nothing was delivered until `refund_at`",
});

export const orderReleased = entryKind({
  kind: "order_released",
  ref: "<order_id>",
  fields: {
    order_id: field.id,
    by: field.oneOf(["buyer", "deadline", "operator"]),
    made_at: field.time,
    ...actFields,
  },
  signed: { fields: ["order_id"], only: { by: ["buyer"] } },
  readers: {
    concerns: [{ why: "order", of: "market_order", key: "order_id" }],
    doer: { of: "market_order", key: "order_id", by: "by" },
  },
  when: "`POST /market/accept`, or `accept_by` passes, or the operator ends a hold so",
});

export const fee = entryKind({
  kind: "fee",
  ref: "<order_id>",
  fields: { order_id: field.id, usd_micro: field.amount, amount_raw: field.raw },
  when: "After `order_released`",
});

export const payoutDue = entryKind({
  kind: "payout_due",
  ref: "<order_id>",
  fields: {
    order_id: field.id,
    agent: field.agent,
    usd_micro: field.amount,
    amount_raw: field.raw,
  },
  when: "After `fee`",
});

const sent = {
  currency: field.oneOf(CURRENCIES),
  ...txidFields,
  to: field.text.optional(),
  amount_raw: field.raw,
  checked: field.fact,
  reason_sha256: field.hex64.optional(),
};

export const payout = entryKind({
  kind: "payout",
  ref: "<order_id>[/<n>]",
  fields: {
    order_id: field.id,
    n: field.id.optional(),
    agent: field.agent,
    ...sent,
    made_at: field.time,
  },
  readers: { concerns: [{ why: "order", of: "market_order", key: "order_id" }] },
  when: "The operator records that it has paid the seller",
});

export const payoutReopened = entryKind({
  kind: "payout_reopened",
  ref: "<order_id>[/<n>]",
  fields: { order_id: field.id, n: field.id.optional(), amount_raw: field.raw },
  when: "The chain does not show a payout that was recorded, so the seller is owed again",
});

export const refundDue = entryKind({
  kind: "refund_due",
  ref: "<order_id>/<n>",
  fields: {
    order_id: field.id,
    n: field.id,
    amount_raw: field.raw,
    why: field.oneOf(REFUND_WHYS),
    to_sha256: field.hex64.optional(),
  },
  readers: { concerns: [{ why: "order", of: "market_order", key: "order_id" }] },
  when: "The network owes something to somebody who paid",
});

/** Of a transfer that paid several debts: their numbers, the oldest first, and their list prices in sum. */
const several = {
  debts: field.like(/^[1-9][0-9]*(,[1-9][0-9]*)+$/).optional(),
  usd_micro: field.amount.optional(),
};

export const refund = entryKind({
  kind: "refund",
  ref: "<order_id>/<n>",
  fields: {
    order_id: field.id,
    n: field.id,
    ...sent,
    ...several,
    redirected: field.oneOf([1]).optional(),
    ends: field.oneOf([1]).optional(),
    made_at: field.time,
  },
  readers: { concerns: [{ why: "order", of: "market_order", key: "order_id" }] },
  when: "The operator records that it has paid a debt, or several to one account",
});

export const refundReopened = entryKind({
  kind: "refund_reopened",
  ref: "<order_id>/<n>",
  fields: { order_id: field.id, n: field.id, amount_raw: field.raw, ...several },
  when: "The chain does not show a refund that was recorded, so it is owed again",
});

export const transferChecked = entryKind({
  kind: "transfer_checked",
  ref: "<of>",
  fields: {
    order_id: field.id,
    of: field.like(/^(payout\/[0-9]+(\/[0-9]+)?|refund\/[0-9]+\/[0-9]+)$/),
    found: field.oneOf(["ok", "mismatch", "not_found", "silence"]),
    to: field.text.optional(),
    amount_raw: field.raw.optional(),
    made_at: field.time,
  },
  when: "The chain has said what became of a transfer that was recorded with `checked` 0",
});

export const debtSettled = entryKind({
  kind: "debt_settled",
  ref: "<order_id>/<n>",
  fields: {
    order_id: field.id,
    n: field.id,
    agent: field.agent,
    debts: field.like(/^(payout|[0-9]+(,[0-9]+)*)$/),
    amount_raw: field.raw,
    currency: field.oneOf(["xmr", "btc", "other"]),
    txid_sha256: field.hex64.optional(),
    made_at: field.time,
    ...actFields,
  },
  signed: {
    fields: ["order_id", "agent", "debts", "amount_raw", "currency", "txid_sha256"],
  },
  readers: {
    concerns: [{ why: "order", of: "market_order", key: "order_id" }],
    doer: { of: "agent", key: "agent" },
  },
  when: "`POST /market/settle`: the creditor has been paid in another way",
});

export const orderHeld = entryKind({
  kind: "order_held",
  ref: "<order_id>/<n>",
  fields: {
    order_id: field.id,
    n: field.id,
    from_state: field.oneOf(["paid", "delivered"]),
    remaining_s: field.whole,
    reason_sha256: field.hex64,
    made_at: field.time,
  },
  readers: { concerns: [{ why: "order", of: "market_order", key: "order_id" }] },
  when: "The operator stops an order's clock",
});

export const orderDisputed = entryKind({
  kind: "order_disputed",
  ref: "<order_id>",
  fields: {
    order_id: field.id,
    n: field.id,
    remaining_s: field.whole,
    reason_commitment: field.hex64,
    made_at: field.time,
    ...actFields,
  },
  signed: { fields: ["order_id", "reason_commitment"] },
  readers: {
    concerns: [{ why: "order", of: "market_order", key: "order_id" }],
    doer: { of: "market_order", key: "order_id", party: 0 },
  },
  when: "`POST /market/dispute`: the clock of a delivered order stops as by a hold with the number `n`",
});

export const orderResolved = entryKind({
  kind: "order_resolved",
  ref: "<order_id>/<n>",
  fields: {
    order_id: field.id,
    n: field.id,
    outcome: field.oneOf(OUTCOMES),
    by: field.oneOf(ENDED_BY),
    reason_sha256: field.hex64,
    made_at: field.time,
    ...actFields,
  },
  // A buyer that accepts signs the `order_released` that follows.
  signed: {
    fields: ["order_id", "outcome"],
    only: { by: ["buyer", "seller"], outcome: ["resume", "refund"] },
  },
  readers: {
    concerns: [{ why: "order", of: "market_order", key: "order_id" }],
    doer: { of: "market_order", key: "order_id", by: "by" },
  },
  when: "The operator ends a hold, or 30 days do, or a party ends a dispute: `POST /market/dispute/withdraw`, `POST /market/accept`, `POST /market/refund`",
});
