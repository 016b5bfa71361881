import assert from "node:assert/strict";
import { wealthy } from "../../../test/coin.ts";
import { readLedger } from "../../../test/invariants.ts";
import { eachEngine, type TestAgent, type TestService } from "../../../test/service.ts";
import { DAY_S, days, HOUR_S } from "../../platform/kernel/time.ts";
import { banAgent, unbanAgent } from "../identity/bans/bans.ts";
import { endOverdueRequests } from "./deadlines.ts";

const balanceOf = async (agent: TestAgent): Promise<number> =>
  (await agent.get("/coin")).body.you.balance;

/** What the public supply says: in circulation, and held by requests. */
async function supplyOf({ get }: TestService): Promise<readonly [number, number]> {
  const { supply } = (await get("/coin")).body;
  assert.equal(supply.unallocated, 0);
  return [supply.circulating, supply.held_by_requests];
}

const ask = async (agent: TestAgent, terms: object = {}) => {
  const sent = { text: "Translate it.", ends: "accepted", ...terms };
  const { status, body } = await agent.post("/request", sent);
  assert.equal(status, 201, JSON.stringify(body));
  return body.request;
};

const answer = async (agent: TestAgent, request_id: number, more: object = {}) => {
  const { status, body } = await agent.post("/request/answer", {
    request_id,
    answer: "Přeložil jsem to.",
    ...more,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return body.answer;
};

const code = ({ status, body }: { status: number; body: { error?: string } }) =>
  `${status} ${body.error ?? ""}`.trim();

const standing = async (service: TestService, id: number) => {
  const { request } = (await service.get(`/request/${id}`)).body;
  const { status, waiting, deadline_at, on_deadline } = request;
  return { status, state: stateIn(request), waiting, deadline_at, on_deadline };
};

/** Where a request stands, by the fields that say so. */
function stateIn(request: Readonly<Record<string, unknown>>): string {
  const { status, asked, waiting, accepted_by, withdrawn_by } = request;
  if (status === "answered") return accepted_by === null ? "answered" : "accepted";
  if (status === "withdrawn") return withdrawn_by === null ? "closed" : "withdrawn";
  return asked === true ? "asked" : waiting === 0 ? "open" : "review";
}

eachEngine(
  "a request is asked, asked back, replied, refused, accepted and paid",
  async (service) => {
    const [ada] = await wealthy(service, 1);
    assert.ok(ada !== undefined);
    const [bob, eve] = [await service.register("bob"), await service.register("eve")];
    const request = await ask(ada, { reward: 0.25, capability: "Czech", questions: true });
    assert.deepEqual(
      [request.reward, request.capability, request.questions, stateIn(request), request.ends],
      [0.25, "Czech", true, "open", "accepted"],
    );
    assert.equal(request.closes_at, request.created_at + days(7));
    assert.deepEqual([request.deadline_at, request.on_deadline], [request.closes_at, "closed"]);
    assert.equal(await balanceOf(ada), 0.75);
    await service.sequenced();
    assert.deepEqual(await supplyOf(service), [1, 0.25]);

    await answer(bob, request.id, { answer: "Which Czech?", kind: "question" });
    assert.equal((await standing(service, request.id)).state, "asked");
    const replied = await ada.post("/request/reply", { request_id: request.id, text: "Prague's." });
    assert.deepEqual([replied.status, stateIn(replied.body.request)], [200, "open"]);
    const spam = await answer(eve, request.id, { answer: "hello" });
    const again = { request_id: request.id, answer: "hello again" };
    assert.equal(code(await eve.post("/request/answer", again)), "409 already_answered");
    assert.deepEqual(await standing(service, request.id), {
      status: "open",
      state: "review",
      waiting: 1,
      deadline_at: request.closes_at,
      on_deadline: "closed",
    });
    const withdrawn = await ada.post("/request/withdraw", { request_id: request.id });
    assert.equal(code(withdrawn), "409 answer_waiting");
    const refused = await ada.post("/request/refuse", { answer_id: spam.id, reason: "No work." });
    assert.deepEqual(
      [refused.status, refused.body.answer.outcome, refused.body.answer.reason],
      [200, "refused", "No work."],
    );
    const better = await answer(eve, request.id, { answer: "A second try." });
    const work = await answer(bob, request.id);
    assert.equal(code(await bob.post("/request/accept", { answer_id: work.id })), "409 wrong_role");
    const accepted = await ada.post("/request/accept", { answer_id: work.id });
    assert.deepEqual(
      [accepted.status, accepted.body.request.status, stateIn(accepted.body.request)],
      [200, "answered", "accepted"],
    );
    assert.deepEqual(
      [accepted.body.request.answered_by, accepted.body.answer.outcome],
      [work.id, "accepted"],
    );
    const repeated = await ada.post("/request/accept", { answer_id: work.id });
    assert.deepEqual(
      [repeated.status, repeated.body.request.id, repeated.body.repeated],
      [200, request.id, true],
    );
    for (const late of [
      ada.post("/request/accept", { answer_id: better.id }),
      ada.post("/request/refuse", { answer_id: better.id, reason: "Late." }),
      eve.post("/request/answer", again),
      ada.post("/request/reply", { request_id: request.id, text: "More?" }),
      ada.post("/request/withdraw", { request_id: request.id }),
      ada.post("/request/want", { request_id: request.id, wanted: 1 }),
    ])
      assert.equal(code(await late), "409 request_ended");
    assert.deepEqual([await balanceOf(ada), await balanceOf(bob)], [0.75, 0.25]);
    await service.sequenced();
    assert.deepEqual(await supplyOf(service), [1, 0]);

    await checkNews(service, { ada, bob, eve });
  },
);

async function checkNews(
  service: TestService,
  { ada, bob, eve }: Readonly<Record<"ada" | "bob" | "eve", TestAgent>>,
): Promise<void> {
  const news = async (agent: TestAgent) =>
    (await agent.get("/inbox")).body.items.map(
      ({ why, kind }: { why: string; kind: string }) => `${why} ${kind}`,
    );
  assert.deepEqual(await news(bob), ["request request_message", "request request_accepted"]);
  assert.deepEqual(await news(eve), ["request request_refused"]);
  assert.deepEqual((await news(ada)).slice(-4), Array(4).fill("answer request_answer"));
  const moved = (await service.get("/coin/ledger?limit=2")).body.entries;
  assert.deepEqual(
    moved.map(({ kind, amount, to }: { kind: string; amount: number; to: object }) => [
      kind,
      amount,
      to,
    ]),
    [
      ["request_accepted", 0.25, { agent_id: bob.agent_id, handle: "bob" }],
      ["request", 0.25, null],
    ],
  );
}

eachEngine("nobody is paid by silence, and the reward comes back", async (service) => {
  const [ada] = await wealthy(service, 1);
  assert.ok(ada !== undefined);
  const eve = await service.register("eve");
  const request = await ask(ada, { reward: 1 });
  await answer(eve, request.id);
  service.pass(days(7) - 1);
  assert.equal(await endOverdueRequests(service.service.context), 0);
  service.pass(1);
  const late = { request_id: request.id, answer: "Too late." };
  const bob = await service.register("bob");
  assert.equal(code(await bob.post("/request/answer", late)), "409 request_ended");
  assert.equal(await endOverdueRequests(service.service.context), 1);
  assert.deepEqual(await standing(service, request.id), {
    status: "withdrawn",
    state: "closed",
    waiting: 0,
    deadline_at: null,
    on_deadline: null,
  });
  assert.equal(code(await bob.post("/request/answer", late)), "409 request_withdrawn");
  assert.deepEqual([await balanceOf(ada), await balanceOf(eve)], [1, 0]);
  await service.sequenced();
  const closed = (await ada.get("/inbox")).body.items.at(-1);
  assert.deepEqual([closed.why, closed.kind], ["request", "request_closed"]);
});

eachEngine(
  "the answer of the agent that a request is for counts 72 hours later",
  async (service) => {
    const [ada] = await wealthy(service, 1);
    assert.ok(ada !== undefined);
    const [bob, eve] = [await service.register("bob"), await service.register("eve")];
    const closes_at = service.service.context.clock.now() + 2 * HOUR_S;
    const request = await ask(ada, { reward: 0.5, to: "bob", closes_at });
    await service.sequenced();
    const told = (await bob.get("/inbox")).body.items.at(-1);
    assert.deepEqual([told.why, told.kind], ["request", "request"]);
    await answer(eve, request.id);
    service.pass(HOUR_S);
    const first = await answer(bob, request.id);
    const at = service.service.context.clock.now();
    const { deadline_at, on_deadline } = await standing(service, request.id);
    assert.deepEqual([deadline_at, on_deadline], [at + days(3), "accepted"]);
    await ada.post("/request/refuse", { answer_id: first.id, reason: "Half of it." });
    assert.equal((await standing(service, request.id)).deadline_at, closes_at);
    const second = await answer(bob, request.id);
    service.pass(days(3) - 1);
    assert.equal(
      await endOverdueRequests(service.service.context),
      0,
      "the time to judge it is whole",
    );
    service.pass(1);
    const late = await ada.post("/request/refuse", { answer_id: second.id, reason: "No." });
    assert.equal(code(late), "409 request_ended");
    assert.equal(await endOverdueRequests(service.service.context), 1);
    const { request: ended } = (await service.get(`/request/${request.id}`)).body;
    assert.deepEqual([stateIn(ended), ended.accepted_by], ["accepted", "deadline"]);
    assert.deepEqual([await balanceOf(ada), await balanceOf(bob)], [0.5, 0.5]);
  },
);

eachEngine("what a request promises is checked before anything is held", async (service) => {
  const [ada] = await wealthy(service, 1);
  assert.ok(ada !== undefined);
  await service.register("bob");
  const send = async (terms: object) => {
    const { status, body } = await ada.post("/request", { text: "Work.", ...terms });
    return [status, body.error, body.details?.[0]?.field];
  };
  for (const terms of [
    { ends: "first", reward: 0.5 },
    { to: "bob" },
    { questions: 1 },
    { closes_at: 5 },
  ])
    assert.deepEqual(await send(terms), [422, "validation_failed", Object.keys(terms).at(-1)]);
  const now = service.service.context.clock.now();
  const accepted = { ends: "accepted" };
  for (const closes_at of [now + HOUR_S - 1, now + days(30) + 1])
    assert.deepEqual(await send({ ...accepted, closes_at }), [
      422,
      "validation_failed",
      "closes_at",
    ]);
  assert.deepEqual(await send({ ...accepted, reward: 0.009 }), [
    422,
    "validation_failed",
    "reward",
  ]);
  assert.deepEqual(await send({ ...accepted, reward: 1.000001 }), [
    409,
    "insufficient_balance",
    "balance",
  ]);
  assert.deepEqual((await send({ ...accepted, to: ada.agent_id })).slice(0, 2), [
    422,
    "validation_failed",
  ]);
  assert.deepEqual((await send({ ...accepted, to: "nobody" })).slice(0, 2), [
    404,
    "agent_not_found",
  ]);
  for (let n = 0; n < 20; n++) await ask(ada, { reward: 0.01 });
  assert.deepEqual((await send({ ...accepted, reward: 0.01 })).slice(0, 2), [
    409,
    "too_many_open_requests",
  ]);
  assert.equal(await balanceOf(ada), 0.8, "a refused request holds nothing");
  const { body } = await ada.post("/request/withdraw", { request_id: 1 });
  assert.equal(stateIn(body.request), "withdrawn");
  assert.equal(await balanceOf(ada), 0.81);
  assert.equal((await send({ ...accepted, reward: 0.01 }))[0], 201);
});

eachEngine("of two that judge at once, one is first", async (service) => {
  const [ada] = await wealthy(service, 1);
  assert.ok(ada !== undefined);
  const [bob, eve] = [await service.register("bob"), await service.register("eve")];
  for (let round = 0; round < 5; round++) {
    const { id } = await ask(ada, { reward: 0.1 });
    const [one, two] = [await answer(bob, id), await answer(eve, id)];
    const accepted: { status: number }[] = await Promise.all([
      ada.post("/request/accept", { answer_id: one.id }),
      ada.post("/request/accept", { answer_id: two.id }),
    ]);
    assert.deepEqual(accepted.map(({ status }) => status).sort(), [200, 409]);
  }
  assert.equal(await balanceOf(ada), 0.5);
  const together = (await balanceOf(bob)) + (await balanceOf(eve));
  assert.equal(Math.round(together * 10), 5);
  const { id } = await ask(ada, { reward: 0.1 });
  const said = await Promise.all(
    [1, 2, 3].map(() => bob.post("/request/answer", { request_id: id, answer: "Mine." })),
  );
  assert.deepEqual(said.map(({ status }) => status).sort(), [201, 409, 409]);
});

eachEngine("a ban keeps the answer of its agent from being paid", async (service) => {
  const [ada] = await wealthy(service, 1);
  assert.ok(ada !== undefined);
  const bob = await service.register("bob");
  const request = await ask(ada, { reward: 0.5, to: "bob" });
  const given = await answer(bob, request.id);
  await banAgent(service.service.context, { agent: bob.agent_id, reason: "Enough." });
  assert.equal(
    code(await ada.post("/request/accept", { answer_id: given.id })),
    "409 recipient_banned",
  );
  service.pass(days(3));
  await endOverdueRequests(service.service.context);
  assert.equal((await standing(service, request.id)).state, "review", "the asker has all its time");
  service.pass(days(4));
  await endOverdueRequests(service.service.context);
  assert.equal((await standing(service, request.id)).state, "closed");
  assert.equal(await balanceOf(ada), 1);
});

eachEngine(
  "after a ban that has ended, the asker judges until the request closes",
  async (service) => {
    const [ada] = await wealthy(service, 2);
    assert.ok(ada !== undefined);
    const bob = await service.register("bob");
    const { context } = service.service;
    const judged = await ask(ada, { reward: 0.5, to: "bob" });
    const unjudged = await ask(ada, { reward: 0.25, to: "bob" });
    const given = await answer(bob, judged.id);
    await answer(bob, unjudged.id);
    await banAgent(context, { agent: bob.agent_id, reason: "Enough." });
    service.pass(days(3));
    await endOverdueRequests(context);
    await unbanAgent(context, { agent: bob.agent_id, reason: "Better." });
    service.pass(HOUR_S);
    const refused = await ada.post("/request/refuse", { answer_id: given.id, reason: "Half." });
    assert.equal(refused.status, 200, JSON.stringify(refused.body));
    service.pass(days(4));
    await endOverdueRequests(context);
    assert.equal((await standing(service, judged.id)).state, "closed");
    assert.equal(
      (await standing(service, unjudged.id)).state,
      "accepted",
      "as the asker has promised",
    );
    assert.deepEqual([await balanceOf(ada), await balanceOf(bob)], [0.75, 0.25]);
  },
);

eachEngine("a question stops to wait after a day, and only three make it wait", async (service) => {
  const [ada, ...others] = [await service.register("ada"), ...(await four(service))];
  const request = await ask(ada, { questions: 1 });
  for (const agent of others) await answer(agent, request.id, { kind: "question" });
  service.pass(DAY_S - 1);
  await endOverdueRequests(service.service.context);
  assert.equal((await standing(service, request.id)).state, "asked");
  service.pass(1);
  await endOverdueRequests(service.service.context);
  assert.equal((await standing(service, request.id)).state, "open");
  await service.sequenced();
  const waits = (await readLedger(service)).filter(({ body }) => body["waits"] === 1);
  assert.equal(waits.length, 3);
  const declined = await answer(others[0] ?? ada, request.id, { kind: "decline" });
  assert.deepEqual([declined.kind, declined.outcome], ["decline", null]);
  const { request: after } = (await service.get(`/request/${request.id}`)).body;
  assert.deepEqual([after.answers_count, after.waiting], [0, 0], "neither is an answer");
  await service.sequenced();
  const answered = async () => (await service.get("/goal")).body.stones.answered_requests;
  assert.equal(await answered(), 0);
  assert.equal((await others[1]?.get("/me"))?.body.counts.answers, 0);
  await answer(others[1] ?? ada, request.id);
  await service.sequenced();
  assert.equal(await answered(), 1);
  assert.equal((await others[1]?.get("/me"))?.body.counts.answers, 1);
});

eachEngine(
  "the queue of an asker begins with its requests, and its record says how they ended",
  async (service) => {
    const [ada] = await wealthy(service, 1);
    assert.ok(ada !== undefined);
    const [bob, eve] = [await service.register("bob"), await service.register("eve")];
    const recordOf = async ({ agent_id }: TestAgent) =>
      Object.values((await service.get(`/agent/${agent_id}`)).body.request_record);
    const soon = service.service.context.clock.now() + 3 * HOUR_S;
    const later = await ask(ada, { reward: 0.1 });
    const sooner = await ask(ada, { reward: 0.1, closes_at: soon, questions: 1 });
    await ask(ada);
    const work = await answer(bob, later.id);
    await answer(eve, sooner.id, { kind: "question" });
    const queue = (await ada.get("/queue?part=to_judge")).body;
    const ids = queue.to_judge.map(({ id }: { id: number }) => id);
    assert.deepEqual(ids, [sooner.id, later.id], "the nearest deadline first");
    const { waiting } = (await ada.get("/me")).body;
    assert.deepEqual([waiting.to_judge, waiting.messages, waiting.orders], [2, 0, 0]);
    assert.deepEqual([queue.closing, waiting.judge_by], [[sooner.id], soon]);
    await ada.post("/request/accept", { answer_id: work.id });
    const again = await ask(ada, { reward: 0.1 });
    await ada.post("/request/accept", { answer_id: (await answer(bob, again.id)).id });
    const bad = await answer(eve, sooner.id);
    await ada.post("/request/refuse", { answer_id: bad.id, reason: "It is empty." });
    service.pass(3 * HOUR_S);
    await endOverdueRequests(service.service.context);
    assert.deepEqual(await recordOf(ada), [0, 0, 2, 1, 2, 1]);
    assert.deepEqual(await recordOf(bob), [2, 1, 0, 0, 0, 0], "two answers of one asker");
    assert.deepEqual(await recordOf(eve), [0, 0, 0, 0, 0, 0]);
    const { to_judge, closing } = (await ada.get("/queue")).body;
    assert.deepEqual([to_judge, closing], [[], []]);
    assert.equal((await ada.get("/me")).body.waiting.judge_by, null);
  },
);

const four = async (service: TestService): Promise<TestAgent[]> => {
  const agents: TestAgent[] = [];
  for (let n = 0; n < 4; n++) agents.push(await service.register());
  return agents;
};
