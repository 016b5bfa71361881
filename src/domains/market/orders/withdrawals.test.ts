import assert from "node:assert/strict";
import { eachMarket } from "../../../../test/market-service.ts";

eachMarket(
  "a buyer takes an order back that nobody has paid, and later money is owed back",
  async (market) => {
    const { seller, buyer, seen } = market;
    const offer = await market.offer();
    const order = await market.order(offer);
    const withdraw = async (by: typeof buyer, order_id: number, fields: object = {}) => {
      const { status, body } = await by.post("/market/order/withdraw", { order_id, ...fields });
      return [status, body.error ?? body.order.state];
    };
    assert.deepEqual(await withdraw(seller, order.id), [409, "wrong_role"]);
    assert.deepEqual(await withdraw(seller, 99), [404, "order_not_found"]);
    const tried = await buyer.post("/market/order/withdraw", { order_id: order.id, dry_run: true });
    assert.equal(tried.status, 200);
    assert.equal((await seen(buyer, order.id)).state, "awaiting_payment");
    assert.deepEqual(await withdraw(buyer, order.id), [200, "withdrawn"]);
    assert.deepEqual(await withdraw(buyer, order.id), [200, "withdrawn"], "once more is the same");
    await market.sequenced();
    const { entries } = (await market.get("/since?after_id=0&limit=500&kinds=order_expired")).body;
    assert.deepEqual(
      entries.map(({ body: { order_id, by } }: { body: object & Record<string, unknown> }) => [
        order_id,
        by,
      ]),
      [[order.id, "buyer"]],
    );
    market.send(order.split.due_raw);
    await market.watch();
    const late = await seen(buyer, order.id);
    assert.deepEqual([late.state, late.refunds[0].why], ["refund_due", "late"]);

    const partly = await market.order(offer);
    await market.book(partly.id, BigInt(partly.split.due_raw) / 2n);
    assert.deepEqual(await withdraw(buyer, partly.id), [409, "invalid_state"]);
    const paid = await market.paid(offer);
    assert.deepEqual(await withdraw(buyer, paid.id), [409, "invalid_state"]);
  },
);

eachMarket("a withdrawn order makes room among the unpaid ones", async (market) => {
  const { buyer } = market;
  const offer_id = await market.offer();
  const ids: number[] = [];
  for (let i = 0; i < 20; i++) ids.push((await market.order(offer_id)).id);
  const full = await buyer.post("/market/order", { offer_id });
  assert.deepEqual([full.status, full.body.error], [409, "too_many_open_orders"]);
  await buyer.post("/market/order/withdraw", { order_id: ids[0] });
  assert.equal((await buyer.post("/market/order", { offer_id })).status, 201);
});
