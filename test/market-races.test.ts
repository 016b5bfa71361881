import assert from "node:assert/strict";
import { holdOrder } from "../src/domains/market/orders/operator.ts";
import { settleDueOrders } from "../src/domains/market/orders/timers.ts";
import { scanAccount } from "../src/domains/market/payments/scan.ts";
import { recordRefund } from "../src/domains/market/payouts/refunds.ts";
import { recordPayout } from "../src/domains/market/payouts/settlements.ts";
import { accountText } from "../src/platform/chain/account.ts";
import { Rejection } from "../src/platform/kernel/contract/errors.ts";
import { DAY_S, HOUR_S } from "../src/platform/kernel/time.ts";
import { dev } from "./chain-service.ts";
import { eachMarket, type Market } from "./market-service.ts";
import { eventually, times } from "./postgres-store.ts";

/** More rounds find rarer orders of events. */
const ROUNDS = Number(process.env["TEST_ROUNDS"] ?? 6);
const RUNNERS = 4;
const REASON = "A race.";

/** The steps of an order, without their numbers. */
const steps = async ({ seen, buyer }: Market, id: number): Promise<string[]> =>
  (await seen(buyer, id)).history.map(({ kind }: { kind: string }) => kind);

const unlessRejected = (work: Promise<unknown>) =>
  work.catch((error: unknown) => {
    if (!(error instanceof Rejection)) throw error;
  });

const once = (kinds: readonly string[], kind: string) =>
  assert.equal(kinds.filter((each) => each === kind).length, 1, `${kind}: ${kinds.join(" ")}`);

eachMarket("an acceptance and the deadline release an order once", async (market) => {
  const { buyer, context, pass } = market;
  const offer_id = await market.offer();
  for (let round = 0; round < ROUNDS; round++) {
    await market.watch();
    const { id: order_id } = await market.delivered(offer_id);
    pass(3 * DAY_S - (round % 2));
    await Promise.all([
      buyer.post("/market/accept", { order_id }),
      settleDueOrders(context, 10),
      buyer.get(`/market/order?id=${order_id}`),
    ]);
    const kinds = await steps(market, order_id);
    for (const kind of ["order_released", "fee", "payout_due"]) once(kinds, kind);
  }
});

eachMarket("a delivery and the refund exclude each other", async (market) => {
  const { seller, buyer, context, pass, seen } = market;
  const offer_id = await market.offer({ sla_hours: 1 });
  for (let round = 0; round < ROUNDS; round++) {
    await market.watch();
    const { id: order_id } = await market.paid(offer_id);
    pass(DAY_S + HOUR_S - 1);
    const deliver = seller.post("/market/deliver", { order_id, body: "In the last second." });
    pass(round % 2);
    const [made] = await Promise.all([deliver, settleDueOrders(context, 10)]);
    const { state } = await seen(buyer, order_id);
    const kinds = await steps(market, order_id);
    assert.equal(made.status === 201, state === "delivered", `${made.status} ${state}`);
    assert.equal(kinds.includes("order_delivered"), state === "delivered");
    assert.equal(kinds.includes("refund_due"), state === "refund_due");
  }
});

eachMarket("an order that is accepted while it is held is one of both", async (market) => {
  const { buyer, context, seen } = market;
  const offer_id = await market.offer();
  for (let round = 0; round < ROUNDS; round++) {
    const { id: order_id } = await market.delivered(offer_id);
    await Promise.all([
      buyer.post("/market/accept", { order_id }),
      unlessRejected(holdOrder(context, { order_id, reason: REASON })),
    ]);
    const { state } = await seen(buyer, order_id);
    assert.match(state, /^(held|released)$/);
    const kinds = await steps(market, order_id);
    assert.equal(kinds.includes("order_held"), state === "held");
    assert.equal(kinds.includes("order_released"), state === "released");
  }
});

eachMarket("watchers that see one transfer book it once", async (market) => {
  const { context, payers } = market;
  const offer_id = await market.offer();
  const scan = { ...context, chain: payers.adapter };
  const account = accountText(dev("escrow").key);
  for (let round = 0; round < ROUNDS; round++) {
    const { id, split } = await market.order(offer_id);
    market.send(split.due_raw);
    const watch = () => scanAccount(scan, account, new Map());
    // A node that is asked by four at once may be late for one of them.
    await eventually(async () => (await Promise.all(times(RUNNERS, watch))).includes("complete"));
    const kinds = await steps(market, id);
    assert.deepEqual(kinds, ["order", "order_payment", "order_paid"]);
    payers.chain.wallet.receive(dev("escrow")); // Each scan reads the receivable list whole.
  }
});

eachMarket("operators who record refunds of the same debts record them once", async (market) => {
  const { context, payers, buyer, seen, pass } = market;
  const offer_id = await market.offer();
  const [one, carol] = [10n ** 30n, dev("carol")];
  for (let round = 0; round < ROUNDS; round++) {
    await market.watch();
    const { id: order_id } = await market.order(offer_id);
    pass(2 * HOUR_S);
    await market.watch();
    assert.equal((await seen(buyer, order_id)).state, "expired");
    for (let n = 0; n < 3; n++) await market.book(order_id, one, accountText(carol.key));
    market.send(10n * one);
    const sent = [1n, 2n, 3n].map(
      (n) => payers.chain.wallet.send(dev("escrow"), carol.key, n * one).hash,
    );
    const proof = { order_id, currency: "xno", proof: "checked" } as const;
    await Promise.all(
      [...sent, ...sent].map((txid) => unlessRejected(recordRefund(context, { ...proof, txid }))),
    );
    const { refunds } = await seen(buyer, order_id);
    const paid: (string | null)[] = refunds.map(({ txid }: { txid: string | null }) => txid);
    assert.notEqual(paid[0], null, "one of them has won");
    for (const [i, txid] of sent.entries()) {
      const count = paid.filter((each) => each === txid).length;
      assert.ok(count === 0 || count === i + 1, `${paid}`);
    }
  }
});

eachMarket("operators who record one payout record it once", async (market) => {
  const { seller, buyer, context, pass } = market;
  const offer_id = await market.offer();
  await seller.post("/market/payout-address", { address: accountText(dev("bob").key) });
  pass(DAY_S);
  await market.watch();
  const proof = { proof: "unchecked", reason: REASON } as const;
  for (let round = 0; round < ROUNDS; round++) {
    const { id: order_id } = await market.delivered(offer_id);
    await buyer.post("/market/accept", { order_id });
    const done = await Promise.allSettled(
      times(RUNNERS, (n) => {
        const txid = String(2 * round + (n % 2) + 1).padStart(64, "C");
        return recordPayout(
          { ...context, chain: null },
          { order_id, currency: "xno", txid, ...proof },
        );
      }),
    );
    assert.equal(done.filter(({ status }) => status === "fulfilled").length, 1);
    once(await steps(market, order_id), "payout");
  }
});

eachMarket("no order of an offer stands behind its withdrawal", async (market) => {
  const { seller, buyer, get, sequenced } = market;
  await market.watch();
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const offer_id = await market.offer();
    await Promise.all([
      seller.post("/market/offer/withdraw", { offer_id }),
      ...times(3, () => buyer.post("/market/order", { offer_id })),
    ]);
    await sequenced();
    const { body } = await get("/since?limit=1000&kinds=order,offer_withdrawn");
    const of = body.entries.filter((entry: { body: { offer_id: number } }) => {
      return entry.body.offer_id === offer_id;
    });
    assert.equal(of.at(-1)?.kind, "offer_withdrawn");
    market.pass(2 * HOUR_S);
    await market.watch();
    await settleDueOrders(market.context, 100);
  }
});
