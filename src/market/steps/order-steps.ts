import type { Body, EntryKind } from "../../kernel/contract/entry-kind.ts";
import { micro } from "../../kernel/money.ts";
import { DAY_S, HOUR_S, type Seconds } from "../../kernel/time.ts";
import {
  type Draft,
  type Drafted,
  type DraftedBody,
  fault,
  hasCome,
  isAhead,
  isMadeAt,
  type Refuses,
  refusal,
  type Violation,
} from "../../ledger/transition.ts";
import { ADDRESS_WAIT_S, isAllButDust } from "../../transfers/rules.ts";
import { isTagged, refundUsd, releaseOf, sellerRaw, taggedId, UNIT_RAW } from "../amounts.ts";
import * as entries from "../entries.ts";
import * as rules from "../rules.ts";
import type {
  KnownAddress,
  KnownDebt,
  KnownOrder,
  MarketState,
  Unanswered,
} from "./order-state.ts";
import { backTo, debtsOf } from "./refund-split.ts";

/** As much as a step needs beside its order to have its effect. */
type Around = Pick<MarketState, "unmatched">;

/** The effect on its order of an entry with a body B. */
interface StepMeaning<B, R extends Refuses> {
  /** It stands only in the write of another entry, which says how it must be. */
  readonly isEntailed?: true;
  readonly refuses: R;
  rule?(
    order: KnownOrder,
    entry: DraftedBody<B>,
    given: { readonly refuses: R; readonly state: MarketState },
  ): Violation | undefined;
  moves(order: KnownOrder, entry: DraftedBody<B>, state: Around): Partial<KnownOrder>;
  /** The entries that have to follow in the same write. */
  entails?(after: KnownOrder, entry: DraftedBody<B>): readonly Draft[];
  /** Since when the clock had to do this, where it is the clock's. */
  due?(order: KnownOrder, entry: DraftedBody<B>): Seconds | null;
  /** The party whose act it is, where the kind is `signed`. */
  actor?(order: KnownOrder, entry: DraftedBody<B>): string;
  word?(entry: DraftedBody<B>, before: BeforeStep): string | undefined;
}

/** The context in which a step is judged. */
export interface BeforeStep {
  readonly order: KnownOrder | undefined;
  readonly state: MarketState;
}

/** One kind of entry of an order, and its effect. */
type Step<K extends EntryKind, R extends Refuses> = {
  readonly kind: K;
} & StepMeaning<Body<K["fields"]>, R>;

const step = <K extends EntryKind, const R extends Refuses>(
  kind: K,
  meaning: StepMeaning<Body<K["fields"]>, R>,
): Step<K, R> => ({ kind, ...meaning });

const stateRefusal = refusal(
  "invalid_state",
  "The order's state does not allow this. {market.get} shows what it allows.",
);
const inState = (found: Violation, state: rules.State): Violation => ({
  ...found,
  details: [{ field: "state", problem: state }],
});

/** The writer's own time where it is sealed, else the time of the entry's place. */
const writtenAt = ({ at, latest }: Drafted): Seconds => Math.min(at, latest);

const isOver = (time: Seconds | null, entry: Drafted): boolean =>
  time !== null && hasCome(time, entry);
const isOpen = (time: Seconds | null, entry: Drafted): boolean =>
  time === null || isAhead(time, entry);

const more = (sum: string, amount_raw: bigint | string): string =>
  `${BigInt(sum) + BigInt(amount_raw)}`;

const missing = ({ due_raw, received_raw }: KnownOrder): bigint =>
  BigInt(due_raw) - BigInt(received_raw);

/** One debt to each account that gets something back, as entries. */
function owed(order: KnownOrder, why: rules.RefundWhy): Draft[] {
  const debts = [...order.debts.values()]
    .filter(({ isReopened }) => !isReopened)
    .map(({ to, amount_raw }) => ({ to_account: to, amount_raw: `${amount_raw}` }));
  return debtsOf(order.paid, debts, why).map((debt, i) => dueBack(order, i, debt));
}

const dueBack = (
  { id: order_id, refunds }: KnownOrder,
  i: number,
  { to, amount_raw, why }: Pick<KnownDebt, "to" | "amount_raw" | "why">,
): Draft => ({
  kind: "refund_due",
  body: {
    order_id,
    n: refunds + 1 + i,
    amount_raw: `${amount_raw}`,
    why,
    to_sha256: to ?? undefined,
  },
});

interface Sending {
  readonly currency: string;
  readonly txid?: string | undefined;
  readonly txid_sha256?: string | undefined;
  readonly checked?: 0 | 1;
  readonly reason_sha256?: string | undefined;
}

/** Whether a transfer is named as its currency is, and only one of XNO is checked. */
const isNamed = ({ currency, txid, txid_sha256, checked }: Sending): boolean =>
  (txid === undefined) !== (txid_sha256 === undefined) &&
  (currency !== "xno" || txid !== undefined) &&
  (currency === "xno" || checked !== 1);

/** Whether a payout or refund that rests on the operator's word lacks it. */
const isUnsaid = (sending: Sending): boolean =>
  sending.currency === "xno" && sending.checked === 0 && sending.reason_sha256 === undefined;

/** The part of a transfer that nobody but the operator has seen. */
const wordOf = (what: string, { currency, checked }: Sending): string | undefined => {
  if (currency !== "xno") return `${what} not in XNO`;
  return checked === 0 ? `${what} unchecked` : undefined;
};

const roleOf = (state: rules.State, isManual: boolean): rules.PaymentRole => {
  if (state === "awaiting_payment") return isManual ? "manual" : "payment";
  return rules.isUnpaidEnd(state) ? "late" : "extra";
};

/** The order that the digits of an amount name. */
function namedIn(orders: MarketState["orders"], amount_raw: bigint): KnownOrder | undefined {
  const order = orders.get(taggedId(amount_raw) ?? 0);
  return order !== undefined && isTagged(amount_raw, order) ? order : undefined;
}

/** Whether a debt ends in another currency although its creditor has not said so. */
const isForced = ({ next }: KnownOrder, { currency }: Sending): boolean =>
  currency !== "xno" && next.length === 0;

const CONSENT = fault("A debt in XNO ends in another currency only when its creditor says so.");
const NAMED = fault("A transfer of XNO is named by its hash, and no other one is checked.");
const UNSAID = fault("A transfer that no chain has shown is recorded with a reason.");

const orderPayment = step(entries.orderPayment, {
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
  rule(order, { body }, { refuses, state: { orders, unmatched } }) {
    if ((body.unmatched === 1) !== unmatched.has(body.txid ?? "")) return refuses.unmatched;
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
    if (namedIn(orders, amount_raw) !== undefined)
      return body.reason_sha256 === undefined ? refuses.other : undefined;
    const isPayer = order.paid.some(({ from }) => from !== null && from === body.from_sha256);
    return body.role === "payment" && !isPayer ? refuses.stranger : undefined;
  },
  moves(order, { body }, { unmatched }) {
    const { paid, received_raw, escrow_raw, payments, state } = order;
    unmatched.delete(body.txid ?? "");
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
  word({ body }, { order, state }) {
    const amount_raw = BigInt(body.amount_raw);
    const named = body.currency === "xno" ? namedIn(state.orders, amount_raw) : undefined;
    if (named !== undefined && named.id !== order?.id) return "payments that name another order";
    return body.role === "manual" ? "payments by hand" : wordOf("payments", body);
  },
});

const orderPaid = step(entries.orderPaid, {
  isEntailed: true,
  refuses: {
    deliver: fault("A seller has the offer's delivery time from the payment on."),
    refund: fault("A late seller may deliver for 24 hours more."),
  },
  rule({ sla_hours }, entry, { refuses }) {
    const { deliver_by, refund_at } = entry.body;
    if (!isMadeAt(deliver_by - sla_hours * HOUR_S, entry)) return refuses.deliver;
    return refund_at === deliver_by + rules.LATE_DELIVERY_S ? undefined : refuses.refund;
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

const orderExpired = step(entries.orderExpired, {
  refuses: {
    state: stateRefusal,
    early: fault("The hour to pay, and ten minutes more, are not over."),
    paid: refusal("invalid_state", rules.PARTLY_PAID),
  },
  rule(order, entry, { refuses }) {
    if (order.state !== "awaiting_payment") return inState(refuses.state, order.state);
    if (entry.body.by === "buyer")
      return order.received_raw === "0" ? undefined : inState(refuses.paid, order.state);
    const ends_at = order.expires_at + rules.EXPIRY_GRACE_S;
    return isOver(ends_at, entry) ? undefined : refuses.early;
  },
  moves({ received_raw }, { body }) {
    if (body.by === "buyer") return { state: "withdrawn" };
    return { state: received_raw === "0" ? "expired" : "refund_due" };
  },
  entails: (after) => owed(after, "short"),
});

/** Until when a delivery of now may be accepted. */
const acceptBy = (accept_by: Seconds | null, now: Seconds): Seconds =>
  accept_by === null
    ? now + rules.ACCEPT_WITHIN_S
    : Math.max(accept_by, now + rules.REACCEPT_WITHIN_S);

const orderDelivered = step(entries.orderDelivered, {
  refuses: {
    state: stateRefusal,
    limit: refusal("delivery_limit", `An order has at most ${rules.DELIVERIES_MAX} deliveries.`),
    count: fault("An order's deliveries are counted from 1."),
    late: fault("A delivery says whether it came after its time."),
    accept: fault("A buyer has 72 hours from the first delivery on, and 24 from a later one."),
  },
  rule(order, entry, { refuses }) {
    const { state, accept_by, deliver_by } = order;
    const { n, late, accept_by: given } = entry.body;
    if (state !== "paid" && state !== "delivered") return inState(refuses.state, state);
    const ends_at = state === "paid" ? order.refund_at : accept_by;
    if (!isOpen(ends_at, entry)) return inState(refuses.state, state);
    if (order.deliveries >= rules.DELIVERIES_MAX) return refuses.limit;
    if (n !== order.deliveries + 1) return refuses.count;
    const by = deliver_by ?? writtenAt(entry);
    if (late === 1 ? entry.latest <= by : entry.earliest > by) return refuses.late;
    const [first, last] = [entry.earliest, entry.latest].map((at) => acceptBy(accept_by, at));
    const isRight = given >= (first ?? given) && given <= (last ?? given);
    return isRight ? undefined : refuses.accept;
  },
  moves: ({ deliveries }, { body: { accept_by } }) => ({
    state: "delivered",
    accept_by,
    deliveries: deliveries + 1,
  }),
  actor: ({ seller }) => seller,
});

const orderUndelivered = step(entries.orderUndelivered, {
  refuses: { state: stateRefusal, early: fault("The time to deliver is not over.") },
  rule(order, entry, { refuses }) {
    if (order.state !== "paid") return inState(refuses.state, order.state);
    return isOver(order.refund_at, entry) ? undefined : refuses.early;
  },
  moves: () => ({ state: "refund_due" }),
  entails: (after) => owed(after, "undelivered"),
  due: ({ refund_at }) => refund_at,
});

const orderReleased = step(entries.orderReleased, {
  refuses: {
    state: stateRefusal,
    operator: fault("The operator releases an order at the end of a hold only."),
    early: fault("The time to look at the delivery is not over."),
  },
  rule(order, entry, { refuses }) {
    const isEndOfHold = order.next.length > 0;
    if (isEndOfHold) return undefined;
    if (entry.body.by === "operator") return refuses.operator;
    if (order.state !== "delivered") return inState(refuses.state, order.state);
    const isFree = entry.body.by === "buyer" || isOver(order.accept_by, entry);
    return isFree ? undefined : refuses.early;
  },
  moves: (_, entry) => ({ state: "released", released_at: writtenAt(entry) }),
  entails(after) {
    const { fee, payoutDue } = releaseOf(after, after.seller);
    return [
      { kind: "fee", body: fee },
      { kind: "payout_due", body: payoutDue },
    ];
  },
  due: ({ accept_by }, { body }) => (body.by === "deadline" ? accept_by : null),
  actor: ({ buyer }) => buyer,
});

const fromEscrow = (
  { escrow_raw }: KnownOrder,
  { body }: { readonly body: { readonly amount_raw: string } },
): Partial<KnownOrder> => ({ escrow_raw: more(escrow_raw, -BigInt(body.amount_raw)) });

const fee = step(entries.fee, { isEntailed: true, refuses: {}, moves: fromEscrow });
const payoutDue = step(entries.payoutDue, { isEntailed: true, refuses: {}, moves: fromEscrow });

const refundDue = step(entries.refundDue, {
  isEntailed: true,
  refuses: {},
  moves({ debts, refunds, escrow_raw }, { body: { n, amount_raw, why, to_sha256: to = null } }) {
    const debt = { n, to, amount_raw: BigInt(amount_raw), why, sent: null, isReopened: false };
    return {
      debts: new Map(debts).set(n, debt),
      refunds: refunds + 1,
      escrow_raw: more(escrow_raw, -debt.amount_raw),
    };
  },
});

/** Transfers of XNO on the operator's word, with this one among them where it is one. */
function unansweredWith(
  { unanswered }: KnownOrder,
  of: string,
  { earliest: at, body }: Drafted<typeof entries.refund> | Drafted<typeof entries.payout>,
): ReadonlyMap<string, Unanswered> {
  if (body.checked === 1 || body.currency !== "xno") return unanswered;
  return new Map(unanswered).set(of, { at, amount_raw: body.amount_raw });
}

const payoutUse = (order_id: number, n: number): string =>
  n === 1 ? `payout/${order_id}` : `payout/${order_id}/${n}`;

/** Whether a seller had an address in force at some moment since a release. */
function wasInForce(
  all: readonly KnownAddress[],
  sha256: string,
  { released_at, entry }: { readonly released_at: Seconds; readonly entry: Drafted },
): boolean {
  const usable = all.filter(({ usable_from }, i) => {
    const next = all[i + 1]?.usable_from ?? Number.POSITIVE_INFINITY;
    return hasCome(usable_from, entry) && next - ADDRESS_WAIT_S >= usable_from;
  });
  return usable
    .filter((_, i) => (usable[i + 1]?.usable_from ?? entry.at) > released_at - DAY_S)
    .some((address) => address.sha256 === sha256);
}

const payout = step(entries.payout, {
  refuses: {
    state: stateRefusal,
    count: fault("An order's payouts are counted from 1."),
    part: fault("A payout is the seller's part, and all of it."),
    named: NAMED,
    reason: UNSAID,
    to: fault("A payout names the account that it went to."),
    address: fault("A payout goes to an address that its seller had in force since the release."),
    consent: CONSENT,
  },
  rule(order, entry, { refuses, state }) {
    const { body } = entry;
    if (order.state !== "released") return inState(refuses.state, order.state);
    if ((body.n ?? 1) !== order.payouts + 1) return refuses.count;
    if (body.agent !== order.seller || body.amount_raw !== `${sellerRaw(order)}`)
      return refuses.part;
    if (!isNamed(body)) return refuses.named;
    if (isForced(order, body)) return refuses.consent;
    if (isUnsaid(body)) return refuses.reason;
    if (body.to === undefined) return body.currency === "xno" ? refuses.to : undefined;
    const all = state.addresses.get(order.seller) ?? [];
    const { released_at } = order;
    return wasInForce(all, state.sha256Hex(body.to), { released_at, entry })
      ? undefined
      : refuses.address;
  },
  moves: (order, entry) => ({
    state: "paid_out",
    payouts: order.payouts + 1,
    unanswered: unansweredWith(order, payoutUse(order.id, order.payouts + 1), entry),
  }),
  word: ({ body }) => wordOf("payouts", body),
});

const payoutReopened = step(entries.payoutReopened, {
  isEntailed: true,
  refuses: {},
  moves: () => ({ state: "released" }),
});

const debtNumbers = (body: { readonly n: number; readonly debts?: string | undefined }) =>
  (body.debts ?? `${body.n}`).split(",").map(Number);
const sumOf = (debts: readonly KnownDebt[]): bigint =>
  debts.reduce((sum, { amount_raw }) => sum + amount_raw, 0n);

function listPrice(order: KnownOrder, debts: readonly KnownDebt[]): number {
  const book = { price: micro<"usd">(order.price_usd_micro), base_raw: BigInt(order.base_raw) };
  return debts.reduce((sum, { amount_raw }) => sum + Number(refundUsd(book, amount_raw)), 0);
}

const openDebts = ({ debts }: KnownOrder, but: readonly number[]) =>
  [...debts.values()]
    .filter(({ n, sent }) => sent === null && !but.includes(n))
    .map(({ to, amount_raw, why }) => ({ to_account: to, amount_raw: `${amount_raw}`, why }));

const refund = step(entries.refund, {
  refuses: {
    owed: fault("A refund pays debts that are open, to the raw."),
    price: fault("A refund of several debts says their part of the list price."),
    named: NAMED,
    to: fault("A refund names the account that it went to."),
    reason: UNSAID,
    one: fault("One transfer pays debts to one account."),
    back: fault("A refund goes to the account that is owed, or says that it does not."),
    why: fault("A refund that goes elsewhere says why."),
    ends: fault("An order ends with the refund after which it owes no more than dust."),
    consent: CONSENT,
  },
  rule(order, { body }, { refuses, state }) {
    const numbers = debtNumbers(body);
    const paid = [...new Set(numbers)].flatMap((n) => order.debts.get(n) ?? []);
    const isOwed = paid.length === numbers.length && paid.every(({ sent }) => sent === null);
    if (!isOwed || numbers[0] !== body.n || `${sumOf(paid)}` !== body.amount_raw)
      return refuses.owed;
    if (paid.length > 1 && body.usd_micro !== listPrice(order, paid)) return refuses.price;
    if (!isNamed(body)) return refuses.named;
    if (body.currency === "xno" && body.to === undefined) return refuses.to;
    if (isForced(order, body)) return refuses.consent;
    if (isUnsaid(body)) return refuses.reason;
    const [to, ...others] = new Set(paid.flatMap((debt) => debt.to ?? []));
    if (others.length > 0) return refuses.one;
    const isBack = to === undefined || body.to === undefined || state.sha256Hex(body.to) === to;
    if (!isBack && body.redirected !== 1) return refuses.back;
    if (body.redirected === 1 && body.reason_sha256 === undefined) return refuses.why;
    const ends = order.state === "refund_due" && isAllButDust(openDebts(order, numbers));
    return ends === (body.ends === 1) ? undefined : refuses.ends;
  },
  moves(order, entry) {
    const { body } = entry;
    const debts = new Map(order.debts);
    for (const n of debtNumbers(body)) {
      const debt = debts.get(n);
      if (debt !== undefined) debts.set(n, { ...debt, sent: body.n });
    }
    return {
      debts,
      state: body.ends === 1 ? "refunded" : order.state,
      unanswered: unansweredWith(order, `refund/${order.id}/${body.n}`, entry),
    };
  },
  word: ({ body }) => (body.redirected === 1 ? "refunds redirected" : wordOf("refunds", body)),
});

const refundReopened = step(entries.refundReopened, {
  isEntailed: true,
  refuses: {},
  moves(order, { body }) {
    const debts = new Map(order.debts);
    for (const debt of order.debts.values())
      if (debt.sent === body.n) debts.set(debt.n, { ...debt, isReopened: true });
    const isOver =
      order.state === "refunded" &&
      [...debts.values()].some(({ sent, why }) => sent === body.n && rules.isOwnDebt(why));
    return {
      debts,
      escrow_raw: more(order.escrow_raw, body.amount_raw),
      state: isOver ? "refund_due" : order.state,
    };
  },
  entails(after, { body: { n } }) {
    const same = [...after.debts.values()].filter(({ sent }) => sent === n);
    const to = same[0]?.to ?? null;
    return [...Map.groupBy(same, ({ why }) => why)].map(([why, debts], i) =>
      dueBack(after, i, { to, amount_raw: sumOf(debts), why }),
    );
  },
});

const transferChecked = step(entries.transferChecked, {
  refuses: {
    once: fault("The chain is asked once, and only of a transfer that nobody had checked."),
    early: fault(
      "The chain is asked after ten minutes, knows nothing after three days, and is silent after 30.",
    ),
    amount: fault("The chain shows the amount that was recorded, or it is a mismatch."),
  },
  rule({ unanswered }, entry, { refuses }) {
    const { of, found, amount_raw } = entry.body;
    const sent = unanswered.get(of);
    if (sent === undefined) return refuses.once;
    if (!hasCome(sent.at + rules.RECHECK_WAITS_S[found], entry)) return refuses.early;
    return found === "ok" && amount_raw !== sent.amount_raw ? refuses.amount : undefined;
  },
  moves({ unanswered }, { body }) {
    const left = new Map(unanswered);
    left.delete(body.of);
    return { unanswered: left };
  },
  entails(after, { body: { of, found } }) {
    if (found === "ok" || found === "silence") return [];
    const { id: order_id } = after;
    const [what, , number = "1"] = of.split("/");
    const n = Number(number);
    if (what === "payout") {
      const amount_raw = `${sellerRaw(after)}`;
      return [
        { kind: "payout_reopened", body: { order_id, n: n === 1 ? undefined : n, amount_raw } },
      ];
    }
    const debts = [...after.debts.values()].filter(({ sent }) => sent === n);
    const numbers = debts.map((debt) => debt.n).join(",");
    const several = debts.length > 1 ? { debts: numbers, usd_micro: listPrice(after, debts) } : {};
    const amount_raw = `${sumOf(debts)}`;
    return [{ kind: "refund_reopened", body: { order_id, n, amount_raw, ...several } }];
  },
  word: ({ body }) =>
    body.found === "silence" ? "sends that no node has answered for" : undefined,
});

const debtSettled = step(entries.debtSettled, {
  refuses: {
    count: fault("The settlements of an order are counted from 1."),
    creditor: refusal("wrong_role", "Only the creditor of a debt can say that it was paid."),
    state: stateRefusal,
    sum: refusal("validation_failed", "Name debts of yours that are open, and what they come to."),
  },
  rule(order, { body }, { refuses }) {
    const { agent, debts, amount_raw, n } = body;
    if (n !== order.settlements + 1) return refuses.count;
    if (debts === "payout") {
      if (agent !== order.seller) return refuses.creditor;
      if (order.state !== "released") return inState(refuses.state, order.state);
      return amount_raw === `${sellerRaw(order)}` ? undefined : refuses.sum;
    }
    if (agent !== order.buyer) return refuses.creditor;
    const numbers = debts.split(",").map(Number);
    const named = [...new Set(numbers)].flatMap((each) => order.debts.get(each) ?? []);
    const isOpen = named.length === numbers.length && named.every(({ sent }) => sent === null);
    return isOpen && `${sumOf(named)}` === amount_raw ? undefined : refuses.sum;
  },
  moves: ({ settlements }) => ({ settlements: settlements + 1 }),
  entails({ id: order_id }, { body: { debts, amount_raw, currency } }) {
    if (debts === "payout") return [{ kind: "payout", body: { order_id, currency, amount_raw } }];
    const [n = 0, ...others] = debts.split(",").map(Number);
    const several = others.length > 0 ? { debts } : {};
    return [{ kind: "refund", body: { order_id, n, currency, amount_raw, ...several } }];
  },
  actor: ({ seller, buyer }, { body }) => (body.debts === "payout" ? seller : buyer),
  word: () => "debts that ended in another currency, by their creditors' word",
});

const orderHeld = step(entries.orderHeld, {
  refuses: {
    state: stateRefusal,
    count: fault("An order's holds are counted from 1, and each says what it stops."),
    left: fault("A hold says how much time was left."),
  },
  rule(order, entry, { refuses }) {
    const { n, from_state, remaining_s } = entry.body;
    if (order.state !== "paid" && order.state !== "delivered")
      return inState(refuses.state, order.state);
    if (n !== order.holds + 1 || from_state !== order.state) return refuses.count;
    const ends_at = order.state === "paid" ? order.refund_at : order.accept_by;
    const began_at = (ends_at ?? writtenAt(entry)) - remaining_s;
    return isMadeAt(began_at, entry) ? undefined : refuses.left;
  },
  moves: (order, entry) => ({
    state: "held",
    holds: order.holds + 1,
    held_until: writtenAt(entry) + rules.HOLD_MAX_S,
    hold: { ...entry.body, at: writtenAt(entry), isDispute: false },
  }),
});

const orderDisputed = step(entries.orderDisputed, {
  refuses: {
    state: stateRefusal,
    once: refusal("already_disputed", "You have disputed this order; it can be done once."),
    count: fault("An order's holds are counted from 1, and each says what it stops."),
    left: fault("A hold says how much time was left."),
  },
  rule(order, entry, { refuses }) {
    const { n, remaining_s } = entry.body;
    if (order.disputed === 1) return refuses.once;
    if (order.state !== "delivered") return inState(refuses.state, order.state);
    if (!isOpen(order.accept_by, entry)) return inState(refuses.state, order.state);
    if (n !== order.holds + 1) return refuses.count;
    const began_at = (order.accept_by ?? writtenAt(entry)) - remaining_s;
    return isMadeAt(began_at, entry) ? undefined : refuses.left;
  },
  moves: (order, entry) => ({
    state: "held",
    holds: order.holds + 1,
    held_until: writtenAt(entry) + rules.HOLD_MAX_S,
    hold: { ...entry.body, from_state: "delivered", at: writtenAt(entry), isDispute: true },
    disputed: 1,
  }),
  actor: ({ buyer }) => buyer,
});

/** How a party may end a dispute. */
const agreementOf = ({ by, outcome }: Pick<rules.HoldEnd, "by" | "outcome">) =>
  Object.values(rules.AGREEMENTS).find((each) => each.by === by && each.outcome === outcome);

const orderResolved = step(entries.orderResolved, {
  refuses: {
    state: stateRefusal,
    last: fault("The hold that ends is the last one."),
    nothing: fault("Nothing was delivered, so there is nothing to pay for."),
    early: fault("A hold ends by itself after 30 days, and the order goes on."),
    operators: fault("A party ends only a hold by a dispute, and none of the operator's."),
    party: fault("A buyer takes its dispute back or accepts, and a seller gives the payment back."),
    words: fault("A party ends a dispute without words of its own."),
  },
  rule(order, entry, { refuses, state }) {
    const { n, outcome, by } = entry.body;
    if (order.state !== "held") return inState(refuses.state, order.state);
    if (n !== order.holds) return refuses.last;
    if (by === "buyer" || by === "seller") {
      if (order.hold?.isDispute !== true) return refuses.operators;
      const agreement = agreementOf(entry.body);
      if (agreement === undefined) return refuses.party;
      const isItsReason = state.sha256Hex(agreement.reason) === entry.body.reason_sha256;
      return isItsReason ? undefined : refuses.words;
    }
    if (outcome === "release" && order.deliveries === 0) return refuses.nothing;
    const isEarly = outcome !== "resume" || !isOver(order.held_until, entry);
    return by === "deadline" && isEarly ? refuses.early : undefined;
  },
  moves(order, entry) {
    const { outcome } = entry.body;
    if (outcome !== "resume" || order.hold === null)
      return { held_until: null, state: outcome === "refund" ? "refund_due" : order.state };
    const { from_state, remaining_s, at: held_at } = order.hold;
    const held_s = writtenAt(entry) - held_at + Math.max(0, rules.AFTER_HOLD_MIN_S - remaining_s);
    const later = (time: Seconds | null) => (time === null ? null : time + held_s);
    return {
      state: from_state,
      held_until: null,
      hold: null,
      deliver_by: later(order.deliver_by),
      refund_at: later(order.refund_at),
      accept_by: later(order.accept_by),
    };
  },
  entails(after, { body: { outcome, by } }) {
    const { id: order_id } = after;
    if (outcome === "release") {
      const released = by === "buyer" ? "buyer" : "operator";
      return [{ kind: "order_released", body: { order_id, by: released } }];
    }
    if (outcome === "resume") return [];
    return owed(after, by === "seller" ? "seller" : "operator");
  },
  due: ({ held_until }, { body }) => (body.by === "deadline" ? held_until : null),
  actor: ({ buyer, seller }, { body }) => (body.by === "seller" ? seller : buyer),
  word: ({ body }) => (body.by === "operator" ? "the operator's outcomes" : undefined),
});

/** A step of some kind, for lists of them; each is called with entries of its own kind only. */
export type AnyStep = Step<EntryKind, Refuses>;

export const ORDER_STEPS: readonly AnyStep[] = [
  orderPayment,
  orderPaid,
  orderExpired,
  orderDelivered,
  orderUndelivered,
  orderReleased,
  fee,
  payoutDue,
  payout,
  payoutReopened,
  refundDue,
  refund,
  refundReopened,
  transferChecked,
  debtSettled,
  orderDisputed,
  orderHeld,
  orderResolved,
];
