import assert from "node:assert/strict";
import { dev } from "../../../test/chain-service.ts";
import { made } from "../../../test/double-faults.ts";
import { eachMarket, type Market, OFFER } from "../../../test/market-service.ts";
import type { Reply, TestAgent } from "../../../test/service.ts";
import { accountText } from "../../platform/chain/account.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { banAgent } from "../identity/bans/bans.ts";
import { marketTransitions } from "./ledger.ts";
import { flagOffer, unflagOffer } from "./offers/flags.ts";
import { holdOrder, resolveOrder } from "./orders/operator.ts";
import { recordPayment } from "./payments/received.ts";
import { recordRefund } from "./payouts/refunds.ts";
import { returnUnmatched } from "./payouts/returns.ts";
import { recordPayout } from "./payouts/settlements.ts";
import { DELIVERIES_MAX, UNPAID_ORDERS_MAX } from "./rules.ts";

// An agent is told what the rule of an entry says, and the operator likewise: of each clause with a code there is an act
// that is answered with exactly this code and sentence.

type Refused = Promise<readonly [code: unknown, sentence: unknown]>;

const answer = async (reply: Promise<Reply>): Refused => {
  const { error, message } = (await reply).body;
  return [error, message];
};

/** An act of the operator, who has no route. */
const told = (act: Promise<unknown>): Refused =>
  act.then(
    () => [null, null],
    (error: unknown) => {
      if (!(error instanceof Rejection)) throw error;
      return [error.code, error.message];
    },
  );

const NONE = 999_999;
const reason = "A test.";
const TXID = "AB".repeat(32);
const UNCHECKED = { currency: "xno", txid: TXID, proof: "unchecked", reason } as const;

/** An order in a state, with a buyer and a seller of its own. */
async function sale(market: Market) {
  const [buyer, seller] = [await market.register(), await market.register()];
  const { id: offer_id } = await made(seller.post("/market/offer", OFFER));
  const { id: order_id } = await made(buyer.post("/market/order", { offer_id }));
  const { split } = await market.seen(buyer, order_id);
  return { buyer, seller, offer_id, order_id, split };
}

async function paid(market: Market) {
  const sold = await sale(market);
  await market.book(sold.order_id, sold.split.due_raw);
  return sold;
}

async function delivered(market: Market) {
  const sold = await paid(market);
  const { order_id, seller } = sold;
  await made(seller.post("/market/deliver", { order_id, body: "Here it is." }));
  return sold;
}

const hold = ({ context }: Market, order_id: number) => holdOrder(context, { order_id, reason });
const resolve = ({ context }: Market, order_id: number, outcome: "release" | "resume") =>
  resolveOrder(context, { order_id, outcome, reason });

const deliver = (seller: TestAgent, order_id: number) =>
  seller.post("/market/deliver", { order_id, body: "Here it is." });
const dispute = (buyer: TestAgent, order_id: number) =>
  buyer.post("/market/dispute", { order_id, reason: "It has two findings." });

const settle = (agent: TestAgent, order_id: number, debts: string, amount_raw: string) =>
  agent.post("/market/settle", { order_id, debts, amount_raw, currency: "other" });

async function banned({ register, context }: Market): Promise<TestAgent> {
  const agent = await register();
  await banAgent(context, { agent: agent.agent_id, reason });
  return agent;
}

/** How somebody comes to each clause. */
const CASES: Readonly<Record<string, (market: Market) => Refused>> = {
  "offer.banned": async (market) => answer((await banned(market)).post("/market/offer", OFFER)),
  "offer_flagged.unknown": ({ context }) =>
    told(flagOffer(context, { offer_id: NONE, rule: "R1" })),
  "offer_unflagged.unknown": ({ context }) =>
    told(unflagOffer(context, { offer_id: NONE, rule: "R1" })),
  "offer_withdrawn.unknown": ({ seller }) =>
    answer(seller.post("/market/offer/withdraw", { offer_id: NONE })),
  "payout_address.banned": async (market) => {
    const address = accountText(dev("erin").key);
    return answer((await banned(market)).post("/market/payout-address", { address }));
  },

  "order.unknown": ({ buyer }) => answer(buyer.post("/market/order", { offer_id: NONE })),
  async "order.withdrawn"(market) {
    const { buyer, seller, offer_id } = await sale(market);
    await made(seller.post("/market/offer/withdraw", { offer_id }));
    return answer(buyer.post("/market/order", { offer_id }));
  },
  async "order.flagged"(market) {
    const { buyer, offer_id } = await sale(market);
    await flagOffer(market.context, { offer_id, rule: "R1" });
    return answer(buyer.post("/market/order", { offer_id }));
  },
  async "order.own"(market) {
    const { seller, offer_id } = await sale(market);
    return answer(seller.post("/market/order", { offer_id }));
  },
  async "order.seller"(market) {
    const { buyer, seller, offer_id } = await sale(market);
    await banAgent(market.context, { agent: seller.agent_id, reason });
    return answer(buyer.post("/market/order", { offer_id }));
  },
  async "order.buyer"(market) {
    const offer_id = await market.offer();
    return answer((await banned(market)).post("/market/order", { offer_id }));
  },
  async "order.many"(market) {
    const buyer = await market.register();
    const offer_id = await market.offer();
    for (let n = 0; n < UNPAID_ORDERS_MAX; n++)
      await made(buyer.post("/market/order", { offer_id }));
    return answer(buyer.post("/market/order", { offer_id }));
  },
  async "order.seen"(market) {
    const offer_id = await market.offer({ price_usd: 1 });
    return answer(market.buyer.post("/market/order", { offer_id }));
  },

  "order_payment.unknown": ({ context }) =>
    told(recordPayment(context, { order_id: NONE, currency: "other", txid: "A letter", reason })),
  async "order_expired.state"(market) {
    const { buyer, order_id } = await paid(market);
    return answer(buyer.post("/market/order/withdraw", { order_id }));
  },
  async "order_expired.paid"(market) {
    const { buyer, order_id, split } = await sale(market);
    await market.book(order_id, BigInt(split.due_raw) / 2n);
    return answer(buyer.post("/market/order/withdraw", { order_id }));
  },
  async "order_delivered.state"(market) {
    const { seller, order_id } = await sale(market);
    return answer(deliver(seller, order_id));
  },
  async "order_delivered.limit"(market) {
    const { seller, order_id } = await paid(market);
    for (let n = 0; n < DELIVERIES_MAX; n++) await made(deliver(seller, order_id));
    return answer(deliver(seller, order_id));
  },
  async "order_released.state"(market) {
    const { buyer, order_id } = await paid(market);
    return answer(buyer.post("/market/accept", { order_id }));
  },
  async "order_disputed.state"(market) {
    const { buyer, order_id } = await paid(market);
    return answer(dispute(buyer, order_id));
  },
  async "order_disputed.once"(market) {
    const { buyer, order_id } = await delivered(market);
    await made(dispute(buyer, order_id));
    await made(buyer.post("/market/dispute/withdraw", { order_id }));
    return answer(dispute(buyer, order_id));
  },

  "order_held.unknown": (market) => told(hold(market, NONE)),
  "order_held.state": async (market) => told(hold(market, (await sale(market)).order_id)),
  "order_resolved.unknown": (market) => told(resolve(market, NONE, "resume")),
  "order_resolved.state": async (market) =>
    told(resolve(market, (await paid(market)).order_id, "resume")),
  async "order_resolved.nothing"(market) {
    const { order_id } = await paid(market);
    await hold(market, order_id);
    return told(resolve(market, order_id, "release"));
  },
  async "order_resolved.operators"(market) {
    const { buyer, order_id } = await delivered(market);
    await hold(market, order_id);
    return answer(buyer.post("/market/dispute/withdraw", { order_id }));
  },

  "payout.unknown": ({ context }) => told(recordPayout(context, { order_id: NONE, ...UNCHECKED })),
  "payout.state": async (market) =>
    told(recordPayout(market.context, { order_id: (await paid(market)).order_id, ...UNCHECKED })),
  "payment_refunded.none": ({ context }) =>
    told(returnUnmatched(context, { payment: TXID, txid: TXID })),
  "refund.unknown": ({ context }) => told(recordRefund(context, { order_id: NONE, ...UNCHECKED })),
  "refund.open": async (market) =>
    told(recordRefund(market.context, { order_id: (await paid(market)).order_id, ...UNCHECKED })),
  async "debt_settled.creditor"(market) {
    const { buyer, order_id, split } = await delivered(market);
    return answer(settle(buyer, order_id, "payout", split.seller_raw));
  },
  async "debt_settled.state"(market) {
    const { seller, order_id, split } = await delivered(market);
    return answer(settle(seller, order_id, "payout", split.seller_raw));
  },
  async "debt_settled.sum"(market) {
    const { buyer, order_id, split } = await paid(market);
    return answer(settle(buyer, order_id, "1", split.due_raw));
  },
};

/** Clauses that answer nobody, and why. */
const UNANSWERED: Readonly<Record<string, readonly string[]>> = {
  "an agent that calls is there": ["offer.unknown"],
  "an agent is told that it has no such order": [
    "order_expired.unknown",
    "order_delivered.unknown",
    "order_released.unknown",
    "order_disputed.unknown",
    "debt_settled.unknown",
  ],
  "nobody asks for the step: the clock takes it": [
    "order_undelivered.unknown",
    "order_undelivered.state",
  ],
  "nobody asks for the step: it follows another one, or what the chain says": [
    "order_paid.unknown",
    "fee.unknown",
    "payout_due.unknown",
    "payout_reopened.unknown",
    "refund_due.unknown",
    "refund_reopened.unknown",
    "transfer_checked.unknown",
  ],
};

const CODED = new Map<string, readonly [code: string, sentence: string]>(
  marketTransitions.flatMap(({ kind: { kind }, refuses }) =>
    Object.entries(refuses).flatMap(([name, { code, sentence }]) =>
      code === undefined ? [] : [[`${kind}.${name}`, [code, sentence]] as const],
    ),
  ),
);

const NAMES = {
  "{market.get}": "GET /api/v1/market/order",
  "{market.offers}": "GET /api/v1/market",
};
/** A sentence as the routes word it; the operator's commands word it themselves. */
const asRouted = (sentence: string): string =>
  Object.entries(NAMES).reduce((said, [name, route]) => said.replaceAll(name, route), sentence);

/** At this price of XNO the cheapest offer costs too little to be paid. */
const RATES = { source: "static", xno_e8: 2_000_000_000n, xmr_e8: null, btc_e8: null } as const;

eachMarket(
  "each clause with a code has an act that it answers",
  async (market) => {
    const unanswered = Object.values(UNANSWERED).flat();
    assert.deepEqual(
      [...CODED.keys()].toSorted(),
      [...Object.keys(CASES), ...unanswered].toSorted(),
    );
    for (const [name, act] of Object.entries(CASES)) {
      await market.watch();
      const [code, sentence = ""] = CODED.get(name) ?? [];
      const [said, words] = await act(market);
      assert.deepEqual([said, asRouted(`${words}`)], [code, asRouted(sentence)], name);
    }
  },
  { rates: RATES },
);
