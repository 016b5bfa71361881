import {
  by,
  type Call,
  type Fault,
  field,
  made,
  tellsFirst,
  unknown,
  unsigned,
} from "../../../test/double-faults.ts";
import { eachMarket, type Market, OFFER } from "../../../test/market-service.ts";
import type { TestAgent } from "../../../test/service.ts";
import { banAgent } from "../../identity/bans/bans.ts";
import { flagOffer } from "../offers/flags.ts";
import { DELIVERIES_MAX, UNPAID_ORDERS_MAX } from "../rules.ts";
import { holdOrder, resolveOrder } from "./operator.ts";

/** An order, and its parties. */
interface OfOrder extends Call {
  readonly order: number;
  readonly buyer: TestAgent;
  readonly seller: TestAgent;
}

type Reached = "awaiting_payment" | "paid" | "delivered" | "disputed";

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
  if (of === "awaiting_payment") return { order, buyer, seller };
  await market.book(order, (await market.seen(buyer, order)).split.due_raw);
  if (of === "paid") return { order, buyer, seller };
  await made(seller.post("/market/deliver", { ...of_order, body: "Here it is." }));
  if (of === "disputed") await made(buyer.post("/market/dispute", { ...of_order, ...COMPLAINT }));
  return { order, buyer, seller };
}

/** The calls of one operation: whose, and of an order in which state. */
interface Calling {
  readonly role: "buyer" | "seller";
  readonly of: Reached;
  readonly fields?: object;
  /** Behind those of who may call. */
  readonly faults: readonly Fault<OfOrder>[];
}

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
  const calls: Readonly<Record<string, Calling>> = {
    "order/withdraw": { role: "buyer", of: "awaiting_payment", faults: [paid] },
    deliver: {
      role: "seller",
      of: "paid",
      fields: { body: "It.", content_salt: SALT },
      faults: [held, full, unsigned],
    },
    accept: { role: "buyer", of: "delivered", faults: [held, unsigned] },
    dispute: {
      role: "buyer",
      of: "delivered",
      fields: { ...COMPLAINT, reason_salt: SALT },
      faults: [again, held, unsigned],
    },
    "dispute/withdraw": { role: "buyer", of: "disputed", faults: [resumed, unsigned] },
    refund: { role: "seller", of: "disputed", faults: [resumed, unsigned] },
  };
  for (const [name, { role, of, fields = {}, faults }] of Object.entries(calls)) {
    const fresh = async (): Promise<OfOrder> => {
      const found = await orderIn(market, of);
      const body = { order_id: found.order, ...fields };
      return { path: `/market/${name}`, by: found[role], ...found, body };
    };
    await tellsFirst(market, { fresh, faults: [noOrder, stranger, otherRole, ...faults] });
  }
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
