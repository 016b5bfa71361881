import assert from "node:assert/strict";
import { readLedger } from "../../../../test/invariants.ts";
import { eachMarket } from "../../../../test/market-service.ts";
import { DAY_S, HOUR_S } from "../../../platform/kernel/time.ts";
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
