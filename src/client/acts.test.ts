import assert from "node:assert/strict";
import { test } from "node:test";
import { setKey } from "../../test/act-keys.ts";
import { wealthy } from "../../test/coin.ts";
import { operations } from "../../test/registry.ts";
import { eachEngine } from "../../test/service.ts";
import { inputOf } from "../platform/kernel/contract/call-table.ts";
import { type ActRecord, actKey, withActs } from "./acts.ts";
import { connect } from "./client.ts";
import { ROUTES } from "./routes.ts";

const SEED = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";

/** A fetch that changes what the network answers, and writes down what it is sent. */
const lying =
  (lie: (text: string) => string, heard: string[] = []): typeof fetch =>
  async (...sent) => {
    heard.push(String(sent[1]?.body ?? ""));
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
  const options = { now: service.service.context.clock.now };
  const order = { to: bob.agent_id, amount: "0.25", memo: "thanks" };
  await assert.rejects(plain.coin.send(order), { code: "act_unsigned" });
  const signing = withActs(plain, ada.agent_id, key, options);
  const { transfer, balance } = await signing.coin.send(order);
  assert.deepEqual([transfer.to.agent_id, transfer.amount, balance], [bob.agent_id, 0.25, 0.75]);

  const sent: string[] = [];
  for (const lie of LIES) {
    const network = connect({ ...connection, fetch: lying(lie, sent) });
    const signing = withActs(network, ada.agent_id, key, options);
    await assert.rejects(signing.coin.send(order), { code: "unasked_act" }, String(lie));
  }
  assert.deepEqual(
    sent.filter((body) => body.includes("act_signature")),
    [],
  );
  const other = withActs(plain, bob.agent_id, key, options);
  await assert.rejects(other.coin.send(order), { code: "unasked_act" });
  await service.register("carol");
  await assert.rejects(signing.coin.send({ ...order, to: "carol" }), /by its agent_id/);
  const long = { ...order, not_after: options.now() + 2 * DAY_S };
  await assert.rejects(signing.coin.send(long), /at most 24 hours/);
});

const DAY_S = 86_400;

/** What a network can change in the act that it proposes. */
const LIES: ((text: string) => string)[] = [
  (text) => text.replaceAll("250000", "260000"),
  (text) => text.replace("coin_transfer", "payout_address"),
  (text) => text.replace("agent-network/act/v1", "agent-network/act/v2"),
  (text) => text.replace("memo_sha256", "memo_sha255"),
  (text) => text.replace(/(from[^,]*,)/, '$1\\"more\\":1,'),
  (text) => text.replace(/(act\\":)\d+/, "$1200000"),
  (text) => text.replace(/(not_after\\":)\d+/, "$14102444800"),
  (text) => text.replace(/(epoch\\":)\d+/, "$11.5"),
  (text) => text.replace(/(key\\":)\d+/, "$10"),
  (text) => text.replace(/(genesis\\":\\")\w+/, "$1short"),
];

eachEngine("a signer knows its ledger and its acts, and counts them itself", async (service) => {
  const [ada, bob] = await wealthy(service, 2);
  assert.ok(ada && bob);
  const key = actKey(SEED);
  await setKey(ada, { pubkey: key.pubkey, sign: (text) => String(key.sign(text)) });
  let lie = (text: string) => text;
  const sent: string[] = [];
  const connection = { baseUrl: service.url, token: ada.token };
  const network = connect({ ...connection, fetch: lying((text) => lie(text), sent) });
  const kept: ActRecord[] = [];
  const store = {
    read: () => kept.at(-1) ?? null,
    keep: (each: ActRecord) => void kept.push(each),
  };
  const { now } = service.service.context.clock;
  const signing = withActs(network, ada.agent_id, key, { now, store });
  const order = { to: bob.agent_id, amount: 0.1 };
  const numbers = () => {
    const { act, not_after } = JSON.parse(sent.findLast((body) => body.includes("act_sig")) ?? "");
    return [act, not_after - now()];
  };

  // Members that are proposed beside the act are neither signed nor kept, at first sight too.
  lie = (text) => text.replace(/(genesis\\":)/, 'more\\":1,\\"$1');
  await signing.coin.send(order);
  assert.deepEqual(numbers(), [2, 600]);
  const { genesis } = kept[0] ?? {};
  const ledger = { genesis, epoch: 1, key: 1 };
  assert.deepEqual(kept, [
    { ...ledger, act: 1, open_until: now() + 600 },
    { ...ledger, act: 2 },
  ]);
  lie = (text) => text;
  const others = [
    (text: string) =>
      text.replace(/(genesis\\":\\")\w/, `$1${genesis?.startsWith("f") ? "e" : "f"}`),
    (text: string) => text.replace(/(epoch\\":)\d+/, "$12"),
    (text: string) => text.replace(/(key\\":)\d+/, "$12"),
    (text: string) => text.replace(/(act\\":)\d+/, "$11004"),
  ];
  for (const change of others) {
    lie = change;
    await assert.rejects(signing.coin.send(order), { code: "unasked_act" }, String(change));
    const anew = withActs(network, ada.agent_id, key, { now, store });
    await assert.rejects(anew.coin.send(order), { code: "unasked_act" }, "after a restart");
  }

  // It proposes its own number and time; what is signed has neither.
  lie = (text) =>
    text
      .replace(/(act\\":)\d+/, "$13")
      .replace(/(not_after\\":)(\d+)/, (_, name, n) => `${name}${Number(n) + 80_000}`);
  await signing.coin.send(order);
  assert.deepEqual(numbers(), [3, 600]);

  // It takes an act and says that it did not; the next one has the same number, or none.
  lie = (text) =>
    text.includes('"ok":true') ? '{"ok":false,"error":"internal","message":"No."}' : text;
  await assert.rejects(signing.coin.send(order));
  lie = (text) => text;
  const restarted = withActs(network, ada.agent_id, key, { now, store });
  await assert.rejects(restarted.coin.send(order), { code: "act_unconfirmed" });
  await signing.coin.send(order);
  assert.deepEqual(numbers(), [5, 600]);
  assert.equal((await bob.get("/coin")).body.you.balance, 1.4);

  // Another program with the key has acted since.
  await withActs(connect(connection), ada.agent_id, key, { now }).coin.send(order);
  await Promise.all([1, 2, 3].map(() => signing.coin.send({ to: bob.agent_id, amount: 0.01 })));
  assert.deepEqual(numbers(), [9, 600]);
});

eachEngine(
  "an act is sent once its record is kept, and told as made whatever becomes of the next",
  async (service) => {
    const [ada, bob] = await wealthy(service, 2);
    assert.ok(ada && bob);
    const key = actKey(SEED);
    await setKey(ada, { pubkey: key.pubkey, sign: (text) => String(key.sign(text)) });
    const { now } = service.service.context.clock;
    let isFull = (_: ActRecord) => false;
    const store = {
      read: () => null,
      keep(record: ActRecord) {
        if (isFull(record)) throw new Error("The disk is full.");
      },
    };
    const network = connect({ baseUrl: service.url, token: ada.token });
    const signing = withActs(network, ada.agent_id, key, { now, store });
    const send = () => signing.coin.send({ to: bob.agent_id, amount: 0.1 });
    isFull = ({ open_until }) => open_until === undefined;
    for (const balance of [0.9, 0.8]) assert.equal((await send()).balance, balance);
    isFull = () => true;
    await assert.rejects(send(), /The disk is full/, "no act is sent without its record");
    assert.equal((await ada.get("/coin")).body.you.balance, 0.8);
  },
);

eachEngine("every form that a write takes is signed", async (service) => {
  const [ada, bob] = await wealthy(service, 2);
  assert.ok(ada && bob);
  const key = actKey(SEED);
  await setKey(ada, { pubkey: key.pubkey, sign: (text) => String(key.sign(text)) });
  const { now } = service.service.context.clock;
  const plain = connect({ baseUrl: service.url, token: ada.token });
  const signing = withActs(plain, ada.agent_id, key, { now });
  const closes_at = now() + 3 * DAY_S;
  const asked = { text: "t", ends: "accepted", closes_at };
  const forms: object[] = [
    {},
    { text: "e\u0301" },
    { text: "  x  " },
    { text: "a\r\nb" },
    { capability: "Czech " },
    { skill: "CZECH", capability: undefined },
    ...[1, true, "true", "1", "yes", 0, false].map((questions) => ({ questions })),
    { closes_at: String(closes_at) },
    { closes_at: "7d" },
    { closes_at: new Date(closes_at * 1_000).toISOString() },
    { closesAt: closes_at, closes_at: undefined },
    { ends: "Accepted", to: bob.agent_id },
    { parts: [{ type: "text", text: "x" }] },
    { parts: '[{"text":"x"}]' },
    { parts: [{ data: { b: 1, a: 1, "\u00e9": -0, z: 1e21 } }] },
    { capability: null, reward: null },
    { reward: "0.10", ends: undefined },
    { not_after: "5m" },
  ];
  for (const form of forms) {
    const { request } = await signing.request.create(inputOf({ ...asked, ...form }));
    assert.equal(request.ends, "accepted", JSON.stringify(form));
  }
  await signing.coin.send(inputOf({ to: bob.agent_id, amount: "0.100000", memo: " e\u0301 " }));
  const address = "xrb_1ipx847tk8o46pwxt5qjdbncjqcbwcc1rrmqnkztrfjy5k7z4imsrata9est";
  await signing.market.payoutAddressSet({ address });
});

test("each operation that takes a signature is signed by the client, and no other", () => {
  const plain = connect({ baseUrl: "http://127.0.0.1:9" });
  const signing = withActs(plain, "ag_abcdefghijklmnopqrst", actKey(SEED));
  const isSigned = (name: string): boolean => {
    const [area = "", call = ""] = name.split(".");
    const of = (network: object) => Object(Object(network)[area])[call];
    assert.equal(typeof of(plain), "function", name);
    return of(plain) !== of(signing);
  };
  const paths = operations.flatMap(({ input, path, method }) =>
    method === "POST" && "act_signature" in input.shape ? path : [],
  );
  const signed = ROUTES.trim()
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([name = ""]) => name.includes("."))
    .filter(([name = ""]) => isSigned(name))
    .map(([, path = ""]) => path);
  assert.deepEqual(signed.sort(), paths.sort());
});

eachEngine("rights are signed as they are asked for", async (service) => {
  const [ada, bob] = await wealthy(service, 2);
  assert.ok(ada && bob);
  const key = actKey(SEED);
  await setKey(ada, { pubkey: key.pubkey, sign: (text) => String(key.sign(text)) });
  const { now } = service.service.context.clock;
  const connection = { baseUrl: service.url, token: ada.token };
  const plain = connect(connection);
  const signing = withActs(plain, ada.agent_id, key, { now });
  const lied = (from: string, to: string) => {
    const lie = (text: string) =>
      text.includes("act_unsigned") ? text.replaceAll(from, to) : text;
    return withActs(connect({ ...connection, fetch: lying(lie) }), ada.agent_id, key, { now });
  };
  const offer = {
    capability: " Czech",
    title: "e\u0301",
    description: "a\r\nb",
    price_usd: "10.50",
  };
  await assert.rejects(lied("10500000", "1000000").market.offerCreate(offer), {
    code: "unasked_act",
  });
  const { id: offer_id } = await signing.market.offerCreate(offer);
  const other = await signing.market.offerCreate({ ...offer, sla_hours: 5 });
  const wrong = lied(`offer_id\\":${offer_id}`, `offer_id\\":${other.id}`);
  await assert.rejects(wrong.market.offerWithdraw({ offer_id }), { code: "unasked_act" });
  assert.equal((await signing.market.offerWithdraw({ offer_id })).offer.withdrawn, true);

  const { id: repo_id } = await signing.repo.create({ name: "Bridge", mission: "Carry." });
  await service.register("carol");
  await assert.rejects(signing.repo.writerSet({ repo_id, agent: "carol" }), /by its agent_id/);
  const writer = { repo_id, agent: bob.agent_id };
  await assert.rejects(lied('allowed\\":1', 'allowed\\":0').repo.writerSet(writer), {
    code: "unasked_act",
  });
  assert.equal((await signing.repo.writerSet(writer)).changed, true);
  assert.deepEqual((await signing.repo.writerSet({ ...writer, remove: 1 })).writers, []);

  const terms = { text: "Add.", ends: "accepted" as const, closes_at: now() + 7_200 };
  const { id: request_id } = await signing.request.create(terms);
  const { id: answer_id } = (await bob.post("/request/answer", { request_id, answer: "3" })).body;
  const refusal = { answer_id, reason: "It is  4. " };
  await assert.rejects(lied(bob.agent_id, ada.agent_id).request.refuse(refusal), {
    code: "unasked_act",
  });
  assert.equal((await signing.request.refuse(refusal)).answer.outcome, "refused");
  for (const id of [request_id, (await signing.request.create({ text: "Who carries?" })).id])
    assert.equal((await signing.request.withdraw({ request_id: id })).request.status, "withdrawn");
});

eachEngine("a request with a reward and its acceptance are signed", async (service) => {
  const [ada] = await wealthy(service, 1);
  assert.ok(ada);
  const bob = await service.register("bob");
  const key = actKey(SEED);
  const pair = { pubkey: key.pubkey, sign: (text: string) => String(key.sign(text)) };
  await setKey(ada, pair);
  const connection = { baseUrl: service.url, token: ada.token };
  const options = { now: service.service.context.clock.now };
  const asking = withActs(connect(connection), ada.agent_id, key, options);
  const terms = { text: "Add.", parts: [{ data: { b: 1, a: [2] } }], ends: "accepted" as const };
  const closes_at = service.service.context.clock.now() + 7_200;
  await assert.rejects(asking.request.create(terms), { code: "validation_failed" });
  const wanted = { ...terms, closes_at, reward: 0.5, to: bob.agent_id, questions: 1 };
  const liar = connect({ ...connection, fetch: lying((text) => text.replace("500000", "900000")) });
  await assert.rejects(withActs(liar, ada.agent_id, key, options).request.create(wanted), {
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
  for (const [field, from, to] of [
    ["to", bob.agent_id, ada.agent_id],
    ["reward_micro", "500000", "600000"],
  ] as const) {
    const lie = (text: string) => text.replace(new RegExp(`(${field}[^,}]*)${from}`), `$1${to}`);
    const network = connect({ ...connection, fetch: lying(lie) });
    const other = withActs(network, ada.agent_id, key, options);
    await assert.rejects(other.request.accept({ answer_id }), { code: "unasked_act" }, field);
  }
  const accepted = await asking.request.accept({ answer_id });
  assert.deepEqual([accepted.request.accepted_by, accepted.answer.outcome], ["asker", "accepted"]);
  assert.equal((await bob.get("/coin")).body.you.balance, 0.5);
});
