import type { EntryKind } from "../../platform/kernel/contract/entry-kind.ts";
import { micro } from "../../platform/kernel/money.ts";
import type { Owed } from "../../platform/ledger/replay.ts";
import {
  type AnyTransition,
  become,
  type Draft,
  type Drafted,
  type DraftedBody,
  fault,
  isMadeAt,
  numberIn,
  type Refuses,
  refusal,
  transition,
  type Violation,
} from "../../platform/ledger/transition.ts";
import {
  bannedAgent,
  isBanned,
  type Party,
  partyOf,
  unknownAgent,
  unknownCaller,
} from "../identity/ledger.ts";
import { ADDRESS_WAIT_S, parseUsd } from "../transfers/rules.ts";
import { BASE_MIN_RAW, baseRaw, splitOf, taggedDue } from "./amounts.ts";
import * as entries from "./entries.ts";
import * as rules from "./rules.ts";
import {
  type KnownAddress,
  type KnownOffer,
  type KnownOrder,
  type MarketState,
  openedOrder,
} from "./steps/order-state.ts";
import { ORDER_STEPS } from "./steps/order-steps.ts";
import { type AnyStep, type BeforeStep, movedBy } from "./steps/step.ts";

export type { MarketState } from "./steps/order-state.ts";

export const emptyMarket = () => ({
  offers: new Map<number, KnownOffer>(),
  addresses: new Map<string, readonly KnownAddress[]>(),
  orders: new Map<number, KnownOrder>(),
  unpaid: new Map<string, number>(),
  unmatched: new Map<string, { from: string; amount_raw: string }>(),
});

export const noOffer = refusal(
  "offer_not_found",
  "There is no offer with this id. {market.offers} lists them.",
);

const offer = transition(entries.offer, {
  refuses: {
    unknown: unknownAgent,
    banned: bannedAgent,
    price: fault("A price is 1 to 5,000 USD, with at most 2 decimals."),
    hours: fault(`A delivery takes ${rules.SLA_HOURS_MAX} hours at most.`),
  },
  before: ({ agents }: MarketState, { body }) => agents.get(body.agent),
  rule(seller, entry, refuses) {
    if (seller === undefined) return refuses.unknown;
    if (isBanned(seller, entry)) return refuses.banned;
    const price = BigInt(entry.body.price_usd_micro);
    const isPrice =
      price >= rules.PRICE_MIN && price <= rules.PRICE_MAX && price % rules.PRICE_STEP === 0n;
    if (!isPrice) return refuses.price;
    return entry.body.sla_hours <= rules.SLA_HOURS_MAX ? undefined : refuses.hours;
  },
  evolve({ offers }, { body: { offer_id, agent, price_usd_micro, sla_hours, flagged = null } }) {
    offers.set(offer_id, { agent, price_usd_micro, sla_hours, flagged, isWithdrawn: false });
  },
  actor: (_, { body }) => body.agent,
});

const offerOf = ({ offers }: MarketState, { body }: { readonly body: { offer_id: number } }) =>
  offers.get(body.offer_id);

const offerFlagged = transition(entries.offerFlagged, {
  refuses: { unknown: noOffer, flagged: fault("The offer is flagged already.") },
  before: offerOf,
  rule(found, _, refuses) {
    if (found === undefined) return refuses.unknown;
    return found.flagged === null ? undefined : refuses.flagged;
  },
  evolve({ offers }, { body: { offer_id, rule: flagged } }) {
    become(offers, offer_id, (was) => ({ ...was, flagged }));
  },
});

const offerUnflagged = transition(entries.offerUnflagged, {
  refuses: { unknown: noOffer, flag: fault("The offer is not flagged for that rule.") },
  before: offerOf,
  rule(found, { body }, refuses) {
    if (found === undefined) return refuses.unknown;
    return found.flagged === body.rule ? undefined : refuses.flag;
  },
  evolve({ offers }, { body }) {
    become(offers, body.offer_id, (was) => ({ ...was, flagged: null }));
  },
});

const offerWithdrawn = transition(entries.offerWithdrawn, {
  refuses: { unknown: noOffer, again: fault("An offer is withdrawn once.") },
  before: offerOf,
  rule(found, _, refuses) {
    if (found === undefined) return refuses.unknown;
    return found.isWithdrawn ? refuses.again : undefined;
  },
  evolve({ offers }, { body }) {
    become(offers, body.offer_id, (was) => ({ ...was, isWithdrawn: true }));
  },
  actor: (found) => found?.agent,
});

export const payoutAddress = transition(entries.payoutAddress, {
  refuses: {
    unknown: unknownCaller,
    banned: bannedAgent,
    count: fault("An agent's payout addresses are counted from 1."),
    own: fault("A payout address is none of the network's own accounts."),
    same: fault("A payout address is another than the one before it."),
    wait: fault("A payout address is used from 24 hours after it was set."),
  },
  before({ agents, addresses, ownAccounts }: MarketState, { body }) {
    const all = addresses.get(body.agent) ?? [];
    return {
      seller: partyOf(agents.get(body.agent)),
      count: all.length,
      last_sha256: all.at(-1)?.sha256,
      isOwn: ownAccounts.has(body.address_sha256),
    };
  },
  rule({ seller, count, last_sha256, isOwn }, entry, refuses) {
    const { address_sha256, usable_from } = entry.body;
    if (seller === undefined) return refuses.unknown;
    if (isBanned(seller, entry)) return refuses.banned;
    if (numberIn(entry.ref) !== count + 1) return refuses.count;
    if (isOwn) return refuses.own;
    if (last_sha256 === address_sha256) return refuses.same;
    return isMadeAt(usable_from - ADDRESS_WAIT_S, entry) ? undefined : refuses.wait;
  },
  evolve({ addresses }, { body: { agent, address_sha256: sha256, usable_from } }) {
    addresses.set(agent, [...(addresses.get(agent) ?? []), { sha256, usable_from }]);
  },
  actor: (_, { body }) => body.agent,
});

/** The amount of an order, without and with its tag; null at a rate that is none. */
export function invoiceOf(
  {
    order_id: id,
    price_usd_micro,
    rate,
  }: { readonly order_id: number; readonly price_usd_micro: number; readonly rate: string },
  { genesis, sha256Hex }: Pick<MarketState, "genesis" | "sha256Hex">,
): { readonly base_raw: string; readonly due_raw: string } | null {
  const usd_e8 = parseUsd(rate);
  if (usd_e8 === null) return null;
  const base_raw = `${baseRaw(micro(price_usd_micro), usd_e8)}`;
  return { base_raw, due_raw: taggedDue({ id, base_raw, genesis }, sha256Hex) };
}

const UNSALABLE = {
  unknown: noOffer,
  withdrawn: refusal(
    "offer_withdrawn",
    "The seller has withdrawn this offer. {market.offers} lists others.",
  ),
  flagged: refusal(
    "offer_flagged",
    "This offer is flagged and cannot be ordered. {market.offers} lists others.",
  ),
  own: refusal("own_offer", "This offer is your own; order another agent's."),
  seller: refusal(
    "seller_banned",
    "The seller is banned and could not deliver. {market.offers} lists others.",
  ),
  buyer: bannedAgent,
  many: refusal(
    "too_many_open_orders",
    `You have ${rules.UNPAID_ORDERS_MAX} orders that await payment. Pay one, withdraw one, or wait until it has expired.`,
  ),
} as const satisfies Refuses;

/** An offer and its parties, as an order is asked by them. */
export interface Salable {
  readonly found: KnownOffer | undefined;
  readonly buyer: Party | undefined;
  readonly seller: Party | undefined;
  /** Orders of the buyer that await payment. */
  readonly unpaid: number;
}

/** As much of the rule of an order as can be asked before there is an invoice. */
export const salable = {
  kind: entries.order,
  refuses: UNSALABLE,
  rule(
    { found, buyer, seller, unpaid }: Salable,
    entry: DraftedBody<{ readonly buyer?: string }>,
    refuses: typeof UNSALABLE,
  ): Violation | undefined {
    if (found === undefined) return refuses.unknown;
    if (found.isWithdrawn) return refuses.withdrawn;
    if (found.flagged !== null) return refuses.flagged;
    if (found.agent === entry.body.buyer) return refuses.own;
    if (seller === undefined || isBanned(seller, entry)) return refuses.seller;
    if (buyer === undefined || isBanned(buyer, entry)) return refuses.buyer;
    return unpaid >= rules.UNPAID_ORDERS_MAX ? refuses.many : undefined;
  },
};

export const order = transition(entries.order, {
  refuses: {
    ...UNSALABLE,
    of: fault("The seller of an order is the agent of its offer."),
    terms: fault("An order has the price and the delivery time of its offer."),
    rate: fault("A rate is above 0 and below 1,000,000 USD."),
    due: fault("An invoice is the price at the rate, and the tag of its order."),
    seen: refusal(
      "validation_failed",
      "At today's rate this offer costs less than 0.1 XNO, and payments below 0.001 XNO are not seen.",
      [{ field: "offer_id", problem: "costs too little in XNO to be paid exactly" }],
    ),
    split: fault("A price is split 80 to 20."),
    hour: fault("A buyer has an hour to pay."),
    escrow: fault("An invoice is paid to an escrow account that the ledger names."),
    refund: fault("A refund address is none of the network's own accounts."),
  },
  before: (state: MarketState, { body }) => {
    const { offers, agents, unpaid, escrows, ownAccounts } = state;
    return {
      found: offers.get(body.offer_id),
      buyer: partyOf(agents.get(body.buyer)),
      seller: partyOf(agents.get(body.seller)),
      unpaid: unpaid.get(body.buyer) ?? 0,
      isRefundable: !ownAccounts.has(body.refund_address_sha256 ?? ""),
      isEscrow: escrows.has(body.escrow),
      invoice: invoiceOf(body, state),
    };
  },
  rule({ invoice, isEscrow, isRefundable, ...before }, entry, refuses) {
    const { body } = entry;
    const { found } = before;
    const violation = salable.rule(before, entry, refuses);
    if (violation !== undefined) return violation;
    if (found?.agent !== body.seller) return refuses.of;
    const { price_usd_micro, sla_hours } = body;
    if (found.price_usd_micro !== price_usd_micro || found.sla_hours !== sla_hours)
      return refuses.terms;
    if (invoice === null) return refuses.rate;
    const { base_raw, due_raw } = invoice;
    if (body.due_raw !== due_raw) return refuses.due;
    if (BigInt(base_raw) < BASE_MIN_RAW) return refuses.seen;
    const split = splitOf({ id: body.order_id, price_usd_micro, base_raw, due_raw });
    const isSplit =
      body.fee_raw === split.fee_raw &&
      body.seller_raw === split.seller_raw &&
      body.fee_usd_micro === Number(split.fee_usd) &&
      body.seller_usd_micro === Number(split.seller_receives_usd);
    if (!isSplit) return refuses.split;
    if (!isMadeAt(body.expires_at - rules.PAY_WITHIN_S, entry)) return refuses.hour;
    if (!isEscrow) return refuses.escrow;
    return isRefundable ? undefined : refuses.refund;
  },
  evolve(state, { body }) {
    const { order_id, buyer } = body;
    state.unpaid.set(buyer, (state.unpaid.get(buyer) ?? 0) + 1);
    state.orders.set(order_id, openedOrder(body));
  },
  actor: (_, { body }) => body.buyer,
});

const paymentUnmatched = transition(entries.paymentUnmatched, {
  refuses: { twice: fault("A payment without an order is sealed once.") },
  before: ({ unmatched }: MarketState, { body }) => unmatched.has(body.txid),
  rule: (isKnown, _, refuses) => (isKnown ? refuses.twice : undefined),
  evolve({ unmatched }, { body: { txid, from, amount_raw } }) {
    unmatched.set(txid, { from, amount_raw });
  },
});

export const paymentRefunded = transition(entries.paymentRefunded, {
  refuses: {
    none: refusal(
      "validation_failed",
      "There is no open payment without an order that has this hash.",
      [{ field: "payment", problem: "is none that market due lists" }],
    ),
    to: fault("It goes back to its sender, or says with a reason that it does not."),
  },
  before: ({ unmatched }: MarketState, { body }) => unmatched.get(body.txid),
  rule(found, { body }, refuses) {
    if (found?.amount_raw !== body.amount_raw) return refuses.none;
    const isSaid = body.redirected === 1 && body.reason_sha256 !== undefined;
    return (body.to === found.from) !== isSaid ? undefined : refuses.to;
  },
  evolve({ unmatched }, { body }) {
    unmatched.delete(body.txid);
  },
  word: ({ body }) => (body.redirected === 1 ? "refunds redirected" : undefined),
});

const doubtDismissed = transition(entries.doubtDismissed, {
  refuses: {},
  before: () => null,
  rule: () => undefined,
  evolve() {},
  word: () => "doubts dismissed",
});

interface OfOrder {
  readonly kind: string;
  readonly body: Readonly<Record<string, string | number | undefined>>;
}

const isSame = (next: Draft, entry: OfOrder): boolean =>
  next.kind === entry.kind &&
  Object.entries(next.body).every(([name, value]) => entry.body[name] === value);

export const noOrder = refusal("order_not_found", "There is no order with this id.");

/** Of every step. */
const STEP_REFUSES = {
  unknown: noOrder,
  next: fault("The entry before it says that another one has to come next of its order."),
} as const satisfies Refuses;

/** Of steps that follow another entry. */
const ALONE = fault("No entry before it says that it has to follow.");

/** A step as a transition: of its order, and after the entries that have to come before it. */
function asTransition(each: AnyStep): AnyTransition<MarketState> {
  const { kind } = each.kind;
  const meaning = {
    refuses: { ...STEP_REFUSES, ...(each.isEntailed && { alone: ALONE }), ...each.refuses },
    before(state: MarketState, entry: Drafted): BeforeStep<unknown> {
      const order = state.orders.get(Number(entry.body["order_id"]));
      return { order, beyond: order && each.beyond?.(state, entry, order) };
    },
    rule({ order, beyond }: BeforeStep<unknown>, entry: Drafted, refuses: typeof STEP_REFUSES) {
      if (order === undefined) return refuses.unknown;
      const [next] = order.next;
      const isNext = next === undefined || isSame(next, { kind, body: entry.body });
      if (!isNext) return refuses.next;
      if (next === undefined && each.isEntailed === true) return ALONE;
      return each.rule?.(order, entry, { refuses: each.refuses, beyond });
    },
    evolve(state: MarketState, entry: Drafted): void {
      const order = state.orders.get(Number(entry.body["order_id"]));
      if (order === undefined) return;
      each.spends?.(state, entry);
      const moved = movedBy(each, order, entry);
      state.orders.set(order.id, moved);
      const { buyer } = order;
      if (order.state === "awaiting_payment" && moved.state !== "awaiting_payment")
        state.unpaid.set(buyer, (state.unpaid.get(buyer) ?? 1) - 1);
    },
    due: ({ order }: BeforeStep<unknown>, entry: Drafted) =>
      order === undefined ? null : (each.due?.(order, entry) ?? null),
    actor: ({ order }: BeforeStep<unknown>, entry: Drafted) => order && each.actor?.(order, entry),
    word: (entry: Drafted, before: BeforeStep<unknown>) => each.word?.(entry, before),
  };
  return transition<MarketState, EntryKind, BeforeStep<unknown>, typeof STEP_REFUSES>(
    each.kind,
    meaning,
  );
}

export const marketTransitions: readonly AnyTransition<MarketState>[] = [
  offer,
  offerFlagged,
  offerUnflagged,
  offerWithdrawn,
  payoutAddress,
  order,
  paymentUnmatched,
  paymentRefunded,
  doubtDismissed,
  ...ORDER_STEPS.map(asTransition),
];

/** Entries that had to follow in the write of another one, and orders that their clock did not move on. */
export function* owedMarket({ orders, last }: MarketState): Generator<Owed> {
  for (const each of orders.values()) {
    const of = `order/${each.id}`;
    const [next] = each.next;
    if (next !== undefined)
      yield { of, since: null, sentence: `${next.kind} has to follow and never came.` };
    const { deadline_at, on_deadline } = rules.deadlineOf(each);
    // An unpaid order waits for a complete look at the chain, which no entry shows.
    if (each.state === "awaiting_payment" || deadline_at === null || deadline_at > last.at)
      continue;
    yield {
      of,
      since: deadline_at,
      sentence: `Its time was over, and it had to be ${on_deadline}.`,
    };
  }
}
