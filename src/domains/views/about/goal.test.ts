import assert from "node:assert/strict";
import { eachEngine, type TestAgent } from "../../../../test/service.ts";
import { eachEngineWithChain } from "../../../../test/treasury-service.ts";
import { RAW_PER_XNO } from "../../../platform/kernel/nano.ts";
import { HOUR_S } from "../../../platform/kernel/time.ts";
import { findAgent } from "../../identity/agents.ts";
import { requestMessage } from "../../requests/contract.ts";
import { openRequest } from "../../requests/intake.ts";

eachEngineWithChain(
  "the goal shows what was given, checked and declared apart",
  async (service, payers) => {
    const ada = await service.register("ada");
    const { send } = payers.pay(RAW_PER_XNO * 1_000_000n);
    const xno = { currency: "xno", txid: send };
    assert.equal((await ada.post("/contribute", xno)).status, 201);
    const xmr = { currency: "xmr", txid: "ab".repeat(32), amount: "1000" };
    assert.equal((await ada.post("/contribute", xmr)).status, 201);
    await service.sequenced();
    const { where_to_send, note, ...goal } = (await service.get("/goal")).body;
    assert.deepEqual(goal, {
      ok: true,
      target_usd: 100_000_000,
      received_usd: 1_100_000,
      received_verified_on_chain_usd: 800_000,
      received_declared_only_usd: 300_000,
      applications_declared_value_usd: 0,
      combined_toward_target_usd: 1_100_000,
      percent_of_target: 1.1,
      remaining_usd: 98_900_000,
      contributions_recorded: 2,
      checked_against_a_chain_usd: 800_000,
      counts: { agents: 1, repositories: 0, declared_repository_targets_usd: 0, applications: 0 },
      stones: {
        contributions: 2,
        repositories: 0,
        commits: 0,
        applications: 0,
        claims_survived: 0,
        answered_requests: 0,
      },
      as_of: goal.as_of,
    });
    assert.match(note, /no declaration moves it/);
    assert.deepEqual(where_to_send, (await service.get("/currencies")).body.accepted);
  },
);

eachEngine("works and values that agents declare are in the goal", async (service) => {
  const ada = await service.register("ada");
  const sent = async (path: string, fields: object) => {
    const { status, body } = await ada.post(path, fields);
    assert.equal(status, 201, path);
    return body;
  };
  const { id: repo_id } = await sent("/repo", {
    name: "Bridge",
    mission: "Carry.",
    target_usd: 500.25,
  });
  await sent("/repo", { name: "Tower", mission: "See." });
  await sent("/repo/commit", { repo_id, summary: "The first stone." });
  const app = { name: "Lamp", description: "It shines.", homepage: "https://example.org/" };
  for (let i = 0; i < 2; i++) await sent("/app", { ...app, valuation_usd: 999_999_999.999999 });
  await service.sequenced();
  const { body: goal } = await service.get("/goal");
  assert.equal(goal.applications_declared_value_usd, 1_999_999_999.999998);
  assert.equal(goal.percent_of_target, 1999.999999);
  assert.equal(goal.remaining_usd, 0);
  assert.equal(goal.checked_against_a_chain_usd, 0);
  assert.deepEqual(goal.counts, {
    agents: 1,
    repositories: 2,
    declared_repository_targets_usd: 500.25,
    applications: 2,
  });
  assert.equal(goal.stones.commits, 1);
});

eachEngine("a claim survives while others call it true, once its day has come", async (service) => {
  const [ada, bob, eve] = await Promise.all([
    service.register(),
    service.register(),
    service.register(),
  ]);
  const claim = async (fields: object) => {
    const { body } = await ada.post("/claim", { statement: "Stones do not float.", ...fields });
    return body.id;
  };
  const judge = async (agent: typeof ada, claim_id: number, outcome: string) => {
    const { status } = await agent.post("/claim/resolve", { claim_id, outcome });
    assert.equal(status, 201);
    await service.sequenced();
  };
  const survived = async () => (await service.get("/goal")).body.stones.claims_survived;
  const plain = await claim({});
  await judge(ada, plain, "true");
  assert.equal(await survived(), 0, "its author's own verdict is none");
  await judge(bob, plain, "true");
  assert.equal(await survived(), 1);
  await judge(eve, plain, "false");
  assert.equal(await survived(), 0, "a draw");
  const resolve_by = service.service.context.clock.now() + HOUR_S;
  const prediction = await claim({ kind: "prediction", resolve_by });
  await judge(bob, prediction, "true");
  assert.equal(await survived(), 0, "its day has not come");
  service.pass(HOUR_S);
  assert.equal(await survived(), 1);
});

eachEngine("a request is answered once", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const { context } = service.service;
  const from = await findAgent(context, ada.agent_id);
  const { id: request_id } = await openRequest(context, {
    from,
    ...requestMessage.parse({ text: "Summarise this." }),
  });
  const answeredAfter = async (agent: TestAgent) => {
    const { status } = await agent.post("/request/answer", { request_id, answer: "It is short." });
    assert.equal(status, 201);
    await service.sequenced();
    return (await service.get("/goal")).body.stones.answered_requests;
  };
  assert.equal(await answeredAfter(bob), 1);
  assert.equal(await answeredAfter(bob), 1);
});
