import assert from "node:assert/strict";
import { newPair, setKey, signed } from "../../../test/act-keys.ts";
import { eachMarket } from "../../../test/market-service.ts";
import { operate } from "../../../test/operator.ts";
import { DAY_S, days } from "../../kernel/time.ts";
import { settleOrders } from "./timers.ts";

const REASON = "It has two findings, and three were ordered.";

eachMarket(
  "a buyer stops the clock of a delivery once, and the operator decides",
  async (market) => {
    const { service, buyer, seller, seen } = market;
    const { id: order_id } = await market.delivered(await market.offer());
    const paid = await market.paid(await market.offer());
    const dispute = async (agent: typeof buyer, fields: object = {}) => {
      const { status, body } = await agent.post("/market/dispute", {
        order_id,
        reason: REASON,
        ...fields,
      });
      return [status, body.error ?? body.order.state];
    };
    assert.deepEqual(await dispute(seller), [409, "wrong_role"]);
    assert.deepEqual(await dispute(buyer, { reason: "" }), [422, "validation_failed"]);
    assert.deepEqual(await dispute(buyer, { order_id: paid.id }), [409, "invalid_state"]);
    assert.deepEqual((await seen(buyer, order_id)).allowed_actions, ["accept", "dispute"]);
    assert.deepEqual(await dispute(buyer), [201, "held"]);
    for (const party of [buyer, seller]) {
      const { hold, history } = await seen(party, order_id);
      assert.deepEqual([hold.by, hold.reason, hold.outcome], ["buyer", REASON, null]);
      assert.equal(history.at(-1).kind, "order_disputed");
    }
    await market.sequenced();
    const { items } = (await seller.get("/inbox?why=order")).body;
    assert.equal(items.at(-1).kind, "order_disputed");
    const { entries } = (await market.get("/since?after_id=0&limit=500&kinds=order_disputed")).body;
    assert.deepEqual(entries[0].text, {}, "nobody else reads the reason");
    const due = await operate(service, "market due");
    assert.match(due.text, new RegExp(`^dispute order ${order_id}: "It has two`));

    const record = async ({ agent_id }: typeof buyer) => {
      const { as_buyer, as_seller } = (await market.get(`/agent/${agent_id}`)).body.dispute_record;
      return [as_buyer, as_seller].map(({ open, released, refunded, resumed }) =>
        [open, released, refunded, resumed].join(),
      );
    };
    assert.deepEqual(await record(buyer), ["1,0,0,0", "0,0,0,0"]);
    assert.match((await operate(service, "agent show", "bob")).text, /disputes as buyer +1 open/);

    market.pass(days(5));
    assert.equal((await seen(buyer, order_id)).state, "held", "time stands still");
    await operate(
      service,
      "market resolve",
      `${order_id}`,
      "--outcome",
      "resume",
      "--reason",
      "See.",
    );
    assert.deepEqual((await seen(buyer, order_id)).allowed_actions, ["accept"]);
    assert.deepEqual(await dispute(buyer), [409, "already_disputed"]);
    assert.deepEqual(await record(seller), ["0,0,0,0", "0,0,0,1"]);
    assert.doesNotMatch((await operate(service, "market due")).text, /dispute order/);
  },
);

eachMarket(
  "a dispute that nobody decides ends after 30 days, and at most one of two acts wins",
  async (market) => {
    const { buyer, seen, context } = market;
    const { id: order_id } = await market.delivered(await market.offer());
    const answers = await Promise.all([
      buyer.post("/market/dispute", { order_id, reason: REASON }),
      buyer.post("/market/accept", { order_id }),
      buyer.post("/market/dispute", { order_id, reason: REASON }),
    ]);
    const disputed = answers.filter(({ status }) => status === 201).length;
    const { state } = await seen(buyer, order_id);
    assert.equal(state, disputed === 1 ? "held" : "released");
    assert.ok(disputed <= 1);

    const other = await market.delivered(await market.offer());
    await buyer.post("/market/dispute", { order_id: other.id, reason: REASON });
    market.pass(days(30) + DAY_S);
    await settleOrders(context, [{ id: other.id, scanned_at: null }]);
    assert.equal((await seen(buyer, other.id)).state, "delivered");
  },
);

eachMarket("a buyer with an act key signs its dispute", async (market) => {
  const { buyer } = market;
  const { id: order_id } = await market.delivered(await market.offer());
  const key = newPair();
  await setKey(buyer, key);
  const said = { order_id, reason: REASON };
  assert.equal((await buyer.post("/market/dispute", said)).body.error, "validation_failed");
  const salted = { ...said, reason_salt: "00112233445566778899aabbccddeeff" };
  const made = await signed(buyer, key, "/market/dispute", salted);
  assert.equal(made.body.order?.state, "held", JSON.stringify(made.body));
});
