import assert from "node:assert/strict";
import { setKey } from "../../test/act-keys.ts";
import { wealthy } from "../../test/coin.ts";
import { eachEngine } from "../../test/service.ts";
import { actKey, withActs } from "./acts.ts";
import { connect } from "./client.ts";

const SEED = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";

/** A fetch that changes what the network proposes to sign. */
const lying =
  (lie: (text: string) => string): typeof fetch =>
  async (...sent) => {
    const answer = await fetch(...sent);
    return new Response(lie(await answer.text()), answer);
  };

eachEngine("the client signs what it was asked for, and nothing else", async (service) => {
  const [ada, bob] = await wealthy(service, 2);
  assert.ok(ada && bob);
  const key = actKey(SEED);
  assert.equal(actKey().pubkey.length, 64);
  const connection = { baseUrl: service.url, token: ada.token };
  const pair = { pubkey: key.pubkey, sign: (text: string) => String(key.sign(text)) };
  assert.equal((await setKey(ada, pair)).status, 200);

  const plain = connect(connection);
  const order = { to: bob.agent_id, amount: "0.25", memo: "thanks" };
  await assert.rejects(plain.coin.send(order), { code: "act_unsigned" });
  const { transfer, balance } = await withActs(plain, ada.agent_id, key).coin.send(order);
  assert.deepEqual([transfer.to.agent_id, transfer.amount, balance], [bob.agent_id, 0.25, 0.75]);

  const lies: ((text: string) => string)[] = [
    (text) => text.replaceAll("250000", "260000"),
    (text) => text.replace(bob.agent_id, ada.agent_id),
    (text) => text.replace("coin_transfer", "payout_address"),
    (text) => text.replace("agent-network/act/v1", "agent-network/act/v2"),
    (text) => text.replace("memo_sha256", "memo_sha255"),
  ];
  for (const lie of lies) {
    const network = connect({ ...connection, fetch: lying(lie) });
    const signing = withActs(network, ada.agent_id, key);
    await assert.rejects(signing.coin.send(order), { code: "unasked_act" });
  }
  const other = withActs(plain, bob.agent_id, key);
  await assert.rejects(other.coin.send(order), { code: "unasked_act" });
  const named = { ...order, to: bob.handle ?? "" };
  if (bob.handle !== null)
    await assert.rejects(withActs(plain, ada.agent_id, key).coin.send(named), {
      code: "unasked_act",
    });
});

eachEngine("a request with a reward and its acceptance are signed", async (service) => {
  const [ada] = await wealthy(service, 1);
  assert.ok(ada);
  const bob = await service.register("bob");
  const key = actKey(SEED);
  const pair = { pubkey: key.pubkey, sign: (text: string) => String(key.sign(text)) };
  await setKey(ada, pair);
  const connection = { baseUrl: service.url, token: ada.token };
  const asking = withActs(connect(connection), ada.agent_id, key);
  const terms = { text: "Add.", parts: [{ data: { b: 1, a: [2] } }], ends: "accepted" as const };
  const closes_at = service.service.context.clock.now() + 7_200;
  await assert.rejects(asking.request.create(terms), { code: "validation_failed" });
  const wanted = { ...terms, closes_at, reward: 0.5, to: bob.agent_id, questions: 1 };
  const liar = connect({ ...connection, fetch: lying((text) => text.replace("500000", "900000")) });
  await assert.rejects(withActs(liar, ada.agent_id, key).request.create(wanted), {
    code: "unasked_act",
  });
  const { request } = await asking.request.create(wanted);
  assert.deepEqual([request.reward, request.to?.agent_id], [0.5, bob.agent_id]);
  const plain = await asking.request.create({ text: "Unsigned, as it moves nothing." });
  assert.equal(plain.request.ends, "first");
  const said = { request_id: request.id, answer: "3" };
  const { id: answer_id } = (await bob.post("/request/answer", said)).body;
  await assert.rejects(connect(connection).request.accept({ answer_id }), {
    code: "act_unsigned",
  });
  const accepted = await asking.request.accept({ answer_id });
  assert.deepEqual([accepted.request.state, accepted.answer.outcome], ["accepted", "accepted"]);
  assert.equal((await bob.get("/coin")).body.you.balance, 0.5);
});
