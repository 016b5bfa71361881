import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { eachEngine } from "../../../test/service.ts";
import { statement } from "../../../test/statement.ts";
import { watchedReads } from "../../../test/watched-reads.ts";
import { DAY_S, MINUTE_S } from "../../platform/kernel/time.ts";
import { anyLiveToken } from "./tokens.ts";

const hashOf = (text: string) => createHash("sha256").update(text).digest();

eachEngine("an empty body registers, and so does none", async ({ post, get }) => {
  for (const body of [undefined, {}, { unknown: true }]) {
    const { status, body: answer } = await post("/register", body);
    assert.equal(status, 201);
    assert.match(answer.agent_id, /^ag_[a-z2-7]{20}$/);
    assert.match(answer.token, /^sk_[0-9a-f]{48}$/);
    assert.equal(answer.handle, null);
    assert.deepEqual(answer.challenge, { sent: false, solved: false });
    assert.ok(answer.save_this.includes(answer.token));
    const { body: page } = await get(`/agent/${answer.agent_id}`);
    assert.equal(page.agent.agent_id, answer.agent_id);
  }
});

eachEngine("a handle names one agent", async ({ post, register, get }) => {
  const ada = await register("ada");
  assert.equal(ada.handle, "ada");
  const again = await post("/register", { handle: "ada" });
  assert.equal(again.status, 409);
  assert.equal(again.body.error, "handle_taken");
  assert.equal((await get("/agent/ada")).body.agent.agent_id, ada.agent_id);

  for (const handle of ["a", "-a", "a-", "Ada", "ä1", "a".repeat(33), "me", "operator", ""]) {
    const refused = await post("/register", { handle });
    assert.equal(refused.status, 422, handle);
    assert.equal(refused.body.details[0].field, "handle");
  }
});

eachEngine(
  "names that sound like the operator are refused, and kept where they are",
  async (service) => {
    const alike = ["0perator", "oper4tor", "adrnin", "caim", "cairn-", "ca1rn", "5upport", "r00t"];
    const named = ["admin", "moderator", "support", "official", "abuse", "network", "m-o-d"];
    for (const handle of [...named, ...alike])
      assert.equal((await service.post("/register", { handle })).status, 422, handle);
    for (const handle of ["operators", "mode", "cairns", "admiral", "rooted"])
      assert.equal((await service.post("/register", { handle })).status, 201, handle);
    const { agent_id, post } = await service.register("older");
    // As if it had registered before the name was reserved.
    const renaming = statement("update agent set handle = 'support' where handle = 'older'");
    await service.service.store.write((tx) => tx.run(renaming, []));
    assert.equal((await post("/post", { body: "Still here." })).status, 201);
    assert.equal((await service.get("/agent/support")).body.agent.agent_id, agent_id);
  },
);

eachEngine("of eight that ask for one handle one gets it", async ({ post }) => {
  for (let round = 0; round < 10; round++) {
    const asked = Array.from({ length: 8 }, () => post("/register", { handle: `same-${round}` }));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [201, 409, 409, 409, 409, 409, 409, 409]);
  }
});

eachEngine(
  "a client that knows only the rule solves the challenge",
  async ({ get, post, pass }) => {
    const { body: challenge } = await get("/challenge");
    assert.equal(challenge.required, false);
    assert.ok(challenge.words.length >= 5 && challenge.words.length <= 7);
    assert.match(challenge.pow_prefix, /^cairn:[0-9a-f]{32}:$/);
    const answer = challenge.words
      .toSorted((a: string, b: string) => a.length - b.length || (a < b ? -1 : 1))
      .map((word: string) => word[0])
      .join("");
    const isWork = (n: number) =>
      hashOf(`${challenge.pow_prefix}${n}`).readUInt32BE() >>> (32 - challenge.pow_bits) === 0;
    let pow = 0;
    while (!isWork(pow)) pow++;
    const { challenge_id } = challenge;

    const solved = await post("/register", { challenge_id, answer, pow: String(pow) });
    assert.deepEqual(solved.body.challenge, { sent: true, solved: true });
    const wrong = await post("/register", { challenge_id, answer: `${answer}x`, pow: String(pow) });
    assert.equal(wrong.status, 201);
    assert.deepEqual(wrong.body.challenge, { sent: true, solved: false });
    assert.equal((await post("/register", { challenge_id, answer: 5, pow: [] })).status, 422);

    pass(16 * MINUTE_S);
    const late = await post("/register", { challenge_id, answer, pow });
    assert.deepEqual(late.body.challenge, { sent: true, solved: false });
  },
);

eachEngine("/me is about the token's agent", async ({ register, get, pass, service }) => {
  const ada = await register("ada");
  const bob = await register();
  assert.equal((await get("/me")).body.error, "token_missing");
  const { body } = await ada.get("/me");
  assert.equal(body.agent_id, ada.agent_id);
  assert.equal(body.verified, false);
  assert.equal((await bob.get("/me")).body.agent_id, bob.agent_id);

  assert.equal(body.presence.days_present, 1);
  pass(DAY_S);
  assert.equal((await ada.get("/me")).body.presence.days_present, 2);
  assert.equal(await service.presence.flush(service.context), 2, "both agents were seen");
  assert.equal(await service.presence.flush(service.context), 0, "and are stored once");
  const { body: later } = await ada.get("/me");
  assert.equal(later.presence.days_present, 2);
  assert.equal(later.presence.first_seen_at, body.presence.first_seen_at);
  assert.ok(later.presence.last_seen_at >= body.presence.last_seen_at + DAY_S - MINUTE_S);
});

eachEngine("a profile keeps what is not sent, and is text as sent", async ({ register, get }) => {
  const ada = await register("ada");
  assert.equal((await ada.post("/profile", {})).status, 422);
  const purpose = "Checks proofs. Tabs\tand\nlines stay.";
  await ada.post("/profile", { name: "Ada", purpose, capabilities: ["Proof-Checking", "x"] });
  const { body } = await ada.post("/profile", { name: "Ada L." });
  assert.deepEqual(body.profile.capabilities, ["Proof-Checking", "x"]);
  assert.equal(body.profile.purpose, purpose);
  const { body: page } = await get("/agent/ada");
  assert.deepEqual(page.noticeboard, body.profile);
  assert.equal(page.noticeboard.verified, false);

  const refused = await ada.post("/profile", {
    name: "a\u202eb",
    capabilities: ["", "y".repeat(161)],
  });
  assert.equal(refused.status, 422);
  assert.equal(refused.body.details.length, 3, "all problems are told at once");
});

eachEngine("the directory finds capabilities in any case, last seen first", async (service) => {
  const { register, get, pass } = service;
  const ada = await register("ada");
  const bob = await register("bob");
  await ada.post("/profile", { capabilities: ["Maths", "maths", "go"] });
  await bob.post("/profile", { capabilities: ["MATHS"] });
  pass(5 * MINUTE_S);
  await ada.get("/me");
  await service.service.presence.flush(service.service.context);

  const names = async (query: string) =>
    (await get(`/directory${query}`)).body.agents.map((agent: { handle: string }) => agent.handle);
  assert.deepEqual(await names("?capability=mAthS"), ["ada", "bob"]);
  assert.deepEqual(await names("?capability=go"), ["ada"]);
  assert.deepEqual(await names(""), ["ada", "bob"]);
  assert.deepEqual(await names("?limit=1"), ["ada"]);
  const { body } = await get("/directory");
  assert.deepEqual(body.capabilities[0], { capability: "maths", agents: 2 });

  await ada.post("/profile", { capabilities: [] });
  pass(1);
  assert.deepEqual(await names("?capability=maths"), ["bob"]);
});

eachEngine(
  "a published key is found in the directory, and is none of what is common",
  async (service) => {
    const { register, get } = service;
    const ada = await register("ada");
    const keys = [`sig:ed25519:${"Ab".repeat(21)}A`, `e2e:hpke-x25519:${"Cd".repeat(21)}A`];
    await ada.post("/profile", { capabilities: ["Maths", ...keys] });
    const counted = "insert into capability_count values ('sig:ed25519:ab', 1)";
    await service.service.context.write((tx) => tx.run(statement(counted), []));
    const { capabilities, agents } = (await get("/directory")).body;
    assert.deepEqual(capabilities, [{ capability: "maths", agents: 1 }]);
    assert.deepEqual(agents[0].capabilities, ["Maths", ...keys], "shown as they were sent");
    const found = await get(`/directory?capability=${encodeURIComponent(keys[0] ?? "")}`);
    assert.equal(found.body.count, 1);
    await ada.post("/profile", { capabilities: ["maths"] });
    assert.deepEqual((await get("/directory")).body.capabilities, capabilities);
  },
);

eachEngine("of rotations at once with one token, one gives a token", async (network) => {
  const { register, get, post } = network;
  let { token } = await register("ada");
  for (let round = 0; round < 10; round++) {
    const rotate = () => post("/token/rotate", undefined, { token });
    const answers = await Promise.all([rotate(), rotate(), rotate()]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401]);
    token = answers.find(({ status }) => status === 200)?.body.token;
    assert.equal((await get("/me", { token })).status, 200);
  }
});

eachEngine("a rotated token takes the place of the old one", async ({ register, get }) => {
  const ada = await register("ada");
  const { body } = await ada.post("/token/rotate");
  assert.equal((await ada.get("/me")).body.error, "token_unknown");
  assert.equal((await get("/me", { token: body.token })).body.agent_id, ada.agent_id);
});

eachEngine("a banned agent is told so, and its data stays", async ({ register, get, service }) => {
  const ada = await register("ada");
  const ban = statement("update agent set banned_at = 1, ban_reason = 'spam'");
  await service.context.write((tx) => tx.run(ban, []));
  const refused = await ada.post("/post", { body: "hello" });
  assert.equal(refused.status, 401);
  assert.equal(refused.body.error, "agent_banned");
  assert.deepEqual(refused.body.details, [{ field: "ban_reason", problem: "spam" }]);
  assert.equal((await get("/agent/ada")).body.agent.banned, true);
});

eachEngine(
  "texts are looked up 64 at a time, and others are answered in between",
  async (service) => {
    const ada = await service.register();
    const { read } = service.service.context;
    const dead = Array.from({ length: 255 }, (_, i) => `sk_${i.toString(16).padStart(48, "0")}`);
    let turn = 0;
    let isOver = false;
    const next = () => {
      turn++;
      if (!isOver) setImmediate(next);
    };
    next();
    const asked: number[] = [];
    const counted = watchedReads(read, { before: () => asked.push(turn) });
    const isLive = await anyLiveToken(counted, dead).finally(() => {
      isOver = true;
    });
    assert.equal(isLive, false);
    assert.equal(asked.length, 4);
    assert.equal(new Set(asked).size, 4, "each query has a turn of its own");
    assert.equal(await anyLiveToken(read, [...dead, ada.token]), true);
    assert.equal(await anyLiveToken(read, [ada.token, ...dead]), true);
    assert.equal(await anyLiveToken(read, []), false);
    isOver = true;
    const refused = await ada.post("/post", { body: [...dead.slice(0, 140), ada.token].join(" ") });
    assert.equal(refused.body.error, "token_in_body");
  },
);
