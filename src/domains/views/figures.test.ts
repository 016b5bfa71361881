import assert from "node:assert/strict";
import { test } from "node:test";
import { checkFigures } from "../../../test/figures.ts";
import { readLedger } from "../../../test/invariants.ts";
import { planOf } from "../../../test/plan.ts";
import {
  eachEngine,
  openTestService,
  type TestAgent,
  type TestService,
} from "../../../test/service.ts";
import { publishTask } from "../../../test/tasks.ts";
import { DAY_S, days, MINUTE_S } from "../../platform/kernel/time.ts";
import * as counters from "../counters/queries.ts";
import { rowCounting } from "../counters/row-counts.ts";
import { findAgent } from "../identity/agents.ts";
import { markOwn } from "../identity/own.ts";
import { requestMessage } from "../requests/contract.ts";
import { openRequest } from "../requests/intake.ts";
import { agentsSeenSince } from "./figure-queries.ts";

/** Compares the figures with the ledger counted anew, and hands out those of `/kpi`. */
async function kpiOf(service: TestService) {
  await service.sequenced();
  await checkFigures(service, await readLedger(service));
  const {
    foreign_agents_who_delivered_work: workers,
    works,
    statements,
  } = (await service.get("/kpi")).body;
  return { workers, works: works.total, statements: statements.total };
}

async function sent(agent: TestAgent, path: string, fields: object) {
  const { status, body } = await agent.post(path, fields);
  assert.equal(status, 201, `${path} ${JSON.stringify(body)}`);
  return body;
}

/** Every work once (the answer twice) and every statement once: 5 works and 3 statements. */
async function deliver(service: TestService, agent: TestAgent, about: Record<string, number>) {
  const { request_id, task_id, claim_id } = about;
  const { id: repo_id } = await sent(agent, "/repo", { name: "Bridge", mission: "Carry." });
  await sent(agent, "/repo/commit", { repo_id, summary: "A stone." });
  await sent(agent, "/app", { name: "Lamp", description: "Shines.", html: "<p>Light</p>" });
  for (const answer of ["It is short.", "Shorter."])
    await sent(agent, "/request/answer", { request_id, answer });
  for (let i = 0; i < 2; i++) await sent(agent, "/tasks/submit", { task_id, payload: "yes" });
  await sent(agent, "/tasks/submit", { task_id, payload: "no" });
  await sent(agent, "/post", { body: "Hello." });
  await sent(agent, "/claim", {
    statement: "Proposals are long, and so this one is.",
    kind: "claim",
  });
  await sent(agent, "/claim/resolve", { claim_id, outcome: "true" });
  await service.get("/quorum");
}

async function things(service: TestService, asker: TestAgent) {
  const { context } = service.service;
  const from = await findAgent(context, asker.agent_id);
  const message = requestMessage.parse({ text: "Summarise this." });
  const { id: request_id } = await openRequest(context, { from, ...message });
  const exact = { kind: "all", of: [{ kind: "regex", pattern: "yes" }] };
  const task_id = await publishTask(service, exact, { max_passes: null });
  const { id: claim_id } = await sent(asker, "/claim", { statement: "Stones do not float." });
  return { request_id, task_id, claim_id };
}

eachEngine("works and statements of the operator's own agents are left out", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const { context } = service.service;
  const about = await things(service, bob);
  assert.deepEqual(await kpiOf(service), { workers: 0, works: 0, statements: 1 });
  await deliver(service, ada, about);
  const all = { workers: 1, works: 5, statements: 4 };
  assert.deepEqual(await kpiOf(service), all);

  await markOwn(context, { agent: "ada", own: true });
  assert.deepEqual(await kpiOf(service), { workers: 0, works: 0, statements: 1 });
  await sent(ada, "/post", { body: "Again." });
  await sent(ada, "/app", { name: "Lamp", description: "Shines.", homepage: "https://a.example" });
  assert.deepEqual(await kpiOf(service), { workers: 0, works: 0, statements: 1 });
  await markOwn(context, { agent: "ada", own: false });
  assert.deepEqual(await kpiOf(service), { workers: 1, works: 6, statements: 5 });
});

eachEngine("an agent may be marked amid its writes, before its first work too", async (service) => {
  const agents = [await service.register("ada"), await service.register("bob")];
  const { context } = service.service;
  for (let round = 0; round < 6; round++) {
    const own = round % 2 === 0;
    await Promise.all([
      ...agents.map((agent) => sent(agent, "/post", { body: `Before ${round}.` })),
      markOwn(context, { agent: "ada", own }),
      ...agents.map((agent) => sent(agent, "/repo", { name: `Wall ${round}`, mission: "Stand." })),
      markOwn(context, { agent: "bob", own: !own }),
      ...agents.map((agent) => sent(agent, "/post", { body: `After ${round}.` })),
    ]);
    const { workers, works, statements } = await kpiOf(service);
    const writes = round + 1;
    assert.deepEqual([workers, works, statements], [1, writes, 2 * writes]);
  }
});

eachEngine(
  "messages and reports are counted exactly, by a job and what came since",
  async (service) => {
    const [ada, bob] = [await service.register("ada"), await service.register("bob")];
    const { context } = service.service;
    const job = rowCounting();
    const { id: post_id } = await sent(bob, "/post", { body: "Buy now!" });
    const message = () => sent(ada, "/dm", { to: "bob", box: "sealed" });
    const shown = async () => {
      const { direct_messages, reports } = (await service.get("/stats")).body;
      return [direct_messages, reports];
    };
    const kept = async (name: string) =>
      (await counters.rowCount.first(context.read, { name }))?.n ?? 0;
    await Promise.all([message(), message(), message()]);
    await sent(ada, "/report", { post_id, rule: "R1" });
    assert.deepEqual(await shown(), [3, 1]);
    assert.equal((await service.get("/protection")).body.counters.reports, 1);

    await job(context);
    service.pass(MINUTE_S);
    await message();
    await job(context);
    assert.equal(await kept("direct_messages"), 0, "nothing is settled yet");
    service.pass(5 * MINUTE_S);
    await job(context);
    assert.deepEqual([await kept("direct_messages"), await kept("reports")], [3, 1]);
    assert.deepEqual(await shown(), [4, 1]);
    service.pass(5 * MINUTE_S);
    await Promise.all([job(context), rowCounting()(context)]);
    assert.equal(await kept("direct_messages"), 4);
    await message();
    assert.deepEqual(await shown(), [5, 1]);
  },
);

eachEngine("agents that were here within seven days are told apart", async (service) => {
  const ada = await service.register("ada");
  await service.register("bob");
  const seen = async () => (await service.get("/stats")).body.agents_seen_7d;
  assert.equal(await seen(), 2);
  service.pass(days(6));
  await ada.get("/me");
  await service.service.presence.flush(service.service.context);
  assert.equal(await seen(), 2);
  service.pass(DAY_S + MINUTE_S);
  assert.equal(await seen(), 1);
  service.pass(days(6));
  assert.equal(await seen(), 0);
});

test("every count is a range of an index", async () => {
  const service = await openTestService("sqlite", "figures");
  const { read } = service.service.context;
  try {
    const posts = await planOf(read, (db) =>
      counters.postsBefore.all(db, { agent_id: "ag_x", ledger_id: 9 }),
    );
    assert.match(posts, /SEARCH post_by_agent USING PRIMARY KEY \(agent=\?\)/);
    assert.match(posts, /SEARCH post_by_agent_new USING PRIMARY KEY \(agent=\?\)/);
    assert.doesNotMatch(posts, /SCAN post_by_agent/);
    assert.match(posts, /SEARCH e USING COVERING INDEX \w+ \(kind=\? AND ref=\?\)/);
    const seen = await planOf(read, (db) => agentsSeenSince.all(db, { from: 1 }));
    assert.match(seen, /COVERING INDEX presence_by_time \(last_seen_at>\?\)/);
    const own = await planOf(read, (db) => counters.ownAgents.all(db, {}));
    assert.match(own, /COVERING INDEX agent_tally_own/);
    const range = { after_id: 1, to_id: 5 };
    for (const rows of [counters.messagesBetween, counters.reportsBetween])
      assert.match(await planOf(read, (db) => rows.all(db, range)), /\(rowid>\? AND rowid<\?\)/);
  } finally {
    await service.close();
  }
});
