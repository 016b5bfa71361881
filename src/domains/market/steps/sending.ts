import { DAY_S, type Seconds } from "../../../platform/kernel/time.ts";
import { type Drafted, fault, hasCome, refusal } from "../../../platform/ledger/transition.ts";
import { ADDRESS_WAIT_S, isAllButDust } from "../../transfers/rules.ts";
import { sellerRaw } from "../amounts.ts";
import * as entries from "../entries.ts";
import * as rules from "../rules.ts";
import { debtNumbers, dueBack, listPrice, numbersIn, openDebts, sumOf } from "./debts.ts";
import { CONSENT, isForced, isNamed, isUnsaid, NAMED, UNSAID, wordOf } from "./named-transfers.ts";
import type { KnownAddress, KnownDebt, KnownOrder, Unanswered } from "./order-state.ts";
import { inState, more, stateRefusal, step } from "./step.ts";

/** Transfers of XNO on the operator's word, with this one among them where it is one. */
function unansweredWith(
  { unanswered }: Pick<KnownOrder, "unanswered">,
  of: string,
  { earliest: at, body }: Drafted<typeof entries.refund> | Drafted<typeof entries.payout>,
): ReadonlyMap<string, Unanswered> {
  if (body.checked === 1 || body.currency !== "xno") return unanswered;
  return new Map(unanswered).set(of, { at, amount_raw: body.amount_raw });
}

/** The name of a payout; the first of an order has no number of its own. */
export const payoutUse = (order_id: number, n: number) =>
  n === 1 ? (`payout/${order_id}` as const) : (`payout/${order_id}/${n}` as const);

/** The name of a refund, by the oldest debt that it pays. */
export const refundUse = (order_id: number, n: number) => `refund/${order_id}/${n}` as const;

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

export const payout = step(entries.payout, {
  asks: ["seller", "payouts", "released_at"],
  takes: ["unanswered"],
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
  drafts: (order) => ({
    n: order.payouts + 1,
    agent: order.seller,
    amount_raw: `${sellerRaw(order)}`,
  }),
  beyond: ({ addresses, sha256Hex }, { body }, order) => ({
    addresses: addresses.get(order.seller) ?? [],
    to_sha256: body.to === undefined ? undefined : sha256Hex(body.to),
  }),
  rule(order, entry, { refuses, beyond: { addresses, to_sha256 } }) {
    const { body } = entry;
    if (order.state !== "released") return inState(refuses.state, order.state);
    if ((body.n ?? 1) !== order.payouts + 1) return refuses.count;
    if (body.agent !== order.seller || body.amount_raw !== `${sellerRaw(order)}`)
      return refuses.part;
    if (!isNamed(body)) return refuses.named;
    if (isForced(order, body)) return refuses.consent;
    if (isUnsaid(body)) return refuses.reason;
    if (to_sha256 === undefined) return body.currency === "xno" ? refuses.to : undefined;
    const { released_at } = order;
    return wasInForce(addresses, to_sha256, { released_at, entry }) ? undefined : refuses.address;
  },
  moves: (order, entry) => ({
    state: "paid_out",
    payouts: order.payouts + 1,
    unanswered: unansweredWith(order, payoutUse(order.id, order.payouts + 1), entry),
  }),
  word: ({ body }) => wordOf("payouts", body),
});

export const payoutReopened = step(entries.payoutReopened, {
  isEntailed: true,
  refuses: {},
  moves: () => ({ state: "released" }),
});

export const refundDue = step(entries.refundDue, {
  takes: ["debts"],
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

type Owing = Pick<KnownOrder, "debts">;

/** The debts with these numbers, each once. */
const named = ({ debts }: Owing, numbers: readonly number[]): readonly KnownDebt[] =>
  [...new Set(numbers)].flatMap((n) => debts.get(n) ?? []);

const isEachOpen = (debts: readonly KnownDebt[], numbers: readonly number[]): boolean =>
  debts.length === numbers.length && debts.every(({ sent }) => sent === null);

/** Whether an order ends with the payment of these debts. */
const isEnd = (order: Owing & Pick<KnownOrder, "state">, numbers: readonly number[]): boolean =>
  order.state === "refund_due" && isAllButDust(openDebts(order, numbers));

export const refund = step(entries.refund, {
  asks: ["debts"],
  takes: ["unanswered"],
  refuses: {
    open: refusal("validation_failed", "The order has no such open debt.", [
      { field: "n", problem: "is no open debt of this order" },
    ]),
    owed: fault("A refund names its debts from the oldest on, and pays them to the raw."),
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
  drafts(order, _, { n = 0, debts }) {
    const numbers = debtNumbers({ n, debts });
    const isLast = isEnd(order, numbers);
    return {
      usd_micro: numbers.length > 1 ? listPrice(order, named(order, numbers)) : undefined,
      ends: isLast ? (1 as const) : undefined,
    };
  },
  beyond: ({ sha256Hex }, { body: { to } }) => ({
    to_sha256: to === undefined ? undefined : sha256Hex(to),
  }),
  rule(order, { body }, { refuses, beyond: { to_sha256 } }) {
    const numbers = debtNumbers(body);
    const paid = named(order, numbers);
    if (!isEachOpen(paid, numbers)) return refuses.open;
    const isSorted = numbers.every((n, i) => (i === 0 ? n === body.n : n > (numbers[i - 1] ?? n)));
    if (!isSorted || `${sumOf(paid)}` !== body.amount_raw) return refuses.owed;
    if (paid.length > 1 && body.usd_micro !== listPrice(order, paid)) return refuses.price;
    if (!isNamed(body)) return refuses.named;
    if (body.currency === "xno" && body.to === undefined) return refuses.to;
    if (isForced(order, body)) return refuses.consent;
    if (isUnsaid(body)) return refuses.reason;
    const [to, ...others] = new Set(paid.flatMap((debt) => debt.to ?? []));
    if (others.length > 0) return refuses.one;
    const isBack = to === undefined || to_sha256 === undefined || to_sha256 === to;
    if (!isBack && body.redirected !== 1) return refuses.back;
    if (body.redirected === 1 && body.reason_sha256 === undefined) return refuses.why;
    return isEnd(order, numbers) === (body.ends === 1) ? undefined : refuses.ends;
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
      unanswered: unansweredWith(order, refundUse(order.id, body.n), entry),
    };
  },
  word: ({ body }) => (body.redirected === 1 ? "refunds redirected" : wordOf("refunds", body)),
});

export const refundReopened = step(entries.refundReopened, {
  takes: ["debts"],
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

export const transferChecked = step(entries.transferChecked, {
  asks: ["unanswered"],
  takes: ["debts"],
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

export const debtSettled = step(entries.debtSettled, {
  asks: ["buyer", "seller", "debts", "settlements"],
  takes: ["payouts", "released_at", "unanswered"],
  refuses: {
    count: fault("The settlements of an order are counted from 1."),
    creditor: refusal("wrong_role", "Only the creditor of a debt can say that it was paid."),
    state: stateRefusal,
    sum: refusal("validation_failed", "Name debts of yours that are open, and what they come to.", [
      { field: "amount_raw", problem: "must be the sum of these debts" },
    ]),
  },
  drafts: ({ settlements }) => ({ n: settlements + 1 }),
  rule(order, { body }, { refuses }) {
    const { agent, debts, amount_raw, n } = body;
    if (n !== order.settlements + 1) return refuses.count;
    if (debts === "payout") {
      if (agent !== order.seller) return refuses.creditor;
      if (order.state !== "released") return inState(refuses.state, order.state);
      return amount_raw === `${sellerRaw(order)}` ? undefined : refuses.sum;
    }
    if (agent !== order.buyer) return refuses.creditor;
    const numbers = numbersIn(debts);
    const paid = named(order, numbers);
    const isOpen = isEachOpen(paid, numbers) && numbers.join(",") === debts;
    return isOpen && `${sumOf(paid)}` === amount_raw ? undefined : refuses.sum;
  },
  moves: ({ settlements }) => ({ settlements: settlements + 1 }),
  entails({ id: order_id }, { body: { debts, amount_raw, currency } }) {
    if (debts === "payout") return [{ kind: "payout", body: { order_id, currency, amount_raw } }];
    const [n = 0, ...others] = numbersIn(debts).sort((a, b) => a - b);
    const several = others.length > 0 ? { debts: [n, ...others].join(",") } : {};
    return [{ kind: "refund", body: { order_id, n, currency, amount_raw, ...several } }];
  },
  actor: ({ seller, buyer }, { body }) => (body.debts === "payout" ? seller : buyer),
  word: () => "debts that ended in another currency, by their creditors' word",
});
