import assert from "node:assert/strict";
import { test } from "node:test";
import { dropPostgres, freshPostgres } from "../../../test/database.ts";
import { readLedger } from "../../../test/invariants.ts";
import { eachEngine, openTestService, START } from "../../../test/service.ts";
import { builtInQuestion } from "./questions.ts";
import { addQuorumQuestion } from "./quorum.ts";
import { WEEK_S } from "./weeks.ts";

/** The tests' clock begins on a Friday. */
const MONDAY = 1_799_625_600;

eachEngine("the week's question is asked once, by the network itself", async (service) => {
  const { get } = service;
  const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => get(`/quorum?x=${i}`)));
  const [first] = answers.map(({ body }) => body);
  for (const { status, body } of answers) {
    assert.equal(status, 200);
    assert.deepEqual(body, first);
  }
  assert.equal(first.week, "2027-W02");
  assert.equal(first.question, builtInQuestion(MONDAY));
  assert.deepEqual([first.opens_at, first.closes_at], [MONDAY, MONDAY + WEEK_S]);
  assert.deepEqual(first.tally, { true: 0, false: 0, void: 0 });
  assert.equal(first.votes, 0);
  assert.deepEqual(first.previous, []);

  const { body: operator } = await get("/agent/operator");
  const { body: view } = await get(`/claim/${first.claim_id}`);
  assert.equal(view.claim.kind, "quorum");
  assert.equal(view.claim.agent.agent_id, operator.agent.agent_id);
  await service.sequenced();
  const entries = await readLedger(service);
  assert.equal(entries.filter(({ kind }) => kind === "agent").length, 1);
  assert.equal(entries.filter(({ kind }) => kind === "claim").length, 1);
  const opened = entries.filter(({ kind }) => kind === "quorum_opened");
  const { week, claim_id, opens_at, closes_at } = first;
  assert.deepEqual(
    opened.map(({ ref, body }) => ({ ref, body })),
    [{ ref: week, body: { week, claim_id, opens_at, closes_at, made_at: START } }],
  );
});

eachEngine("votes are counted, pay nobody, and end with the week", async (service) => {
  const { register, get, pass } = service;
  const [ada, bob, eve] = [await register("ada"), await register("bob"), await register("eve")];
  const { claim_id } = (await get("/quorum")).body;
  const evidence = "So I think.";
  const { body: vote } = await ada.post("/claim/resolve", { claim_id, outcome: "true", evidence });
  assert.deepEqual(
    vote.rewards.map(({ for: to, entitlement, why }: Record<string, unknown>) => [
      to,
      entitlement,
      why,
    ]),
    [
      ["author", null, "quorum"],
      ["judge", null, "quorum"],
    ],
  );
  await bob.post("/claim/resolve", { claim_id, outcome: "false" });
  const again = await bob.post("/claim/resolve", { claim_id, outcome: "true" });
  assert.equal(again.body.error, "already_judged");
  const { body } = await get("/quorum");
  assert.deepEqual([body.tally, body.votes], [{ true: 1, false: 1, void: 0 }, 2]);

  pass(MONDAY + WEEK_S - START - 1);
  assert.equal((await get("/quorum")).body.claim_id, claim_id, "the last second of the week");
  pass(1);
  const late = await eve.post("/claim/resolve", { claim_id, outcome: "true" });
  assert.equal(late.status, 409);
  assert.equal(late.body.error, "quorum_closed");
  const { body: next } = await get("/quorum");
  assert.equal(next.week, "2027-W03");
  assert.notEqual(next.claim_id, claim_id);
  assert.notEqual(next.question, body.question);
  assert.equal(
    (await eve.post("/claim/resolve", { claim_id: next.claim_id, outcome: "void" })).status,
    201,
  );
  const { ok: _, how_to_vote: __, previous: ___, ...shown } = body;
  assert.deepEqual(next.previous, [shown]);
});

eachEngine(
  "four earlier weeks are shown, and a week that nobody needed is none",
  async (service) => {
    const { get, pass } = service;
    const weeks: string[] = [];
    for (const skip of [1, 1, 2, 1, 1, 1]) {
      weeks.unshift((await get("/quorum")).body.week);
      pass(skip * WEEK_S);
    }
    const { body } = await get("/quorum");
    assert.deepEqual(weeks.slice(0, 4), ["2027-W08", "2027-W07", "2027-W06", "2027-W04"]);
    assert.deepEqual(
      body.previous.map(({ week }: { week: string }) => week),
      weeks.slice(0, 4),
    );
    const { claims } = (await get("/claims?kind=quorum&limit=3")).body;
    assert.equal(claims.length, 3);
    assert.equal((await get("/claims")).body.count, 0, "only when their kind is asked for");
    assert.equal((await get("/claims?agent=operator")).body.count, 0);
    assert.equal((await get("/claims?status=overdue")).body.count, 0);
  },
);

eachEngine("the operator's questions go first, oldest first, once each", async (service) => {
  const {
    get,
    pass,
    service: { context },
  } = service;
  for (const bad of ["Why?", " ".repeat(9), "x".repeat(501), "nul \u0000 is out"])
    await assert.rejects(addQuorumQuestion(context, bad), /8 to 500/);
  assert.equal(await addQuorumQuestion(context, "Is this the first question?"), 1);
  await addQuorumQuestion(context, "Is this the second question?");
  const asked: string[] = [];
  for (let week = 0; week < 3; week++, pass(WEEK_S))
    asked.push((await get("/quorum")).body.question);
  assert.deepEqual(asked, [
    "Is this the first question?",
    "Is this the second question?",
    builtInQuestion(MONDAY + 2 * WEEK_S),
  ]);
});

test("two nodes that need a week's question at one moment ask the same one", async () => {
  const CAIRN_DATABASE_URL = await freshPostgres();
  const first = await openTestService("postgres", "one", { CAIRN_DATABASE_URL });
  const second = await openTestService("postgres", "other", { CAIRN_DATABASE_URL });
  try {
    for (let week = 0; week < 5; week++) {
      const asked = await Promise.all([first, second, first, second].map((n) => n.get("/quorum")));
      for (const { body } of asked) assert.deepEqual(body, asked[0]?.body);
      for (const node of [first, second]) node.pass(WEEK_S);
    }
    await first.sequenced();
    const kinds = (await readLedger(first)).map(({ kind }) => kind);
    const count = (wanted: string) => kinds.filter((kind) => kind === wanted).length;
    assert.deepEqual([count("agent"), count("claim"), count("quorum_opened")], [1, 5, 5]);
  } finally {
    await first.close();
    await second.close();
    dropPostgres(CAIRN_DATABASE_URL);
  }
});
