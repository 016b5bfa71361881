import assert from "node:assert/strict";
import { newPair, setKey, signed } from "../../../../test/act-keys.ts";
import { readLedger } from "../../../../test/invariants.ts";
import { eachMarket, type Market } from "../../../../test/market-service.ts";
import { operate } from "../../../../test/operator.ts";
import type { TestAgent } from "../../../../test/service.ts";
import { actKey, withActs } from "../../../client/acts.ts";
import { connect } from "../../../client/index.ts";
import { DAY_S, days, HOUR_S } from "../../../platform/kernel/time.ts";
import { holdOrder } from "./operator.ts";
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

eachMarket("a dispute that nobody decides ends after 30 days, and is made once", async (market) => {
  const { buyer, seen, context } = market;
  const { id: order_id } = await market.delivered(await market.offer());
  const answers = await Promise.all([
    buyer.post("/market/dispute", { order_id, reason: REASON }),
    buyer.post("/market/accept", { order_id }),
    buyer.post("/market/dispute", { order_id, reason: REASON }),
  ]);
  const disputed = answers.filter(({ status }) => status === 201).length;
  assert.equal((await seen(buyer, order_id)).state, "released", "it accepts a held one, too");
  assert.ok(disputed <= 1);

  const other = await market.delivered(await market.offer());
  await buyer.post("/market/dispute", { order_id: other.id, reason: REASON });
  market.pass(days(30) + DAY_S);
  await settleOrders(context, [{ id: other.id, scanned_at: null }]);
  assert.equal((await seen(buyer, other.id)).state, "delivered");
});

/** A delivered order whose buyer has disputed it an hour ago, when an hour of its time had gone. */
async function disputed(market: Market): Promise<number> {
  await market.watch();
  const { id: order_id } = await market.delivered(await market.offer());
  market.pass(HOUR_S);
  const made = await market.buyer.post("/market/dispute", { order_id, reason: REASON });
  assert.equal(made.body.order.state, "held");
  market.pass(HOUR_S);
  return order_id;
}

/** Who ended the last hold of an order and how, and the newest entry in each party's inbox. */
async function ended(market: Market, order_id: number) {
  const { hold } = await market.seen(market.buyer, order_id);
  await market.sequenced();
  const told = async ({ get }: TestAgent) =>
    (await get("/inbox?why=order&limit=100")).body.items
      .filter(({ kind }: { kind: string }) => kind === "order_resolved")
      .map(({ ref }: { ref: string }) => ref);
  return {
    end: [hold.outcome, hold.ended_by, hold.outcome_reason],
    buyer: await told(market.buyer),
    seller: await told(market.seller),
  };
}

eachMarket("a buyer takes its dispute back, and the order has its time again", async (market) => {
  const { buyer, seller, seen, service } = market;
  const order_id = await disputed(market);
  const { accept_by } = await seen(buyer, order_id);
  const withdraw = async (agent: TestAgent) => {
    const { status, body } = await agent.post("/market/dispute/withdraw", { order_id });
    return [status, body.error ?? body.order.state];
  };
  assert.deepEqual(await withdraw(seller), [409, "wrong_role"]);
  assert.deepEqual(await withdraw(buyer), [200, "delivered"]);
  const after = await seen(buyer, order_id);
  assert.equal(after.accept_by, accept_by + 2 * HOUR_S, "an hour held, and three days at least");
  assert.deepEqual(await ended(market, order_id), {
    end: ["resume", "buyer", "The buyer has taken its dispute back."],
    buyer: [],
    seller: [`${order_id}/1`],
  });
  assert.deepEqual(await withdraw(buyer), [409, "invalid_state"], "it is no dispute any more");
  assert.doesNotMatch((await operate(service, "market due")).text, /dispute order/);
  market.pass(after.accept_by - after.state_since);
  assert.equal((await seen(buyer, order_id)).state, "released", "the clock runs on");
});

eachMarket("a buyer accepts in spite of its dispute", async (market) => {
  const order_id = await disputed(market);
  const { body } = await market.buyer.post("/market/accept", { order_id });
  assert.deepEqual([body.already_released, body.order.state], [false, "released"]);
  const { end, ...inboxes } = await ended(market, order_id);
  assert.deepEqual(end, ["release", "buyer", "The buyer has accepted the delivery."]);
  assert.deepEqual(inboxes, { buyer: [], seller: [`${order_id}/1`] });
});

eachMarket("a seller gives a disputed payment back, and nothing else", async (market) => {
  const { buyer, seller, seen, context } = market;
  const refund = async (agent: TestAgent, order_id: number) => {
    const { status, body } = await agent.post("/market/refund", { order_id });
    return [status, body.error ?? body.order.state];
  };
  const undisputed = await market.delivered(await market.offer());
  assert.deepEqual(await refund(seller, undisputed.id), [409, "invalid_state"]);
  await holdOrder(context, { order_id: undisputed.id, reason: "Wait." });
  const held = await seller.post("/market/refund", { order_id: undisputed.id });
  assert.match(held.body.message, /^The operator holds this order/);
  const order_id = await disputed(market);
  assert.deepEqual(await refund(buyer, order_id), [409, "wrong_role"]);
  assert.deepEqual(await refund(seller, order_id), [200, "refund_due"]);
  assert.deepEqual(await ended(market, order_id), {
    end: ["refund", "seller", "The seller gives the payment back."],
    buyer: [`${order_id}/1`],
    seller: [],
  });
  const { split, refunds } = await seen(buyer, order_id);
  assert.deepEqual(
    refunds.map(({ why, amount_raw }: { why: string; amount_raw: string }) => [why, amount_raw]),
    [["seller", split.due_raw]],
  );
  assert.deepEqual(await refund(seller, order_id), [409, "invalid_state"], "once");
});

eachMarket("of the parties' ends of one dispute a single one is made", async (market) => {
  for (let round = 0; round < 3; round++) {
    const order_id = await disputed(market);
    const answers = await Promise.all([
      market.seller.post("/market/refund", { order_id }),
      market.buyer.post("/market/dispute/withdraw", { order_id }),
      market.seller.post("/market/refund", { order_id }),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
  }
});

eachMarket("parties with act keys sign the end of a dispute", async (market) => {
  const { buyer, seller } = market;
  const orders = [];
  for (let n = 0; n < 3; n++) orders.push(await disputed(market));
  const [first, second, third] = orders;
  const [buyersKey, sellersKey] = [newPair(), newPair()];
  await setKey(buyer, buyersKey);
  await setKey(seller, sellersKey);
  const back = await signed(buyer, buyersKey, "/market/dispute/withdraw", { order_id: first });
  assert.equal(back.body.order?.state, "delivered", JSON.stringify(back.body));
  const accepted = await signed(buyer, buyersKey, "/market/accept", { order_id: second });
  assert.equal(accepted.body.order?.state, "released", JSON.stringify(accepted.body));
  const foreign = await signed(seller, buyersKey, "/market/refund", { order_id: third });
  assert.deepEqual([foreign.status, foreign.body.error], [422, "act_unsigned"]);
  const given = await signed(seller, sellersKey, "/market/refund", { order_id: third });
  assert.equal(given.body.order?.state, "refund_due", JSON.stringify(given.body));
  await market.sequenced();
  const acts = (await readLedger(market))
    .filter(({ body }) => body["act_signature"] !== undefined)
    .map(({ kind, body: { by, outcome } }) => [kind, by, outcome]);
  assert.deepEqual(acts, [
    ["order_resolved", "buyer", "resume"],
    ["order_released", "buyer", undefined],
    ["order_resolved", "seller", "refund"],
  ]);
});

eachMarket("the client signs the end of a dispute by what was asked for", async (market) => {
  const { service, buyer, seller } = market;
  const [first, second] = [await disputed(market), await disputed(market)];
  const { now } = service.context.clock;
  const signing = async (agent: TestAgent) => {
    const { seed, ...key } = actKey();
    await setKey(agent, { pubkey: key.pubkey, sign: (text) => String(key.sign(text)) });
    const network = connect({ baseUrl: market.url, token: agent.token });
    return withActs(network, agent.agent_id, key, { now });
  };
  const [bought, sold] = [await signing(buyer), await signing(seller)];
  const back = await bought.market.disputeWithdraw({ order_id: first });
  assert.equal(back.order.state, "delivered");
  const given = await sold.market.refund({ order_id: second });
  assert.equal(given.order.state, "refund_due");
});

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
