import assert from "node:assert/strict";
import { eachMarket, type Market } from "../../../../test/market-service.ts";
import { times } from "../../../../test/postgres-store.ts";
import type { TestAgent } from "../../../../test/service.ts";
import { PAGE_MAX_BYTES } from "../../../platform/kernel/contract/page.ts";
import { PAYMENT_MIN_RAW } from "../amounts.ts";
import { DELIVERIES_MAX, DELIVERY_MAX_BYTES } from "../rules.ts";

const VIEW_MAX_BYTES = 160 * 1_024;

async function view(by: TestAgent, path: string) {
  const { body } = await by.get(`/market/order?${path}`);
  return { ...body.order, bytes: Buffer.byteLength(JSON.stringify(body)) };
}

eachMarket("an order with over a hundred payments shows the newest", async (market) => {
  const { buyer } = market;
  const { id } = await market.paid(await market.offer());
  await market.book(id, PAYMENT_MIN_RAW);
  const { owed_since } = await market.seen(buyer, id);
  market.pass(60);
  for (const _ of times(100, (n) => n)) await market.book(id, PAYMENT_MIN_RAW);
  const { bytes, payment, refunds, history, ...order } = await view(buyer, `id=${id}`);
  assert.ok(bytes < VIEW_MAX_BYTES, `${bytes} bytes`);
  const ends = (list: { n: number }[]) => [list.length, list[0]?.n, list.at(-1)?.n];
  assert.deepEqual([...ends(payment.payments), payment.payments_count], [100, 3, 102, 102]);
  assert.deepEqual([...ends(refunds), order.refunds_count], [100, 2, 101, 101]);
  assert.equal(order.owed_since, owed_since, "since the oldest debt, though it is not shown");
  assert.equal(refunds[0].at, owed_since + 60);
  assert.deepEqual([history.length, history.at(-1).ref], [100, `${id}/101`]);
  assert.equal(order.history_count, 3 + 2 * 101, "two for each payment after the first");
});

/** Each character of it takes six bytes of JSON. */
const deliver = ({ seller }: Market, order_id: number, of: string) =>
  seller.post("/market/deliver", { order_id, body: of.repeat(DELIVERY_MAX_BYTES) });

eachMarket("deliveries that do not fit are read one by one", async (market) => {
  const { buyer, seller } = market;
  const { id } = await market.paid(await market.offer());
  for (const n of times(DELIVERIES_MAX, (i) => i + 1)) {
    const { status, body } = await deliver(market, id, String.fromCharCode(n));
    assert.deepEqual([status, body.delivery.n], [201, n]);
  }
  for (const party of [buyer, seller]) {
    const { bytes, deliveries, ...order } = await view(party, `id=${id}`);
    assert.ok(bytes <= PAGE_MAX_BYTES, `${bytes} bytes`);
    const shown = deliveries.map(({ n }: { n: number }) => n);
    assert.deepEqual([shown, order.deliveries_count, order.deliveries_more], [[3, 4], 4, true]);
    const first = await view(party, `id=${id}&delivery=1`);
    assert.deepEqual([first.deliveries.length, first.deliveries_more], [1, false]);
    assert.equal(first.deliveries[0].body, "\u0001".repeat(DELIVERY_MAX_BYTES));
  }
});
