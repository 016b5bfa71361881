import assert from "node:assert/strict";
import { isTagged, UNIT_RAW } from "../src/domains/market/amounts.ts";
import { watchPayments } from "../src/domains/market/payments/payment-watcher.ts";
import { receive } from "../src/domains/market/payments/payments.ts";
import type { Handled } from "../src/domains/market/payments/scan.ts";
import { recheckSends } from "../src/domains/market/payouts/rechecks.ts";
import { lockOrder } from "../src/domains/market/queries.ts";
import type { MarketSend } from "../src/domains/market/tables.ts";
import type { ServiceContext } from "../src/platform/context.ts";
import { dev } from "./chain-service.ts";
import { checkMarketRows } from "./market-books.ts";
import type { Reply, TestAgent, TestService } from "./service.ts";
import { eachEngineWithChain, type Payers } from "./treasury-service.ts";

/** A market with a seller, a buyer and a dev chain, whose payment watcher a test sets off. */
export interface Market extends TestService {
  /** As the handlers have it: connected with the chain. */
  readonly context: ServiceContext;
  readonly payers: Payers;
  readonly seller: TestAgent;
  readonly buyer: TestAgent;
  /** An offer of the seller's; resolves to its id. */
  offer(fields?: object): Promise<number>;
  /** An order of the buyer's; resolves to the order as its buyer sees it. */
  order(offer_id: number, fields?: object): Promise<Reply["body"]>;
  /** One round of the payment watcher, at a time when it is its turn. */
  watch(): Promise<void>;
  /** One round of questions about what was sent on the operator's word; what is owed again. */
  recheck(): Promise<readonly MarketSend[]>;
  /** Sends XNO from alice, or whom the test names, to the escrow account; the hash. */
  send(amount_raw: bigint | string, from?: string): string;
  /** Books a payment that the chain is not asked about. */
  book(order_id: number, amount_raw: bigint | string, from?: string): Promise<void>;
  /** An order of which the whole price has come. */
  paid(offer_id: number): Promise<Reply["body"]>;
  /** The same after a delivery. */
  delivered(offer_id: number): Promise<Reply["body"]>;
  /** An order as one of its parties sees it. */
  seen(by: TestAgent, id: number): Promise<Reply["body"]>;
}

/** Runs a test on a fresh market on each engine, and the invariants after it. */
export function eachMarket(
  name: string,
  run: (market: Market) => Promise<void>,
  changed: Partial<ServiceContext["settings"]> = {},
  parts: Parameters<typeof eachEngineWithChain>[3] = {},
): void {
  const open = async (service: TestService, payers: Payers) => {
    const market = await openMarket(service, payers, changed);
    await run(market);
    await service.sequenced();
    await checkMarketRows(market.context);
  };
  eachEngineWithChain(name, open, changed, parts);
}

async function openMarket(
  service: TestService,
  payers: Payers,
  changed: Partial<ServiceContext["settings"]>,
): Promise<Market> {
  const bare = service.service.context;
  const keys = { projectKey: dev("project").key, escrowKey: dev("escrow").key };
  const settings = { ...bare.settings, ...keys, ...changed };
  const context = { ...bare, chain: payers.adapter, settings };
  const handled: Handled = new Map();
  const [seller, buyer] = [await service.register("ada"), await service.register("bob")];
  let payments = 0;

  const market: Market = {
    ...service,
    context,
    payers,
    seller,
    buyer,
    async offer(fields = {}) {
      const made = await seller.post("/market/offer", { ...OFFER, ...fields });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      return made.body.id;
    },
    async order(offer_id, fields = {}) {
      const made = await buyer.post("/market/order", { offer_id, ...fields });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      return made.body.order;
    },
    async watch() {
      service.pass(1);
      await watchPayments(context, handled);
    },
    async recheck() {
      const reopened: MarketSend[] = [];
      const looking = { ...context, chain: payers.adapter };
      await recheckSends(looking, 10, (sent) => reopened.push(sent));
      return reopened;
    },
    send: (amount_raw, from = "alice") =>
      payers.chain.wallet.send(dev(from), keys.escrowKey, BigInt(amount_raw)).hash,
    async book(id, amount_raw, from = "nano_someone") {
      const txid = (++payments).toString(16).padStart(64, "0").toUpperCase();
      const amount = { amount_raw: BigInt(amount_raw), from };
      const payment = { currency: "xno", txid, receive_txid: null, checked: 1 } as const;
      await context.write(async (tx) => {
        const order = await lockOrder.first(tx, { id });
        assert.ok(order);
        // The watcher knows an order by these digits; any other payment is the operator's to give.
        const by = isTagged(amount.amount_raw, order) ? null : { reason: null };
        await receive(tx, order, context.clock.now(), { ...payment, ...amount, by });
      });
    },
    async paid(offer_id) {
      const { id, split } = await market.order(offer_id);
      await market.book(id, split.due_raw);
      return market.seen(buyer, id);
    },
    async delivered(offer_id) {
      const { id } = await market.paid(offer_id);
      const made = await seller.post("/market/deliver", { order_id: id, body: "Here it is." });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      return market.seen(buyer, id);
    },
    seen: async (by, id) => (await by.get(`/market/order?id=${id}`)).body.order,
  };
  await market.watch();
  return market;
}

/** The digits of an invoice that name its order. */
export const tagOf = ({ due_raw }: { readonly due_raw: string }): bigint =>
  BigInt(due_raw) % UNIT_RAW;

export const OFFER = {
  capability: "Summarise",
  title: "Summarise a paper",
  description: "Three findings and their page numbers.",
  price_usd: 10,
};
