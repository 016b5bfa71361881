import assert from "node:assert/strict";
import { accountText } from "../src/platform/chain/account.ts";
import { HOUR_S } from "../src/platform/kernel/time.ts";
import { newPair, type Pair, setKey, signed, signedBody, toSign } from "./act-keys.ts";
import { dev } from "./chain-service.ts";
import { wealthy } from "./coin.ts";
import type { LedgerItem } from "./invariants.ts";
import { eachMarket } from "./market-service.ts";
import { findingsIn } from "./replay.ts";
import { eachEngine, type TestService } from "./service.ts";

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

/** The kinds whose entries move a right or an agent's money, each with a write that makes it. */
async function rightsOf(service: TestService, key: Pair | null) {
  const [ada, bob] = await wealthy(service, 2);
  assert.ok(ada && bob);
  if (key !== null) await setKey(ada, key);
  const made = async (path: string, body: object): Promise<number> => {
    const { status, body: answer } = await (key === null
      ? ada.post(path, body)
      : signed(ada, key, path, body));
    assert.ok(status < 300, `${path}: ${JSON.stringify(answer)}`);
    return answer.id;
  };
  const { id: repo_id } = (await ada.post("/repo", { name: "Bridge", mission: "Carry." })).body;
  const closes_at = service.service.context.clock.now() + 2 * HOUR_S;
  const terms = { ends: "accepted", closes_at, reward: 0.5, to: bob.agent_id };
  const request_id = await made("/request", { text: "Add.", ...terms });
  const { id: answer_id } = (await bob.post("/request/answer", { request_id, answer: "3" })).body;
  const { id: plain } = (await ada.post("/request", { text: "Who carries?" })).body;
  const offer = { capability: "c", title: "t", description: "d", price_usd: 10 };
  const offer_id = await made("/market/offer", offer);
  await made("/market/offer/withdraw", { offer_id });
  await made("/repo/writers", { repo_id, agent: bob.agent_id });
  await made("/repo/writers", { repo_id, agent: bob.agent_id, remove: 1 });
  await made("/request/refuse", { answer_id, reason: "No." });
  await made("/request/withdraw", { request_id });
  await made("/request/withdraw", { request_id: plain });
  await service.sequenced();
  const { entries }: { entries: LedgerItem[] } = (await service.get("/since?after_id=0&limit=500"))
    .body;
  const acts = entries.filter(({ kind }) => RIGHTS.includes(kind));
  const kinds = acts.map(({ kind }) => kind);
  assert.deepEqual(kinds, [
    ...["offer", "offer_withdrawn", "repo_writer", "repo_writer", "request_refused"],
    ...["request_withdrawn", "request_withdrawn"],
  ]);
  return { entries, acts };
}

const RIGHTS = ["offer", "offer_withdrawn", "repo_writer", "request_refused", "request_withdrawn"];
const SIGNATURE = ["key", "act", "not_after", "act_signature"] as const;

/** A ledger up to an entry, whose body is another. */
function endingIn({ entries }: { entries: readonly LedgerItem[] }, last: LedgerItem, body: object) {
  const before = entries.filter(({ id }) => id < last.id);
  return findingsIn([...before, { ...last, body: { ...body } }]).map(
    ({ ledger_id, sentence }) => `${ledger_id}: ${sentence}`,
  );
}

eachEngine("no right of an agent with a key moves without its signature", async (service) => {
  const ledger = await rightsOf(service, newPair());
  for (const act of ledger.acts) {
    const unsigned = Object.fromEntries(
      Object.entries(act.body).filter(([name]) => !SIGNATURE.some((each) => each === name)),
    );
    assert.equal(Object.keys(act.body).length - Object.keys(unsigned).length, 4, act.kind);
    assert.deepEqual(endingIn(ledger, act, act.body), [], act.kind);
    const sentence = "You have an act key, and this act needs its signature.";
    assert.deepEqual(endingIn(ledger, act, unsigned), [`${act.id}: ${sentence}`], act.kind);
    const [other] = ledger.acts.filter(({ id }) => id !== act.id);
    const { act_signature } = { ...other?.body };
    assert.deepEqual(
      endingIn(ledger, act, { ...act.body, act_signature }),
      [`${act.id}: The signature is not one of your key over this act.`],
      act.kind,
    );
  }
});

eachEngine("an agent without a key does the same unsigned", async (service) => {
  const { entries, acts } = await rightsOf(service, null);
  assert.deepEqual(findingsIn(entries), []);
  assert.deepEqual(
    acts.filter(({ body }) => SIGNATURE.some((name) => name in body)),
    [],
  );
});

eachEngine("an act that moves a right is answered again as it was", async (service) => {
  const [ada, bob] = await wealthy(service, 2);
  assert.ok(ada && bob);
  const key = newPair();
  await setKey(ada, key);
  const twice = async (path: string, body: object) => {
    const sent = await signedBody(ada, key, path, body);
    const [first, again] = [await ada.post(path, sent), await ada.post(path, sent)];
    assert.ok(first.status < 300, `${path}: ${JSON.stringify(first.body)}`);
    assert.deepEqual(
      { ...again.body, repeated: undefined },
      { ...first.body, repeated: undefined },
    );
    assert.equal(again.body.repeated, true, path);
    return first.body;
  };
  const offer = { capability: "c", title: "t", description: "d", price_usd: 10 };
  const { id: offer_id } = await twice("/market/offer", offer);
  await twice("/market/offer/withdraw", { offer_id });
  const { id: repo_id } = (await ada.post("/repo", { name: "Bridge", mission: "Carry." })).body;
  assert.equal((await twice("/repo/writers", { repo_id, agent: bob.agent_id })).changed, true);
  const closes_at = service.service.context.clock.now() + 2 * HOUR_S;
  const { id: request_id } = await twice("/request", { text: "Add.", ends: "accepted", closes_at });
  const { id: answer_id } = (await bob.post("/request/answer", { request_id, answer: "3" })).body;
  await twice("/request/refuse", { answer_id, reason: "No." });
  await twice("/request/withdraw", { request_id });
});

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

eachEngine("an id that follows from a key is nobody's without it", async (service) => {
  const key = newPair();
  const wanted = { pubkey: key.pubkey, handle: "ada" };
  const { text, ...numbers } = toSign(await service.post("/register", wanted));
  const made = await service.post("/register", {
    ...wanted,
    ...numbers,
    signature: key.sign(text),
  });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  await service.sequenced();
  const { entries } = (await service.get("/since?after_id=0&limit=500")).body;
  const last = entries.at(-1);
  assert.deepEqual([last.kind, last.body.handle], ["agent_key", "ada"]);
  assert.deepEqual(endingIn({ entries }, last, last.body), []);
  const { handle: _, ...nameless } = last.body;
  const said = (body: object) => endingIn({ entries }, last, body);
  assert.match(`${said({ ...last.body, pubkey: newPair().pubkey })}`, /follows from the first key/);
  assert.match(`${said(nameless)}`, /names the handle/);
  assert.match(`${said({ ...last.body, handle: "eve" })}`, /names the handle/);
  const offer = {
    ...{ offer_id: 1, agent: made.body.agent_id, price_usd_micro: 1_000_000, sla_hours: 1 },
    ...{ capability_sha256: "0".repeat(64), title_sha256: "0".repeat(64) },
    ...{ description_sha256: "0".repeat(64) },
  };
  const early = { ...last, kind: "offer", ref: "1" };
  assert.match(`${endingIn({ entries }, early, offer)}`, /this act needs its signature/);
});
