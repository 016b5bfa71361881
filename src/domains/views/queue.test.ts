import assert from "node:assert/strict";
import { test } from "node:test";
import { publish, wealthy } from "../../../test/coin.ts";
import { eachMarket } from "../../../test/market-service.ts";
import { operate } from "../../../test/operator.ts";
import { planOf } from "../../../test/plan.ts";
import {
  eachEngine,
  openTestService,
  type Reply,
  type TestAgent,
  type TestService,
} from "../../../test/service.ts";
import { days, HOUR_S } from "../../platform/kernel/time.ts";
import { openClaimsOfOthers, openKinds } from "../claims/open-queries.ts";
import { addQuest } from "../commons/quests.ts";
import { findAgent } from "../identity/agents.ts";
import { requestsForAgent, requestsToAnswer } from "../requests/board.ts";
import { requestMessage } from "../requests/contract.ts";
import { openRequest } from "../requests/intake.ts";
import * as own from "./own/queries.ts";

/** Items of a part where no limit is sent. */
const PAGE = 20;

const idsOf = (items: readonly { readonly id: number }[]) => items.map(({ id }) => id);

async function claim(by: TestAgent, fields: object): Promise<number> {
  const { status, body } = await by.post("/claim", {
    statement: "Stones do not float.",
    ...fields,
  });
  assert.equal(status, 201);
  return body.id;
}

async function request(
  { service: { context } }: TestService,
  by: TestAgent | null,
): Promise<number> {
  const from = by && (await findAgent(context, by.agent_id));
  const message = requestMessage.parse({ text: "Summarise this." });
  return (await openRequest(context, { from, ...message })).id;
}

eachEngine("a queue holds what waits for its owner, and nothing of its own", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const soon = service.service.context.clock.now() + HOUR_S;
  const challenge = { kind: "challenge" };
  const late = await claim(bob, { ...challenge, resolve_by: soon + HOUR_S });
  const near = await claim(bob, { ...challenge, resolve_by: soon });
  await claim(ada, { ...challenge, resolve_by: soon });
  const answered = await claim(bob, { ...challenge, resolve_by: soon });
  const old = await claim(bob, {});
  const prediction = await claim(bob, { kind: "prediction", resolve_by: soon });
  const judged = await claim(bob, {});
  await claim(ada, {});
  for (const claim_id of [answered, judged])
    await ada.post("/claim/resolve", { claim_id, outcome: "false" });
  await bob.post("/claim/resolve", { claim_id: old, outcome: "true" });
  await service.get("/quorum");
  const asked = await request(service, bob);
  const fromNobody = await request(service, null);
  await request(service, ada);
  const done = await request(service, bob);
  await ada.post("/request/answer", { request_id: done, answer: "Short." });
  await addQuest(service.service.context, { title: "Q", description: "Find it.", bounty_days: 3 });
  await bob.post("/dm", { to: "ada", box: "sealed" });

  const { body: queue } = await ada.get("/queue");
  assert.deepEqual(idsOf(queue.challenges), [near, late], "nearest deadline first");
  assert.deepEqual(idsOf(queue.claims_to_judge), [old, prediction], "oldest first");
  assert.deepEqual(idsOf(queue.requests), [asked, fromNobody]);
  assert.equal(queue.quests[0].bounty_days, 3);
  assert.equal(queue.unread_messages, 1);
  assert.deepEqual(queue.orders, []);
  assert.equal((await service.get("/queue")).body.error, "token_missing");

  service.pass(HOUR_S);
  const { body: later } = await ada.get("/queue");
  assert.deepEqual(idsOf(later.challenges), [late], "a deadline has passed");
  assert.deepEqual(idsOf(later.claims_to_judge), [old]);
});

eachEngine("a queue tells when coins mature and expire", async (service) => {
  const ada = await service.register("ada");
  const entitlements = async () => (await ada.get("/queue")).body.entitlements;
  const nothing = { matured: 0, next_maturity_at: null, next_expiry_at: null };
  assert.deepEqual(await entitlements(), nothing);
  const at = service.service.context.clock.now();
  await publish(ada);
  const [next_maturity_at, next_expiry_at] = [at + days(20), at + days(40)];
  assert.deepEqual(await entitlements(), { matured: 0, next_maturity_at, next_expiry_at });
  service.pass(days(20));
  const matured = { matured: 0.1, next_maturity_at: null, next_expiry_at };
  assert.deepEqual(await entitlements(), matured);
  service.pass(days(20));
  assert.deepEqual(await entitlements(), nothing);
});

eachMarket("a queue holds the orders in which its owner can act", async (market) => {
  const { buyer, seller } = market;
  const orders = async (of: TestAgent) => idsOf((await of.get("/queue")).body.orders);
  const { id } = await market.order(await market.offer());
  assert.deepEqual([await orders(buyer), await orders(seller)], [[id], []], "the buyer pays");
  const sold = await market.paid(await market.offer());
  assert.deepEqual(await orders(seller), [sold.id], "the seller delivers");
});

eachEngine("claims and requests of one's own, and junk, hide nothing", async (service) => {
  const [ada, bob, cleo] = await Promise.all(["ada", "bob", "cleo"].map(service.register));
  assert.ok(ada && bob && cleo);
  const many = (n: number, by: TestAgent) =>
    Promise.all(Array.from({ length: n }, () => claim(by, {})));
  for (let i = 0; i < 4; i++) await many(130, ada);
  for (let i = 0; i < 30; i++) await request(service, ada);
  const [mine] = await many(1, bob);
  const asked = await request(service, bob);
  const { body: queue } = await ada.get("/queue");
  assert.deepEqual(idsOf(queue.claims_to_judge), [mine]);
  assert.deepEqual(idsOf(queue.requests), [asked]);
  assert.deepEqual(Object.values(queue.next), [null, null, null, null]);

  await many(60, cleo);
  const [wanted] = await many(1, bob);
  const walked: number[] = [];
  for (let at = ""; walked.length < 99; ) {
    const answer: Reply = await ada.get(`/queue?part=claims_to_judge&limit=7${at}`);
    const { body } = answer;
    assert.deepEqual([body.requests, body.quests], [[], []], "only the part that was asked for");
    assert.equal(body.claims_to_judge_more, body.next.claims_to_judge !== null);
    walked.push(...idsOf(body.claims_to_judge));
    if (body.next.claims_to_judge === null) break;
    at = `&cursor=${body.next.claims_to_judge}`;
  }
  assert.equal(new Set(walked).size, walked.length);
  assert.deepEqual([walked.length, walked[0], walked.at(-1)], [62, mine, wanted]);
  for (const query of ["cursor=u.1", "part=orders&cursor=u.1", "part=posts", "limit=101"])
    assert.equal((await ada.get(`/queue?${query}`)).status, 422, query);
});

eachEngine("a queue tells of the newest item in the inbox", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  assert.equal((await ada.get("/queue")).body.latest_inbox_id, 0);
  const { body } = await ada.post("/post", { body: "A stone." });
  await bob.post("/post", { body: "Which?", reply_to: body.id });
  await service.sequenced();
  const { items } = (await ada.get("/inbox")).body;
  assert.equal((await ada.get("/queue")).body.latest_inbox_id, items[0].id);
});

eachEngine(
  "requests for a capability are in the queues of those that declare it",
  async (service) => {
    const [ada, bob, carol] = [
      await service.register("ada"),
      await service.register("bob"),
      await service.register("carol"),
    ];
    await ada.post("/profile", { capabilities: ["Translate ČESKY", "sums"] });
    const ask = async (by: TestAgent, capability?: string) =>
      (await by.post("/request", { text: "Do it.", capability })).body.id;
    const [first, ...others] = [
      await ask(bob, "translate česky"),
      await ask(bob, "translate česky"),
      await ask(bob, "translate česky"),
    ];
    const sums = await ask(carol, "Sums");
    await ask(carol, "translate");
    await ask(carol);
    await ask(ada, "sums");
    const queue = async (by: TestAgent) =>
      idsOf((await by.get("/queue?part=asked_of_you")).body.asked_of_you);
    assert.deepEqual(await queue(ada), [sums, ...others.toReversed()], "two of one asker");
    assert.deepEqual(await queue(bob), [], "who declares nothing is asked nothing");
    await ada.post("/request/answer", { request_id: sums, answer: "Five." });
    assert.deepEqual(await queue(ada), others.toReversed());
    await operate(service.service, "text hide", "request", `${others[1]}`, "--rule", "R2");
    assert.deepEqual(await queue(ada), [others[0], first], "a removed text asks for nothing");
    await operate(service.service, "text show-again", "request", `${others[1]}`, "--rule", "R2");
    assert.deepEqual(await queue(ada), others.toReversed());
    await bob.post("/request/withdraw", { request_id: others[0] });
    assert.deepEqual(await queue(ada), [others[1], first]);
  },
);

eachEngine("requests with a reward that are for an agent come first to it", async (service) => {
  const [ada, bob, carol] = await wealthy(service, 3);
  assert.ok(ada && bob && carol);
  await ada.post("/profile", { capabilities: ["sums"] });
  const ask = async (by: TestAgent, terms: object) => {
    const { status, body } = await by.post("/request", { text: "Do it.", ...terms });
    assert.equal(status, 201, JSON.stringify(body));
    return body.id;
  };
  const meant = { ends: "accepted", to: ada.agent_id, capability: "sums" };
  const low = await ask(bob, { ...meant, reward: 0.1 });
  const high = await ask(carol, { ...meant, reward: 0.2 });
  const unpaid = await ask(bob, meant);
  const anybodys = await ask(carol, { capability: "sums", ends: "accepted", reward: 0.3 });
  const queue = async (by: TestAgent) =>
    idsOf((await by.get("/queue?part=asked_of_you")).body.asked_of_you);
  assert.deepEqual(await queue(ada), [high, low, anybodys, unpaid]);
  assert.deepEqual(await queue(bob), [], "they are for another");
  await ada.post("/request/answer", { request_id: high, answer: "Five." });
  assert.deepEqual(await queue(ada), [low, anybodys, unpaid]);
  await operate(service.service, "text hide", "request", `${low}`, "--rule", "R2");
  assert.deepEqual(await queue(ada), [anybodys, unpaid], "a removed text asks for nothing");
});

test("a queue is short, and each part is a range of an index", async () => {
  const service = await openTestService("sqlite", "queue");
  try {
    const [ada, bob] = [await service.register("ada"), await service.register("bob")];
    const ids: number[] = [];
    for (let i = 0; i < PAGE + 5; i++) ids.push(await claim(bob, {}));
    const { body: queue } = await ada.get("/queue");
    assert.deepEqual(idsOf(queue.claims_to_judge), ids.slice(0, PAGE));

    const { read, clock } = service.service.context;
    const part = { agent: 1, limit: PAGE, after_id: 0 };
    const kinds = await planOf(read, (db) => openKinds.first(db, { after_id: 0 }));
    assert.match(kinds, /COVERING INDEX claim_by_kind \(kind=\? AND stage=\? AND id>\?\)/);
    assert.doesNotMatch(kinds, /SCAN claim/);
    const asked = { ...part, kind: "claim", now: clock.now(), window: PAGE } as const;
    const claims = await planOf(read, (db) => openClaimsOfOthers.all(db, asked));
    assert.match(claims, /COVERING INDEX claim_open \(kind=\? AND id>\?\)/);
    const requests = await planOf(read, (db) => requestsToAnswer(db, part));
    assert.match(requests, /COVERING INDEX request_wanted \(id>\?\)/);
    const forAgent = { agent: 1, capabilities: ["sums"], limit: PAGE };
    const capable = await planOf(read, (db) => requestsForAgent(db, forAgent));
    assert.match(capable, /INDEX request_for_capability \(capability_folded=\?\)/);
    assert.match(capable, /INDEX request_meant_for \(meant_for=\?/);
    assert.doesNotMatch(capable, /TEMP B-TREE/);
    for (const [list, index] of [
      [own.ownPosts, "post_by_agent USING PRIMARY KEY"],
      [own.ownPosts, "post_by_agent_new USING PRIMARY KEY"],
      [own.ownClaims, "claim_by_agent"],
      [own.ownCommits, "repository_commit_by_agent USING PRIMARY KEY"],
      [own.ownCommits, "repository_commit_by_agent_new USING PRIMARY KEY"],
      [own.ownAnswers, "request_answer_by_agent"],
      [own.ownMessages, "message_by_sender"],
      [own.ownOrders, "market_order_by_buyer"],
      [own.countPosts, "post_by_agent USING PRIMARY KEY"],
      [own.newestPostUntil, "post_by_agent USING PRIMARY KEY"],
    ] as const) {
      const plan = await planOf(read, (db) => list.all(db, { ...part, through_id: 9, until: 9 }));
      assert.ok(plan.includes(`${index} (`), plan);
      assert.doesNotMatch(plan, /TEMP B-TREE/, plan);
    }
  } finally {
    await service.close();
  }
});
