import { dev } from "../../../../test/chain-service.ts";
import {
  by,
  type Call,
  type Fault,
  field,
  made,
  tellsFirst,
  unknown,
  unsigned,
} from "../../../../test/double-faults.ts";
import { eachMarket, type Market, OFFER } from "../../../../test/market-service.ts";
import type { TestAgent } from "../../../../test/service.ts";
import { accountText } from "../../../platform/chain/account.ts";
import { DAY_S } from "../../../platform/kernel/time.ts";
import { banAgent } from "../../identity/bans/bans.ts";
import { flagOffer } from "../offers/flags.ts";
import { recordRefund } from "../payouts/refunds.ts";
import { recordPayout } from "../payouts/settlements.ts";
import { DELIVERIES_MAX, UNPAID_ORDERS_MAX } from "../rules.ts";
import { holdOrder, resolveOrder } from "./operator.ts";

/** An order, and its parties. */
interface OfOrder extends Call {
  readonly order: number;
  readonly buyer: TestAgent;
  readonly seller: TestAgent;
  readonly split: { readonly due_raw: string; readonly seller_raw: string };
}

type Reached = "awaiting_payment" | "paid" | "delivered" | "disputed" | "released" | "refund_due";

const COMPLAINT = { reason: "It has two findings, and three were ordered." };
/** Of a commitment; who has an act key chooses it. */
const SALT = "0123456789abcdef0123456789abcdef";

/** What an order comes to between a call's making and its sending; the call's operation takes it in no other state. */
const moved = (
  name: string,
  put: (order_id: number, call: OfOrder) => unknown,
): Fault<OfOrder> => ({
  name,
  code: "invalid_state",
  isLast: true,
  put: (call) => put(call.order, call),
});

/** An order in a state, with a buyer and a seller of its own. */
async function orderIn(market: Market, of: Reached): Promise<Omit<OfOrder, keyof Call>> {
  const [buyer, seller] = [await market.register(), await market.register()];
  const { id: offer_id } = await made(seller.post("/market/offer", OFFER));
  const { id: order } = await made(buyer.post("/market/order", { offer_id }));
  const of_order = { order_id: order };
  const { split } = await market.seen(buyer, order);
  const parts = { order, buyer, seller, split };
  if (of === "awaiting_payment") return parts;
  await market.book(order, split.due_raw, accountText(dev("carol").key));
  if (of === "paid") return parts;
  await made(seller.post("/market/deliver", { ...of_order, body: "Here it is." }));
  if (of === "released") await made(buyer.post("/market/accept", of_order));
  if (of === "disputed" || of === "refund_due")
    await made(buyer.post("/market/dispute", { ...of_order, ...COMPLAINT }));
  if (of === "refund_due") await made(seller.post("/market/refund", of_order));
  return parts;
}

type Settling = Pick<OfOrder, "order" | "split" | "seller" | "buyer">;

/** What its seller says of a released order, and its buyer of one that is owed back. */
const settlingPayout = ({ order: order_id, split }: Settling) =>
  ({ order_id, debts: "payout", amount_raw: split.seller_raw, currency: "other" }) as const;
const settlingRefund = ({ order: order_id, split }: Settling) =>
  ({ order_id, debts: "1", amount_raw: split.due_raw, currency: "other" }) as const;

/** The calls of one operation: whose, and of an order in which state. */
interface Calling {
  readonly role: "buyer" | "seller";
  readonly of: Reached;
  readonly fields?: (of: Settling) => object;
  /** Behind those of who may call. */
  readonly faults: readonly Fault<OfOrder>[];
}

/** Sends from the escrow account, which has enough; the hash. */
function sendTo(market: Market, name: string, amount_raw: string): string {
  market.send(3n * BigInt(amount_raw));
  return market.payers.chain.wallet.send(dev("escrow"), dev(name).key, BigInt(amount_raw)).hash;
}

const unsent = field("txid", "AB".repeat(32), "transaction_not_found");

const noOrder = unknown("order_id", "order_not_found");
const otherRole = by<OfOrder>("the other party", "wrong_role", ({ by: agent, buyer, seller }) =>
  agent === buyer ? seller : buyer,
);

eachMarket("of two faults in a call about an order the first is told", async (market) => {
  const stranger: Fault<OfOrder> = {
    ...by("a stranger", "order_not_found", () => market.register()),
    without: [otherRole.name],
  };
  const { context } = market;
  const reason = "A test.";
  const held = moved("held", (order_id) => holdOrder(context, { order_id, reason }));
  const resumed = moved("resumed", (order_id) =>
    resolveOrder(context, { order_id, reason, outcome: "resume" }),
  );
  const paid = moved("paid", async (order_id, { buyer }) =>
    market.book(order_id, (await market.seen(buyer, order_id)).split.due_raw),
  );
  const full: Fault<OfOrder> = {
    name: "full",
    code: "delivery_limit",
    async put({ order: order_id, seller }) {
      for (let n = 0; n < DELIVERIES_MAX; n++)
        await made(seller.post("/market/deliver", { order_id, body: `Part ${n}.` }));
    },
  };
  const again: Fault<OfOrder> = {
    name: "again",
    code: "already_disputed",
    async put({ order: order_id, buyer }) {
      await made(buyer.post("/market/dispute", { order_id, ...COMPLAINT }));
      await made(buyer.post("/market/dispute/withdraw", { order_id }));
    },
  };
  const little = field("amount_raw", "1", "validation_failed");
  const used: Fault<OfOrder> = {
    name: "its transfer is used",
    code: "already_recorded",
    async put({ body }) {
      const other = await orderIn(market, "released");
      const txid = `Letter ${other.order}`;
      await made(other.seller.post("/market/settle", { ...settlingPayout(other), txid }));
      body["txid"] = txid;
    },
  };
  const calls: Readonly<Record<string, Calling>> = {
    "order/withdraw": { role: "buyer", of: "awaiting_payment", faults: [paid] },
    deliver: {
      role: "seller",
      of: "paid",
      fields: () => ({ body: "It.", content_salt: SALT }),
      faults: [held, full, unsigned],
    },
    accept: { role: "buyer", of: "delivered", faults: [held, unsigned] },
    dispute: {
      role: "buyer",
      of: "delivered",
      fields: () => ({ ...COMPLAINT, reason_salt: SALT }),
      faults: [again, held, unsigned],
    },
    "dispute/withdraw": { role: "buyer", of: "disputed", faults: [resumed, unsigned] },
    refund: { role: "seller", of: "disputed", faults: [resumed, unsigned] },
    "settle payout": {
      role: "seller",
      of: "released",
      fields: settlingPayout,
      faults: [
        {
          name: "paid out",
          code: "invalid_state",
          put: (sold) => made(sold.seller.post("/market/settle", settlingPayout(sold))),
        },
        little,
        used,
        unsigned,
      ],
    },
    "settle 1": {
      role: "buyer",
      of: "refund_due",
      fields: settlingRefund,
      faults: [field("debts", "2", "validation_failed", [little.name]), little, used, unsigned],
    },
  };
  for (const [name, { role, of, fields, faults }] of Object.entries(calls)) {
    const fresh = async (): Promise<OfOrder> => {
      const found = await orderIn(market, of);
      const body = { order_id: found.order, ...fields?.(found) };
      return { path: `/market/${name.split(" ", 1)[0]}`, by: found[role], ...found, body };
    };
    await tellsFirst(market, { fresh, faults: [noOrder, stranger, otherRole, ...faults] });
  }
});

eachMarket("of two faults in a payout that is recorded the first is told", async (market) => {
  const { context, seller, buyer, pass } = market;
  await made(seller.post("/market/payout-address", { address: accountText(dev("erin").key) }));
  pass(DAY_S);
  await market.watch();
  const offer_id = await market.offer();
  const sell = async (): Promise<Call & Settling> => {
    const { id: order, split } = await market.delivered(offer_id);
    await made(buyer.post("/market/accept", { order_id: order }));
    const txid = sendTo(market, "erin", split.seller_raw);
    const body = { order_id: order, txid, currency: "xno" };
    return { path: "market payout", by: seller, order, split, seller, buyer, body };
  };
  const record = ({ body: { order_id, txid, currency } }: Call) => {
    const sent = { order_id: Number(order_id), txid: `${txid}`, proof: "checked" } as const;
    return recordPayout(context, { ...sent, currency: currency === "xno" ? "xno" : "other" });
  };
  await tellsFirst<Call & Settling>(market, {
    fresh: sell,
    act: record,
    faults: [
      field("currency", "other", "validation_failed"),
      unknown("order_id", "order_not_found"),
      {
        name: "paid out",
        code: "invalid_state",
        put: (sold) => made(seller.post("/market/settle", settlingPayout(sold))),
      },
      field("txid", "a letter", "validation_failed", [unsent.name, "used"]),
      { ...unsent, without: ["used"] },
      {
        name: "used",
        code: "already_recorded",
        async put({ body }) {
          const other = await sell();
          await record(other);
          body["txid"] = other.body["txid"];
        },
      },
    ],
  });
});

eachMarket("of two faults in a refund that is recorded the first is told", async (market) => {
  const { context } = market;
  const record = ({ order_id, txid, currency, n }: Record<string, unknown>) => {
    const sent = { order_id: Number(order_id), txid: `${txid}`, proof: "checked" } as const;
    const of = { ...sent, n: Number(n) };
    return recordRefund(context, { ...of, currency: currency === "xno" ? "xno" : "other" });
  };
  await tellsFirst(market, {
    async fresh(): Promise<Call & Settling> {
      const found = await orderIn(market, "refund_due");
      const txid = sendTo(market, "carol", found.split.due_raw);
      const body = { order_id: found.order, n: 1, txid, currency: "xno" };
      return { path: "market refund", by: found.buyer, ...found, body };
    },
    act: ({ body }) => record(body),
    faults: [
      field("currency", "other", "validation_failed"),
      unknown("order_id", "order_not_found"),
      field("n", 2, "validation_failed"),
      field("txid", "a letter", "validation_failed", [unsent.name]),
      unsent,
    ],
  });
});

eachMarket("of two faults in an order the first is told", async (market) => {
  interface Buying extends Call {
    readonly seller: TestAgent;
  }
  await tellsFirst(market, {
    async fresh(): Promise<Buying> {
      const [buyer, seller] = [await market.register(), await market.register()];
      const body = { offer_id: (await made(seller.post("/market/offer", OFFER))).id };
      return { path: "/market/order", by: buyer, seller, body };
    },
    faults: [
      field("refund_address", "nano_1", "validation_failed"),
      unknown("offer_id", "offer_not_found"),
      {
        name: "withdrawn",
        code: "offer_withdrawn",
        put: ({ seller, body: { offer_id } }) =>
          made(seller.post("/market/offer/withdraw", { offer_id })),
      },
      {
        name: "flagged",
        code: "offer_flagged",
        put: ({ body: { offer_id } }) =>
          flagOffer(market.context, { offer_id: Number(offer_id), rule: "R1" }),
      },
      by<Buying>("the seller", "own_offer", ({ seller }) => seller),
      {
        name: "the seller is banned",
        code: "seller_banned",
        without: ["by the seller"],
        isLast: true,
        put: ({ seller: { agent_id: agent } }) =>
          banAgent(market.context, { agent, reason: "A test." }),
      },
      {
        name: "many",
        code: "too_many_open_orders",
        async put({ by: buyer, body }) {
          for (let n = 0; n < UNPAID_ORDERS_MAX; n++)
            await made(buyer.post("/market/order", { offer_id: body["offer_id"] }));
        },
      },
      unsigned,
    ],
  });
});
