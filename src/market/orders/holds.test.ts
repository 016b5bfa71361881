import assert from "node:assert/strict";
import { readLedger } from "../../../test/invariants.ts";
import { eachMarket } from "../../../test/market-service.ts";
import { DAY_S, HOUR_S, MINUTE_S } from "../../kernel/time.ts";
import { type Attention, dailyAttention } from "../payouts/attention.ts";
import { holdOrder } from "./operator.ts";
import { settleDueOrders } from "./timers.ts";

const REASON = "The parties asked for it.";

eachMarket("a hold ends by itself after thirty days, and releases nothing then", async (market) => {
  const { context, buyer, seen, pass } = market;
  const offer_id = await market.offer();
  const { id: delivered } = await market.delivered(offer_id);
  pass(71 * HOUR_S);
  await market.watch();
  const { id: paid } = await market.paid(offer_id);
  for (const order_id of [delivered, paid]) await holdOrder(context, { order_id, reason: REASON });
  const { deadline_at, on_deadline } = await seen(buyer, delivered);
  assert.equal(on_deadline, "delivered");
  pass(30 * DAY_S - 1);
  assert.equal(await settleDueOrders(context, 10), 0, "a second is left");
  pass(1);
  assert.equal(await settleDueOrders(context, 10), 2);
  const after = await seen(buyer, delivered);
  assert.deepEqual([after.state, after.state_since], ["delivered", deadline_at]);
  assert.equal(
    after.accept_by,
    deadline_at + 72 * HOUR_S,
    "an hour was left, and it has three days",
  );
  assert.deepEqual(after.allowed_actions, ["accept", "dispute"]);
  assert.equal((await seen(buyer, paid)).state, "paid");
  await market.sequenced();
  const ended = (await readLedger(market)).filter(({ kind }) => kind === "order_resolved");
  assert.deepEqual(
    ended.map(({ body }) => [body["outcome"], body["by"]]),
    [
      ["resume", "deadline"],
      ["resume", "deadline"],
    ],
  );
  await holdOrder(context, { order_id: delivered, reason: "There is more to ask." });
  assert.equal((await seen(buyer, delivered)).state, "held", "the operator may hold it again");
});

eachMarket("what waits too long for the operator is told once a day", async (market) => {
  const { context, buyer, pass } = market;
  const reported: Attention[] = [];
  const poll = dailyAttention((attention) => void reported.push(attention));
  /** The kinds that are told at a look. */
  const kinds = async () => {
    await poll(context);
    return reported.splice(0).map(({ kind, count }) => `${kind} ${count}`);
  };
  const offer_id = await market.offer();
  const { id: held } = await market.paid(offer_id);
  await holdOrder(context, { order_id: held, reason: REASON });
  const { id: owed } = await market.delivered(offer_id);
  await buyer.post("/market/accept", { order_id: owed });
  const fresh = async (seconds: number) => {
    pass(seconds - 1);
    await market.watch(); // So that the scan is never old, and a second more is over.
  };
  assert.deepEqual(await kinds(), []);
  await fresh(72 * HOUR_S);
  assert.deepEqual(await kinds(), [], "a second is left");
  await fresh(MINUTE_S);
  assert.deepEqual(await kinds(), ["payout 1"]);
  await fresh(DAY_S - 1);
  assert.deepEqual(await kinds(), [], "not twice a day");
  await fresh(1);
  assert.deepEqual(await kinds(), ["payout 1"]);
  await fresh(3 * DAY_S);
  assert.deepEqual((await kinds()).sort(), ["hold 1", "payout 1"]);
  const { counters } = (await market.get("/protection")).body;
  assert.equal(counters.market_held_orders, 1);
  assert.ok(counters.market_oldest_hold_s > 7 * DAY_S);
  assert.ok(counters.market_oldest_payout_s > 72 * HOUR_S);
  assert.equal(counters.market_oldest_refund_s, null);
  const seen = await market.seen(buyer, owed);
  assert.deepEqual([seen.owed_since, seen.overdue], [seen.state_since, true]);
  assert.deepEqual((await market.seen(buyer, held)).owed_since, null);
  assert.equal((await market.get("/market")).body.limits.operator_pays_within_h, 72);
  pass(11 * MINUTE_S);
  assert.deepEqual(await kinds(), ["scan 1"], "nobody looks for payments");
});
