import assert from "node:assert/strict";
import { accountText } from "../src/chain/account.ts";
import { newPair, type Pair, setKey, signed, signedBody } from "./act-keys.ts";
import { dev } from "./chain-service.ts";
import { wealthy } from "./coin.ts";
import { eachMarket } from "./market-service.ts";
import { findingsIn } from "./replay.ts";
import { eachEngine } from "./service.ts";

const SALT = "00112233445566778899aabbccddeeff";

eachMarket(
  "a sale whose parties sign each act, from the order to the payout address",
  async (market) => {
    const { seller, buyer } = market;
    const [sells, buys]: Pair[] = [newPair(), newPair()];
    assert.ok(sells && buys);
    const offer_id = await market.offer();
    await setKey(seller, sells);
    await setKey(buyer, buys);

    const refund_address = accountText(dev("bob").key);
    const wanted = { offer_id, refund_address };
    const body = await signedBody(buyer, buys, "/market/order", wanted);
    const other = { ...body, refund_address: accountText(dev("erin").key) };
    const moved = await buyer.post("/market/order", other);
    assert.equal(moved.body.error, "act_unsigned", "the address is signed");
    const made = await signed(buyer, buys, "/market/order", wanted);
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const { id: order_id, invoice } = made.body;
    await market.book(order_id, invoice.due_raw);

    const delivery = { order_id, body: "Here it is." };
    const unsalted = await seller.post("/market/deliver", delivery);
    assert.equal(unsalted.body.error, "validation_failed");
    const delivered = await signed(seller, sells, "/market/deliver", {
      ...delivery,
      content_salt: SALT,
    });
    assert.equal(delivered.status, 201, JSON.stringify(delivered.body));

    const address = accountText(dev("carol").key);
    const set = await signed(seller, sells, "/market/payout-address", { address });
    assert.equal(set.status, 200, JSON.stringify(set.body));
    const accepted = await signed(buyer, buys, "/market/accept", { order_id });
    assert.equal(accepted.body.order.state, "released", JSON.stringify(accepted.body));
    await market.sequenced();
    const { entries } = (await market.get("/since?after_id=0&limit=500")).body;
    const acts = entries.filter(({ body }: { body: object }) => "act_signature" in body);
    assert.deepEqual(
      acts.map(({ kind, body }: { kind: string; body: { act: number } }) => [kind, body.act]),
      [
        ["order", 2],
        ["order_delivered", 2],
        ["payout_address", 3],
        ["order_released", 3],
      ],
    );
  },
);

eachEngine("what nobody signed is no act of an agent with a key", async (service) => {
  const [ada, bob] = await wealthy(service, 2);
  assert.ok(ada && bob);
  const key = newPair();
  await setKey(ada, key);
  assert.equal(
    (await signed(ada, key, "/coin/send", { to: bob.agent_id, amount: 0.1 })).status,
    201,
  );
  await service.sequenced();
  const { entries } = (await service.get("/since?after_id=0&limit=500")).body;
  const last = entries.at(-1);
  assert.equal(last.kind, "coin_transfer");
  const forged = [
    { ...last.body, amount_micro: last.body.amount_micro + 1 },
    { ...last.body, to: ada.agent_id },
    { ...last.body, act: 9 },
    { ...last.body, act_signature: undefined },
    {
      ...last.body,
      act_signature: undefined,
      act: undefined,
      key: undefined,
      not_after: undefined,
    },
    { ...last.body, key: 2 },
  ];
  for (const body of forged) {
    const forgery = { ...last, body: JSON.parse(JSON.stringify(body)) };
    const found = findingsIn([...entries.slice(0, -1), forgery]);
    assert.deepEqual(
      found.map(({ ledger_id }) => ledger_id),
      [last.id],
      JSON.stringify(body),
    );
  }
});
