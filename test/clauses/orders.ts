import assert from "node:assert/strict";
import { AGREEMENTS, type HoldEnd } from "../../src/domains/market/rules.ts";
import { ORDER_STEPS } from "../../src/domains/market/steps/order-steps.ts";
import { accountText } from "../../src/platform/chain/account.ts";
import { DAY_S, days, HOUR_S, MINUTE_S } from "../../src/platform/kernel/time.ts";
import { sha256Hex } from "../../src/platform/ledger/sha256.ts";
import { dev } from "../chain-service.ts";
import type { Body, History } from "../history.ts";
import { ESCROW, orderOf, PAYER, paymentOf, txid } from "../order-history.ts";
import {
  ADA,
  BOB,
  begun,
  counted,
  type Forged,
  HASH,
  NOBODY,
  REASON,
  TEXTS,
  whileBanned,
} from "./begun.ts";

// Money of the chain: what is given, and what is sold. Ada sells to Bob.

const SELLER = accountText(dev("dave").key);
const STRANGER = accountText(dev("erin").key);

const own = (history: History, n: number): History =>
  history.add("own_account", { n, role: "escrow", account: ESCROW });

const declare = (history: History, contribution_id: number, more: Body = {}): History =>
  history.add("contribution", {
    ...{ contribution_id, agent: ADA, verification: "declared" },
    ...{ currency: "xmr", txid: HASH, amount: "1" },
    ...more,
  });

const give = (changed: Body, history = begun()): History =>
  declare(history, 1, {
    ...{ currency: "xno", verification: "checked", amount_raw: `${10n ** 30n}`, proof: "chain" },
    ...{ usd_micro: 800_000, rate: "0.8", rate_source: "static:default" },
    from_sha256: sha256Hex(PAYER),
    ...changed,
  });

const supersede = (history: History, contribution_id: number): History =>
  history.add("contribution_superseded", { contribution_id, by: "contribution/9" });

const address = (history: History, n: number, account: string, agent = ADA): History =>
  history.add(
    "payout_address",
    { agent, address_sha256: sha256Hex(account), usable_from: history.now + DAY_S },
    `${agent}/${n}`,
  );

const TERMS = { price_usd_micro: 10_000_000, sla_hours: 72 };
const offer = (history: History, changed: Body = {}): History =>
  history.add("offer", {
    ...{ offer_id: 1, agent: ADA, capability_sha256: HASH, ...TEXTS, ...TERMS },
    ...changed,
  });

const offered = (): History => address(offer(own(begun(), 1)), 1, SELLER).pass(DAY_S);

const flag = (history: History, kind: string, ...numbers: number[]): History =>
  counted(history, kind, { body: { offer_id: 1, rule: "fraud" }, of: "1", numbers });

const order = (history: History, changed: Body = {}): History =>
  history.add("order", orderOf(history, { buyer: BOB, seller: ADA, ...changed }));
const ordered = (changed: Body = {}): History => order(offered(), changed);

const orderIn = ({ entries }: History, n = 1): Body =>
  entries.filter(({ kind }) => kind === "order")[n - 1]?.body ?? assert.fail("no order");

/** A step of the first order as it may come at first. */
function step(history: History, kind: string, changed: Body = {}): History {
  const { now } = history;
  const { due_raw, fee_raw, seller_raw } = orderIn(history);
  const sent = { currency: "xno", txid: txid(), checked: 1 };
  const deliver_by = now + days(3);
  const bodies: Readonly<Record<string, Body>> = {
    order_payment: paymentOf(`${due_raw}`),
    order_paid: { received_raw: due_raw, deliver_by, refund_at: deliver_by + DAY_S },
    order_expired: {},
    order_delivered: {
      n: 1,
      content_commitment: HASH,
      bytes: 1,
      late: 0,
      accept_by: now + days(3),
    },
    order_undelivered: {},
    order_released: { by: "buyer" },
    fee: { usd_micro: 2_000_000, amount_raw: fee_raw },
    payout_due: { agent: ADA, usd_micro: 8_000_000, amount_raw: seller_raw },
    payout: { ...sent, agent: ADA, to: SELLER, amount_raw: seller_raw },
    payout_reopened: { amount_raw: seller_raw },
    refund_due: { n: 1, amount_raw: due_raw, why: "undelivered", to_sha256: sha256Hex(PAYER) },
    refund: { ...sent, n: 1, to: PAYER, amount_raw: due_raw, ends: 1 },
    refund_reopened: { n: 1, amount_raw: due_raw },
    transfer_checked: { of: "payout/1", found: "ok", amount_raw: seller_raw },
    debt_settled: { n: 1, agent: ADA, debts: "payout", amount_raw: seller_raw, currency: "xmr" },
    order_disputed: { n: 1, remaining_s: days(3), reason_commitment: HASH },
    order_held: { n: 1, from_state: "delivered", remaining_s: days(3), ...REASON },
    order_resolved: { n: 1, outcome: "resume", by: "operator", ...REASON },
  };
  return history.add(kind, { order_id: 1, ...(bodies[kind] ?? assert.fail(kind)), ...changed });
}

const steps = (history: History, ...kinds: string[]): History =>
  kinds.reduce((after, kind) => step(after, kind), history);

const paid = (): History => steps(ordered(), "order_payment", "order_paid");
const delivered = (): History => step(paid(), "order_delivered");
const sold = (): History => steps(delivered(), "order_released", "fee", "payout_due");
const unseen = (): History => step(sold(), "payout", { checked: 0, ...REASON });
const overdue = (): History => steps(paid().pass(days(4)), "order_undelivered", "refund_due");
const held = (): History =>
  step(paid(), "order_held", { from_state: "paid", remaining_s: days(4) });
const disputed = (): History => step(delivered(), "order_disputed");

/** The end of a hold in a party's name. */
const agree = (history: History, { by, outcome, reason }: HoldEnd, more: Body = {}): History =>
  step(history, "order_resolved", { by, outcome, reason_sha256: sha256Hex(reason), ...more });

/** A paid order for which two others have come, and one refund of both. */
function refundOfBoth(senders: readonly string[], changed: Body = {}): History {
  const history = paid();
  for (const [i, sender] of senders.entries()) {
    const from = sha256Hex(sender);
    step(history, "order_payment", { n: i + 2, role: "extra", from_sha256: from });
    step(history, "refund_due", { n: i + 1, why: "extra", to_sha256: from });
  }
  const amount_raw = `${2n * BigInt(`${orderIn(history)["due_raw"]}`)}`;
  const both = { debts: "1,2", usd_micro: 20_000_000, amount_raw, ends: undefined };
  return step(history, "refund", { ...both, ...changed });
}

const paying = (changed: Body): History => step(ordered(), "order_payment", changed);

/** A payment of the first order with the digits of the second one. */
function other(): History {
  const history = order(ordered(), { order_id: 2 });
  return step(history, "order_payment", { amount_raw: orderIn(history, 2)["due_raw"] });
}

function stranger(): History {
  const history = ordered();
  const amount_raw = `${BigInt(`${orderIn(history)["due_raw"]}`) + 1n}`;
  return step(history, "order_payment", { amount_raw });
}

const HAND = { checked: 0, role: "manual", from_sha256: undefined };
const UNNAMED = { txid: undefined, txid_sha256: HASH };
const CASH = { ...UNNAMED, currency: "other", checked: 0, to: undefined };

/** The payment is there, and `order_paid` with these times. */
const payingAt = (deliver_s: number, refund_s: number): History => {
  const history = step(ordered(), "order_payment");
  const { now } = history;
  return step(history, "order_paid", { deliver_by: now + deliver_s, refund_at: now + refund_s });
};

const UNMATCHED = "A".repeat(64);
const sendBack = (changed: Body): History =>
  begun()
    .add("payment_unmatched", { txid: UNMATCHED, amount_raw: "7", from: PAYER })
    .add("payment_refunded", {
      ...{ txid: UNMATCHED, sent_txid: txid(), to: PAYER, amount_raw: "7" },
      ...changed,
    });

/** A step while another one has to come next: `order_paid`, and not as the payment says. */
function untimely({ kind: { kind, fields } }: (typeof ORDER_STEPS)[number]): History {
  const paying = step(ordered(), "order_payment");
  const n = kind === "order_payment" ? 2 : 1;
  return step(paying, kind, {
    ...("n" in fields && { n }),
    ...("received_raw" in fields && { received_raw: "1" }),
  });
}

const ofSteps: Forged = Object.fromEntries(
  ORDER_STEPS.flatMap((each) => {
    const { kind } = each.kind;
    const next = [`${kind}.next`, () => untimely(each)] as const;
    const alone = [`${kind}.alone`, () => step(ordered(), kind)] as const;
    return each.isEntailed ? [next, alone] : [next];
  }),
);

export const orders: Forged = {
  "own_account.again": () => own(own(begun(), 1), 2),
  "own_account.count": () => own(begun(), 2),
  "contribution.checked": () => give({ proof: undefined }),
  "contribution.own": () => give({ from_sha256: sha256Hex(ESCROW) }, own(begun(), 1)),
  "contribution.named": () => give({ from_sha256: undefined }),
  "contribution.source": () => give({ rate_source: undefined }),
  "contribution.rate": () => declare(begun(), 1, { usd_micro: 1 }),
  "contribution.worth": () => give({ usd_micro: 800_001 }),
  "contribution_superseded.declared": () => supersede(give({}), 1),
  "contribution_superseded.hash": () => supersede(declare(declare(begun(), 1), 2), 2),

  "contribution.banned": () => whileBanned(give({}), ADA),
  "offer.banned": () => whileBanned(offer(begun()), ADA),
  "payout_address.banned": () => whileBanned(address(begun(), 1, SELLER), ADA),
  "order.seller": () => whileBanned(ordered(), ADA),
  "order.buyer": () => whileBanned(ordered(), BOB),
  "offer.price": () => offer(begun(), { price_usd_micro: 1_005_000 }),
  "offer.hours": () => offer(begun(), { sla_hours: 721 }),
  "offer_flagged.flagged": () => flag(offered(), "offer_flagged", 1, 2),
  "offer_unflagged.flag": () => flag(offered(), "offer_unflagged", 1),
  "payout_address.unknown": () => address(begun(), 1, SELLER, NOBODY),
  "payout_address.count": () => address(offered(), 3, STRANGER),
  "payout_address.own": () => address(offered(), 2, ESCROW),
  "payout_address.same": () => address(offered(), 2, SELLER),

  "order.of": () => ordered({ seller: BOB }),
  "order.terms": () => ordered({ sla_hours: 71 }),
  "order.rate": () => ordered({ rate: "0" }),
  "order.due": () => ordered({ due_raw: "1" }),
  "order.split": () => ordered({ fee_usd_micro: 2_000_001 }),
  "order.escrow": () => ordered({ escrow: SELLER }),
  "order.refund": () => ordered({ refund_address_sha256: sha256Hex(ESCROW) }),
  "payment_refunded.none": () => sendBack({ amount_raw: "6" }),
  "payment_refunded.to": () => sendBack({ to: STRANGER }),

  "order_payment.role": () => paying({ role: "extra" }),
  "order_payment.count": () => paying({ n: 2 }),
  "order_payment.named": () => paying(UNNAMED),
  "order_payment.reason": () => paying(HAND),
  "order_payment.missing": () => paying({ ...HAND, ...REASON, currency: "xmr", amount_raw: "1" }),
  "order_payment.sender": () => paying({ from_sha256: undefined }),
  "order_payment.other": other,
  "order_payment.stranger": stranger,
  "order_payment.unmatched": () => paying({ unmatched: 1 }),
  "order_paid.deliver": () => payingAt(days(3) + 1, days(4) + 1),
  "order_paid.refund": () => payingAt(days(3), days(4) + 1),
  "order_expired.early": () => step(ordered().pass(HOUR_S + 10 * MINUTE_S - 1), "order_expired"),

  "order_delivered.count": () => step(paid(), "order_delivered", { n: 2 }),
  "order_delivered.late": () => step(paid(), "order_delivered", { late: 1 }),
  "order_delivered.accept": () =>
    step(paid().pass(1), "order_delivered", { accept_by: paid().now + days(3) }),
  "order_undelivered.early": () => step(paid().pass(days(4) - 1), "order_undelivered"),
  "order_released.operator": () =>
    step(delivered().pass(days(3)), "order_released", { by: "operator" }),
  "order_released.early": () =>
    step(delivered().pass(days(3) - 1), "order_released", { by: "deadline" }),
  "order_disputed.count": () => step(delivered(), "order_disputed", { n: 2 }),
  "order_disputed.left": () => step(delivered().pass(1), "order_disputed"),
  "order_held.count": () => step(delivered(), "order_held", { n: 2 }),
  "order_held.left": () => step(delivered().pass(1), "order_held"),
  "order_resolved.last": () => step(held(), "order_resolved", { n: 2 }),
  "order_resolved.nothing": () => step(held(), "order_resolved", { outcome: "release" }),
  "order_resolved.early": () =>
    step(held().pass(days(30) - 1), "order_resolved", { by: "deadline" }),
  "order_resolved.operators": () => agree(held(), AGREEMENTS.taken_back),
  "order_resolved.party": () => agree(disputed(), { ...AGREEMENTS.accepted, by: "seller" }),
  "order_resolved.words": () => agree(disputed(), AGREEMENTS.taken_back, REASON),

  "payout.count": () => step(sold(), "payout", { n: 2 }),
  "payout.part": () => step(sold(), "payout", { amount_raw: "1" }),
  "payout.named": () => step(sold(), "payout", UNNAMED),
  "payout.reason": () => step(sold(), "payout", { checked: 0 }),
  "payout.to": () => step(sold(), "payout", { to: undefined }),
  "payout.address": () => step(sold(), "payout", { to: STRANGER }),
  "payout.consent": () => step(sold(), "payout", CASH),
  "refund.owed": () => step(overdue(), "refund", { amount_raw: "1" }),
  "refund.price": () => refundOfBoth([PAYER, PAYER], { usd_micro: 1 }),
  "refund.named": () => step(overdue(), "refund", UNNAMED),
  "refund.reason": () => step(overdue(), "refund", { checked: 0 }),
  "refund.to": () => step(overdue(), "refund", { to: undefined }),
  "refund.one": () => refundOfBoth([PAYER, STRANGER]),
  "refund.back": () => step(overdue(), "refund", { to: STRANGER }),
  "refund.why": () => step(overdue(), "refund", { to: STRANGER, redirected: 1 }),
  "refund.ends": () => step(overdue(), "refund", { ends: undefined }),
  "refund.consent": () => step(overdue(), "refund", CASH),
  "transfer_checked.once": () => step(step(sold(), "payout"), "transfer_checked"),
  "transfer_checked.early": () => step(unseen().pass(10 * MINUTE_S - 1), "transfer_checked"),
  "transfer_checked.amount": () =>
    step(unseen().pass(10 * MINUTE_S), "transfer_checked", { amount_raw: "1" }),
  "debt_settled.count": () => step(sold(), "debt_settled", { n: 2 }),
  ...ofSteps,
};
