import assert from "node:assert/strict";
import { dev } from "../../../../test/chain-service.ts";
import { eachMarket, type Market, tagOf } from "../../../../test/market-service.ts";
import { accountText } from "../../../platform/chain/account.ts";
import { DAY_S, HOUR_S, MINUTE_S } from "../../../platform/kernel/time.ts";
import { UNIT_RAW } from "../amounts.ts";
import { settleDueOrders } from "../orders/timers.ts";

const ALICE = accountText(dev("alice").key);
const CAROL = accountText(dev("carol").key);
const XNO = 10n ** 30n;

/** The debts of an order, as both parties see them. */
const debts = async (market: Market, id: number) =>
  (await market.seen(market.buyer, id)).refunds.map(
    ({ amount_raw, why, to, state }: Record<string, string>) => [amount_raw, why, to, state],
  );

eachMarket(
  "parts of a payment add up, and too much is owed back to whom sent it last",
  async (market) => {
    const { buyer, seen } = market;
    const { id, split } = await market.order(await market.offer());
    const due = BigInt(split.due_raw);
    const part = 5n * XNO + tagOf(split);
    market.send(part);
    await market.watch();
    const first = await seen(buyer, id);
    assert.deepEqual([first.state, first.on_deadline], ["awaiting_payment", "refund_due"]);
    assert.deepEqual(first.payment.payments.length, 1);
    assert.equal(first.payment.paid_at, null);
    const rest = due - part + 2n * UNIT_RAW;
    market.send(rest - (rest % UNIT_RAW) + tagOf(split), "carol");
    await market.watch();
    const paid = await seen(buyer, id);
    assert.equal(paid.state, "paid");
    const surplus = BigInt(paid.payment.received_raw) - due;
    assert.ok(surplus >= UNIT_RAW);
    assert.deepEqual(await debts(market, id), [[String(surplus), "surplus", CAROL, "due"]]);
  },
);

eachMarket(
  "less than a unit too much, or the base alone, pays an order exactly",
  async (market) => {
    const offer_id = await market.offer();
    const { id, split } = await market.order(offer_id);
    await market.book(id, BigInt(split.due_raw) + UNIT_RAW - 1n);
    assert.deepEqual(await debts(market, id), []);
    const next = await market.order(offer_id);
    await market.book(next.id, BigInt(next.split.due_raw) - tagOf(next.split));
    const { state, refunds } = await market.seen(market.buyer, next.id);
    assert.deepEqual([state, refunds], ["paid", []]);
  },
);

eachMarket(
  "a payment that comes late, twice or not whole is owed back to its sender",
  async (market) => {
    const { buyer, seen, pass } = market;
    const offer_id = await market.offer();
    const [late, short, twice] = [
      await market.order(offer_id),
      await market.order(offer_id),
      await market.paid(offer_id),
    ];
    await market.book(short.id, XNO, ALICE);
    await market.book(short.id, 2n * XNO, CAROL);
    await market.book(short.id, 3n * XNO, ALICE);
    await market.book(twice.id, twice.split.due_raw, CAROL);
    pass(HOUR_S + 10 * MINUTE_S + 1);
    assert.equal((await seen(buyer, late.id)).state, "awaiting_payment", "nobody has looked yet");
    await market.watch();
    assert.equal((await seen(buyer, late.id)).state, "expired");
    assert.deepEqual(await debts(market, short.id), [
      [String(4n * XNO), "short", ALICE, "due"],
      [String(2n * XNO), "short", CAROL, "due"],
    ]);
    market.send(late.split.due_raw);
    await market.watch();
    assert.equal((await seen(buyer, late.id)).state, "refund_due");
    assert.deepEqual(await debts(market, late.id), [[late.split.due_raw, "late", ALICE, "due"]]);
    assert.equal((await seen(buyer, twice.id)).state, "paid");
    assert.deepEqual(await debts(market, twice.id), [[twice.split.due_raw, "extra", CAROL, "due"]]);
    await market.sequenced();
    const { totals, reserves } = (await market.get("/market/ledger")).body;
    assert.equal(totals.refunds_due_usd, 10 + 10 + 3.2 + 1.6);
    const owed = [4n * XNO, 2n * XNO, ...[late, twice, twice].map((o) => BigInt(o.split.due_raw))];
    assert.equal(reserves.owed_raw, String(owed.reduce((sum, each) => sum + each)));
  },
);

eachMarket("what nobody does the clock does, on a look or by the job", async (market) => {
  const { buyer, seller, seen, pass, context } = market;
  const offer_id = await market.offer({ sla_hours: 1 });
  const [looked, settled] = [await market.paid(offer_id), await market.paid(offer_id)];
  pass(DAY_S + HOUR_S - 1);
  assert.deepEqual((await seen(seller, looked.id)).allowed_actions, ["deliver"]);
  pass(1);
  assert.equal((await seen(buyer, looked.id)).state, "refund_due");
  assert.deepEqual(
    (await seen(buyer, looked.id)).refunds.map(({ why }: { why: string }) => why),
    ["undelivered"],
  );
  assert.equal(await settleDueOrders(context, 10), 1);
  assert.equal(await settleDueOrders(context, 10), 0);
  const { orders } = (await buyer.get("/market/order")).body;
  assert.deepEqual(
    orders.map(({ id, state }: { id: number; state: string }) => [id, state]),
    [
      [settled.id, "refund_due"],
      [looked.id, "refund_due"],
    ],
  );
  await market.watch();
  const late = await market.paid(offer_id);
  pass(2 * HOUR_S);
  const made = await seller.post("/market/deliver", { order_id: late.id, body: "Late." });
  assert.deepEqual([made.status, made.body.delivery.late], [201, true]);
  pass(3 * DAY_S - 1);
  assert.deepEqual((await seen(buyer, late.id)).allowed_actions, ["accept", "dispute"]);
  const last = await seller.post("/market/deliver", { order_id: late.id, body: "Better." });
  assert.equal(last.body.order.accept_by, last.body.delivery.at + DAY_S, "a day to look at it");
  pass(DAY_S);
  const { orders: own } = (await seller.get("/market/order?limit=1")).body;
  assert.deepEqual([own[0].state, own[0].allowed_actions], ["released", ["set_payout_address"]]);
  const accepted = await buyer.post("/market/accept", { order_id: late.id });
  assert.equal(accepted.body.already_released, true);
});

eachMarket("an order has at most four deliveries", async (market) => {
  const { seller } = market;
  const { id } = await market.delivered(await market.offer());
  for (let n = 2; n <= 4; n++)
    assert.equal(
      (await seller.post("/market/deliver", { order_id: id, body: `${n}` })).body.delivery.n,
      n,
    );
  assert.deepEqual((await market.seen(seller, id)).allowed_actions, []);
  const fifth = await seller.post("/market/deliver", { order_id: id, body: "5" });
  assert.deepEqual([fifth.status, fifth.body.error], [409, "delivery_limit"]);
  for (const body of ["", " ", "x".repeat(65_537), "\u0000", 5])
    assert.equal((await seller.post("/market/deliver", { order_id: id, body })).status, 422);
});

eachMarket("strangers see no order, and no list of another's", async (market) => {
  const { id } = await market.delivered(await market.offer());
  const eve = await market.register("eve");
  const { status, body } = await eve.get(`/market/order?id=${id}`);
  assert.deepEqual([status, body.error], [404, "order_not_found"]);
  assert.deepEqual((await eve.get(`/market/order?id=99`)).body.message, body.message);
  assert.deepEqual((await eve.get("/market/order")).body.orders, []);
  assert.equal((await market.get("/market/order")).status, 401);
});
