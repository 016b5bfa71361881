import assert from "node:assert/strict";
import { detail, newPair, setKey, signed, signedBody, toSign } from "../../../../test/act-keys.ts";
import { wealthy } from "../../../../test/coin.ts";
import { eachEngine, type Reply, type TestAgent } from "../../../../test/service.ts";
import { keyedId } from "../../../platform/kernel/proof/agent-id.ts";
import { DAY_S, days, HOUR_S } from "../../../platform/kernel/time.ts";
import { enactSurely } from "../../../platform/ledger/rows/enact.ts";
import { sha256Hex } from "../../../platform/ledger/sha256.ts";
import { findAgent } from "../agents.ts";
import { rows } from "../rows.ts";

const LOW_ORDER = "0100000000000000000000000000000000000000000000000000000000000000";

const errorOf = ({ status, body }: Reply): unknown[] => [status, body.error];

/** How many transfers there are. */
const transfersOf = async (agent: TestAgent): Promise<number> =>
  (await agent.get("/coin/ledger?kind=coin_transfer&limit=100")).body.count;

eachEngine("a key is introduced by itself, and changed by the one before it", async (service) => {
  const ada = await service.register("ada");
  const [first, second] = [newPair(), newPair()];
  assert.deepEqual((await ada.get("/me")).body.key, null);
  assert.deepEqual(errorOf(await ada.post("/key", { pubkey: LOW_ORDER })), [
    422,
    "validation_failed",
  ]);
  const short = { pubkey: first.pubkey, recover_s: days(6) };
  assert.deepEqual(errorOf(await ada.post("/key", short)), [422, "validation_failed"]);

  const asked = toSign(await ada.post("/key", { pubkey: first.pubkey }));
  const [line, json = ""] = asked.text.split("\n");
  const { genesis, not_after, ...act } = JSON.parse(json);
  assert.deepEqual([line, not_after], ["agent-network/act/v1", asked.not_after]);
  assert.match(genesis, /^[0-9a-f]{64}$/);
  const agent = ada.agent_id;
  const body = { agent, handle: "ada", n: 1, pubkey: first.pubkey, recover_s: 0 };
  assert.deepEqual(act, { agent, epoch: 1, key: 1, act: 1, kind: "agent_key", body });
  const strange = { ...asked, pubkey: first.pubkey, signature: second.sign(asked.text) };
  assert.deepEqual(errorOf(await ada.post("/key", strange)), [422, "act_unsigned"]);

  const set = await setKey(ada, first);
  assert.equal(set.status, 200, JSON.stringify(set.body));
  assert.deepEqual((await ada.get("/me")).body.key, set.body.key);
  const { act: _, ...shown } = set.body.key;
  assert.deepEqual((await service.get("/agent/ada")).body.key, shown);

  assert.deepEqual(errorOf(await setKey(ada, second)), [422, "act_unsigned"], "the old one signs");
  assert.deepEqual(errorOf(await setKey(ada, second, { old: second })), [422, "act_unsigned"]);
  const changed = await setKey(ada, second, { old: first, recover_s: days(7) });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  assert.deepEqual([changed.body.key.n, changed.body.key.recover_s], [2, days(7)]);
  await service.sequenced();
  const inbox = (await ada.get("/inbox")).body.items;
  assert.deepEqual(
    inbox.map(({ why, kind }: { why: string; kind: string }) => [why, kind]),
    [
      ["key", "agent_key"],
      ["key", "agent_key"],
    ],
  );
});

eachEngine(
  "a key that comes with the registration was never without one",
  async ({ post, get }) => {
    const key = newPair();
    const wanted = { handle: "ada", pubkey: key.pubkey };
    const { text, act, not_after } = toSign(await post("/register", wanted));
    assert.equal((await get("/agent/ada")).status, 404, "nobody was registered");
    const made = await post("/register", { ...wanted, act, not_after, signature: key.sign(text) });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    assert.deepEqual([made.body.key.n, made.body.key.pubkey], [1, key.pubkey]);
    assert.match(made.body.agent_id, /^ag_[a-z2-7]{32}$/);
    assert.equal(made.body.agent_id, keyedId(key.pubkey, sha256Hex));
    assert.equal((await get(`/agent/${made.body.agent_id}`)).status, 200);
    const twin = await post("/register", { pubkey: key.pubkey });
    assert.deepEqual(errorOf(twin), [409, "key_pending"], "one key has one id");
    const sent = { token: made.body.token };
    const unsigned = await post("/coin/send", { to: "ada", amount: 1 }, sent);
    assert.equal(unsigned.status, 422);
  },
);

eachEngine("with a key coins are sent by its signature alone, once", async (service) => {
  const [ada, bob] = await wealthy(service, 2);
  assert.ok(ada && bob);
  const key = newPair();
  const order = { to: bob.agent_id, amount: 0.25, memo: "thanks" };
  const early = { ...order, act: 1, act_signature: newPair().sign("") };
  assert.deepEqual(errorOf(await ada.post("/coin/send", early)), [422, "act_unsigned"], "no key");
  assert.equal((await setKey(ada, key)).status, 200);
  const before = await transfersOf(ada);

  const sent = await signedBody(ada, key, "/coin/send", order);
  const refused = [
    [{ ...sent, amount: 0.26 }, 422, "act_unsigned"],
    [{ ...sent, act_signature: newPair().sign("other") }, 422, "act_unsigned"],
    [{ ...sent, not_after: sent.not_after + 1 }, 422, "act_unsigned"],
    [{ ...sent, not_after: sent.not_after + 2 * DAY_S }, 422, "act_unsigned"],
    [{ ...order, amount: 1_000_000 }, 409, "insufficient_balance"],
  ] as const;
  for (const [body, status, error] of refused)
    assert.deepEqual(errorOf(await ada.post("/coin/send", body)), [status, error]);
  await service.sequenced();
  assert.equal(await transfersOf(ada), before, "nothing was sent");

  const answers = await Promise.all([0, 1, 2, 3].map(() => ada.post("/coin/send", sent)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 201]);
  const [first] = answers.filter(({ body }) => body.repeated === undefined);
  assert.deepEqual(
    answers.map(({ body }) => body.transfer),
    Array(4).fill(first?.body.transfer),
  );
  assert.equal(answers.filter(({ body }) => body.repeated === true).length, 3);
  await service.sequenced();
  assert.equal(await transfersOf(ada), before + 1);

  const other = { ...sent, amount: 0.1, act_signature: newPair().sign("other") };
  assert.deepEqual(errorOf(await ada.post("/coin/send", other)), [409, "act_used"]);
  const altered = { ...sent, amount: 0.1 };
  assert.deepEqual(errorOf(await ada.post("/coin/send", altered)), [409, "act_used"]);
  assert.equal((await signed(ada, key, "/coin/send", order)).status, 201);
  const stale = await ada.post("/coin/send", sent);
  assert.deepEqual([...errorOf(stale), detail(stale, "last_act")], [409, "act_stale", "3"]);
  const late = await signedBody(ada, key, "/coin/send", order);
  service.pass(HOUR_S);
  assert.deepEqual(errorOf(await ada.post("/coin/send", late)), [409, "too_late"]);
  assert.equal((await ada.post("/post", { topic: "introductions", body: "Hello." })).status, 201);
});

eachEngine("no act uses up the numbers of the acts and keys after it", async (service) => {
  const [ada, bob] = await wealthy(service, 2);
  assert.ok(ada && bob);
  const [key, next] = [newPair(), newPair()];
  await setKey(ada, key);
  const order = { to: bob.agent_id, amount: 0.1 };
  const numbered = async (path: string, act: number, body: object) => {
    const { text, not_after } = toSign(await ada.post(path, { ...body, act }));
    return { ...body, act, not_after, act_signature: key.sign(text) };
  };
  for (const act of [3, 1_000_001, Number.MAX_SAFE_INTEGER]) {
    const sent = await numbered("/coin/send", 2, order);
    const far = await ada.post("/coin/send", { ...sent, act });
    assert.deepEqual([...errorOf(far), detail(far, "last_act")], [409, "act_gap", "1"]);
    const change = { pubkey: next.pubkey, act };
    assert.deepEqual(errorOf(await ada.post("/key", change)), [409, "act_gap"]);
  }
  const sent = await numbered("/coin/send", 2, order);
  const much = { ...sent, amount: 1_000_000 };
  assert.deepEqual(errorOf(await ada.post("/coin/send", much)), [409, "insufficient_balance"]);
  const trial = { ...order, dry_run: true };
  assert.equal((await ada.post("/coin/send", trial)).status, 200);
  const signedTrial = { ...sent, dry_run: true };
  assert.deepEqual(errorOf(await ada.post("/coin/send", signedTrial)), [422, "act_unsigned"]);
  assert.equal((await ada.post("/coin/send", sent)).status, 201, "no refused act uses a number");
  assert.equal((await setKey(ada, next, { old: key })).status, 200);
});

eachEngine("the first key of one agent is no key of another", async (service) => {
  const key = newPair();
  const agents = [
    await service.register(),
    await service.register("bob"),
    await service.register(),
  ];
  const [one, ...others] = agents;
  assert.ok(one);
  const asked = toSign(await one.post("/key", { pubkey: key.pubkey }));
  const { act, not_after } = asked;
  const sent = { pubkey: key.pubkey, act, not_after, signature: key.sign(asked.text) };
  for (const other of others)
    assert.deepEqual(errorOf(await other.post("/key", sent)), [422, "act_unsigned"]);
  const registering = { handle: "eve", ...sent };
  assert.deepEqual(errorOf(await service.post("/register", registering)), [422, "act_unsigned"]);
  assert.equal((await one.post("/key", sent)).status, 200);

  const born = newPair();
  const wanted = { pubkey: born.pubkey, handle: "cleo" };
  const { text, ...numbers } = toSign(await service.post("/register", wanted));
  const other = { ...wanted, ...numbers, signature: born.sign(text), handle: "mallory" };
  assert.deepEqual(errorOf(await service.post("/register", other)), [422, "act_unsigned"]);
});

eachEngine(
  "a lost key is replaced after the time that it chose, unless it objects",
  async (service) => {
    const ada = await service.register("ada");
    const [first, second, third] = [newPair(), newPair(), newPair()];
    const recover = { pubkey: second.pubkey };
    assert.deepEqual(errorOf(await ada.post("/key/recover", recover)), [409, "key_pending"]);
    await setKey(ada, first);
    assert.deepEqual(
      errorOf(await ada.post("/key/recover", recover)),
      [409, "key_pending"],
      "never",
    );
    await setKey(ada, third, { old: first, recover_s: days(7) });

    const lost = await ada.post("/key/recover", recover);
    assert.equal(lost.status, 200, JSON.stringify(lost.body));
    assert.equal(lost.body.key.lost.pubkey, second.pubkey);
    assert.deepEqual((await ada.post("/key/recover", recover)).body, lost.body, "once");
    assert.equal((await service.get("/agent/ada")).body.key.lost.pubkey, second.pubkey);
    service.pass(days(6));
    assert.deepEqual(errorOf(await setKey(ada, second)), [422, "act_unsigned"], "too early");
    assert.deepEqual(errorOf(await ada.post("/key/keep")), [422, "act_unsigned"]);
    const kept = await signed(ada, third, "/key/keep", {});
    assert.deepEqual([kept.status, kept.body.key.lost], [200, null]);
    service.pass(days(2));
    assert.deepEqual(errorOf(await setKey(ada, second)), [422, "act_unsigned"], "it objected");
    assert.deepEqual(
      errorOf(await ada.post("/key/recover", recover)),
      [409, "key_pending"],
      "often",
    );

    service.pass(days(30));
    assert.equal((await ada.post("/key/recover", recover)).status, 200);
    await service.sequenced();
    service.pass(days(7));
    const recovered = await setKey(ada, second);
    assert.deepEqual(
      [recovered.status, recovered.body.key?.n],
      [200, 3],
      JSON.stringify(recovered.body),
    );
  },
);

eachEngine("of first keys at once one is set, and the others are told", async (service) => {
  const ada = await service.register("ada");
  const pairs = [newPair(), newPair(), newPair()];
  const bodies = [];
  for (const pair of pairs) {
    const { text, act, not_after } = toSign(await ada.post("/key", { pubkey: pair.pubkey }));
    bodies.push({ pubkey: pair.pubkey, act, not_after, signature: pair.sign(text) });
  }
  const answers = await Promise.all(bodies.map((body) => ada.post("/key", body)));
  const statuses = answers.map(({ status }) => status).toSorted();
  assert.equal(statuses[0], 200);
  assert.ok(
    statuses.slice(1).every((status) => status >= 400 && status < 500),
    `${statuses}`,
  );
  assert.equal((await ada.get("/me")).body.key.n, 1);
});

eachEngine("no entry says that a key takes the place of one that is not there", async (service) => {
  const { context } = service.service;
  const { write, clock } = context;
  const ada = await service.register("ada");
  const { pubkey } = newPair();
  const key = { agent: await findAgent(context, ada.agent_id), pubkey, recover_s: 0 };
  const signature = Buffer.alloc(64).toString("base64");
  const signs = { act: 2, not_after: clock.now(), signature };
  const act = { act_signature: signature, act_sha256: "", act_ref: "" };
  const replaced = write((tx) =>
    enactSurely(tx, rows.agentKey, { ...key, ...signs, ...act, n: 2 }, clock.now()),
  );
  await assert.rejects(replaced, /agent_key changes a row that is not there/);
});
