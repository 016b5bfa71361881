import assert from "node:assert/strict";
import { FAULTS } from "../../../../test/chain-faults.ts";
import { dev } from "../../../../test/chain-service.ts";
import { eachMarket, type Market } from "../../../../test/market-service.ts";
import { accountText } from "../../../platform/chain/account.ts";
import { honest } from "../../../platform/chain/dev/node.ts";
import { DAY_S, HOUR_S } from "../../../platform/kernel/time.ts";
import { Forbidden } from "../../../platform/ledger/forbidden.ts";
import { fault } from "../../../platform/ledger/transition.ts";
import { oldDoubts } from "../doubts/queries.ts";
import { recordPayout } from "../payouts/settlements.ts";
import { orderById } from "../queries.ts";
import { orderReleased } from "../steps/delivering.ts";
import { orderPayment } from "../steps/paying.ts";
import { transferChecked } from "../steps/sending.ts";
import { settleDueOrders } from "./timers.ts";

const NO = fault("This order pleases nobody.");

/** Runs with a rule that has a fault: it forbids the step of one order. */
async function forbidding<S extends { rule?(...given: never): unknown }>(
  step: S,
  order_id: number,
  run: () => Promise<void>,
): Promise<void> {
  const { rule } = step;
  const faulty = (order: { readonly id: number }, ...given: unknown[]) =>
    order.id === order_id ? NO : Reflect.apply(Object(rule), step, [order, ...given]);
  Object.assign(step, { rule: faulty });
  await run().finally(() => Object.assign(step, { rule }));
}

const isForbidden =
  (what: string) =>
  (error: unknown): boolean =>
    error instanceof Forbidden && error.message === `${what}: ${NO.sentence}`;

/** As it is stored: who looks at an order ends it when its time is over. */
const stateOf = async ({ context: { read } }: Market, id: number) =>
  (await orderById.first(read, { id }))?.state;

eachMarket("the clock ends orders beside one that a rule forbids to end", async (market) => {
  const { context, pass } = market;
  const offer_id = await market.offer();
  const [one, other] = [await market.delivered(offer_id), await market.delivered(offer_id)];
  pass(4 * DAY_S);
  await forbidding(orderReleased, one.id, async () => {
    const end = settleDueOrders(context, 10);
    await assert.rejects(end, isForbidden(`order_released ${one.id}`));
    assert.equal(await stateOf(market, other.id), "released");
  });
  await settleDueOrders(context, 10);
  assert.equal(await stateOf(market, one.id), "released", "once its rule is right");
});

eachMarket("the watcher books payments beside one that a rule forbids", async (market) => {
  const { context, pass } = market;
  const offer_id = await market.offer();
  const [one, other] = [await market.order(offer_id), await market.order(offer_id)];
  const txid = market.send(one.split.due_raw);
  market.send(other.split.due_raw);
  await forbidding(orderPayment, one.id, async () => {
    await assert.rejects(market.watch(), isForbidden(`order_payment ${one.id}/1`));
    assert.deepEqual(
      [await stateOf(market, one.id), await stateOf(market, other.id)],
      ["awaiting_payment", "paid"],
    );
    const [doubt] = await oldDoubts.all(context.read, {
      before: context.clock.now(),
      limit: 10,
      offset: 0,
    });
    assert.deepEqual([doubt?.hash, doubt?.order_id], [txid, one.id], "the operator sees it");
    await market.order(offer_id); // The account was read to its end.
    pass(2 * HOUR_S);
    await settleDueOrders(context, 10);
    assert.equal(await stateOf(market, one.id), "awaiting_payment", "its payment is here");
  });
  pass(HOUR_S);
  await market.watch();
  assert.equal(await stateOf(market, one.id), "paid", "once its rule is right");
});

eachMarket("the chain is asked of transfers beside one that a rule forbids", async (market) => {
  const { context, pass, payers, seller, buyer } = market;
  const address = accountText(dev("erin").key);
  await seller.post("/market/payout-address", { address });
  pass(DAY_S);
  await market.watch();
  const offer_id = await market.offer();
  const sold = [await market.delivered(offer_id), await market.delivered(offer_id)];
  payers.spoil(FAULTS.brokenProxy);
  for (const [i, { id: order_id }] of sold.entries()) {
    await buyer.post("/market/accept", { order_id });
    const sent = { order_id, currency: "xno", txid: `${i + 1}`.repeat(64) } as const;
    await recordPayout(context, { ...sent, proof: "unchecked", reason: "The node was away." });
  }
  payers.spoil(honest);
  payers.pass(HOUR_S * 1_000);
  pass(3 * DAY_S);
  const [one, other] = sold.map(({ id }) => id);
  await forbidding(transferChecked, one, async () => {
    await assert.rejects(market.recheck(), isForbidden(`transfer_checked payout/${one}`));
    assert.deepEqual(
      [await stateOf(market, one), await stateOf(market, other)],
      ["paid_out", "released"],
    );
    assert.deepEqual(await market.recheck(), [], "it waits for an hour");
  });
  pass(HOUR_S);
  assert.deepEqual(await market.recheck(), [`payout/${one}`], "once its rule is right");
});
