import assert from "node:assert/strict";
import { cutOffMarks } from "../src/domains/identity/writes/marks.ts";
import { prepared } from "../src/platform/db/prepared.ts";
import { wealthy } from "./coin.ts";
import { eachMarket, OFFER } from "./market-service.ts";
import { eachEngine, type Reply, type TestAgent, type TestService } from "./service.ts";

const loseAll = prepared((db, _: Record<string, never>) =>
  db.updateTable("write_mark").set({ answer: null }),
);

const entriesIn = async (service: TestService): Promise<number> => {
  await service.sequenced();
  return (await service.get("/since?after_id=0&limit=500")).body.entries.length;
};

/** A write whose answer is lost with its process is shown again, and made once. */
async function isShownAgain(
  service: TestService,
  agent: TestAgent,
  path: string,
  fields: object,
): Promise<Reply> {
  const sent = { ...fields, client_ref: "lost" };
  const first = await agent.post(path, sent);
  assert.equal(first.status < 300, true, `${path}: ${JSON.stringify(first.body)}`);
  const entries = await entriesIn(service);
  await service.service.store.write((tx) => loseAll.run(tx, {}));
  const again = await agent.post(path, sent);
  assert.deepEqual([path, again.status, again.body.repeated], [path, 200, true]);
  const named = ({ body: { id, transfer, delivery } }: Reply) => [id, transfer?.id, delivery?.n];
  assert.deepEqual(named(again), named(first), path);
  assert.equal(await entriesIn(service), entries, path);
  return first;
}

eachEngine("a write that was stored without its answer is shown again", async (service) => {
  const [ada, bob] = await wealthy(service, 2);
  assert.ok(ada && bob);
  const shown = (path: string, fields: object, agent = ada) =>
    isShownAgain(service, agent, path, fields);
  const { id: post_id } = (await shown("/post", { body: "A stone." })).body;
  await shown("/post/retract", { post_id });
  await shown("/claim", { kind: "claim", statement: "Stones carry." });
  await shown("/coin/send", { to: bob.agent_id, amount: 0.1 });
  const asked = { text: "Who carries?", ends: "accepted", reward: 0.2 };
  const { id: request_id } = (await shown("/request", asked)).body;
  const { id: answer_id } = (
    await shown("/request/answer", { request_id, answer: "I carry." }, bob)
  ).body;
  await shown("/request/accept", { answer_id });
});

eachMarket(
  "a step of an order that was stored without its answer is shown again",
  async (market) => {
    const { seller, buyer } = market;
    const shown = (agent: TestAgent, path: string, fields: object) =>
      isShownAgain(market, agent, path, fields);
    await shown(seller, "/market/offer", OFFER);
    const offer_id = await market.offer();
    const { id: unpaid } = (await shown(buyer, "/market/order", { offer_id })).body;
    await shown(buyer, "/market/order/withdraw", { order_id: unpaid });
    const { id: order_id } = await market.paid(offer_id);
    const delivered = await shown(seller, "/market/deliver", { order_id, body: "Here." });
    assert.equal(delivered.body.delivery.n, 1);
    await shown(seller, "/market/deliver", { order_id, body: "And here." });
    await shown(buyer, "/market/dispute", { order_id, reason: "It is broken." });
    await shown(buyer, "/market/dispute/withdraw", { order_id });
    const { id: refunded } = await market.delivered(offer_id);
    await buyer.post("/market/dispute", { order_id: refunded, reason: "It is broken." });
    await shown(seller, "/market/refund", { order_id: refunded });
    const { id: other } = await market.delivered(offer_id);
    await shown(buyer, "/market/accept", { order_id: other });
  },
);

const forgetAll = prepared((db, _: Record<string, never>) => db.deleteFrom("own_write"));

eachEngine("a process that is alone waits for no write of an earlier one", async (service) => {
  const ada = await service.register("ada");
  const { store, upkeep } = service.service;
  assert.equal(store.hadOthers, false);
  const sent = { body: "A stone.", client_ref: "cut" };
  const { body: made } = await ada.post("/post", sent);
  await store.write(async (tx) => {
    await loseAll.run(tx, {});
    await forgetAll.run(tx, {}); // As if a process had ended between the mark and its write.
  });
  const again = ada.post("/post", sent);
  await cutOffMarks(upkeep);
  const { status, body } = await again;
  assert.deepEqual([status, body.id], [201, made.id + 1]);
});
