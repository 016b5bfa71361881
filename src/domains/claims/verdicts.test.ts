import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readLedger } from "../../../test/invariants.ts";
import { eachEngine, START, type TestAgent } from "../../../test/service.ts";
import { findAgent } from "../identity/agents.ts";
import { resolutionRecord } from "./record.ts";

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

/** Publishes a claim; resolves to its id. */
async function publish(agent: TestAgent): Promise<number> {
  const { body } = await agent.post("/claim", { statement: "The sum of two odd numbers is even." });
  return body.id;
}

eachEngine("a verdict is stored, tallied and listed", async (service) => {
  const { register, get } = service;
  const [ada, bob, eve] = [await register("ada"), await register("bob"), await register("eve")];
  const id = await publish(ada);
  const evidence = "2 + 2 = 4, and so on.";
  const { status, body } = await bob.post("/claim/resolve", {
    claim_id: String(id),
    outcome: "true",
    evidence,
  });
  assert.equal(status, 201);
  const verdict = {
    id: body.id,
    claim_id: 1,
    agent: { agent_id: bob.agent_id, handle: "bob" },
    outcome: "true",
    evidence,
    own: false,
    created_at: START,
    verified: false,
  };
  assert.deepEqual(body.verdict, verdict);
  assert.deepEqual(body.tally, { true: 1, false: 0, void: 0 });
  const { body: second } = await eve.post("/claim/resolve", { claim_id: id, outcome: "void" });
  assert.deepEqual(second.tally, { true: 1, false: 0, void: 1 });

  const { body: view } = await get(`/claim/${id}`);
  assert.equal(view.claim.status, "judged");
  assert.deepEqual(view.claim.tally, second.tally);
  assert.deepEqual(view.verdicts, [second.verdict, verdict]);
  assert.equal(view.verdicts_count, 2);

  await service.sequenced();
  const [first, last] = (await readLedger(service)).filter(({ kind }) => kind === "verdict");
  const sealed = {
    verdict_id: body.id,
    claim_id: id,
    agent: bob.agent_id,
    outcome: "true",
    own: 0,
  };
  assert.deepEqual(first?.body, { ...sealed, evidence_sha256: hashOf(evidence) });
  assert.deepEqual(first.text, { evidence });
  assert.equal(last?.body["evidence_sha256"], undefined);
});

eachEngine("bad verdicts are refused", async ({ register }) => {
  const [ada, bob] = [await register(), await register()];
  const claim_id = await publish(ada);
  for (const wrong of [{ outcome: "maybe" }, { outcome: 1 }, { evidence: " " }, { claim_id: 0 }])
    assert.equal(
      (await bob.post("/claim/resolve", { claim_id, outcome: "true", ...wrong })).status,
      422,
      JSON.stringify(wrong),
    );
  const evidence = "x".repeat(4_001);
  const long = await bob.post("/claim/resolve", { claim_id, outcome: "true", evidence });
  assert.equal(long.status, 422);
  const unknown = await bob.post("/claim/resolve", { claim_id: 99, outcome: "true" });
  assert.equal(unknown.body.error, "claim_not_found");
});

eachEngine("an agent judges a claim once, also when it races itself", async (service) => {
  const { register, get } = service;
  const [ada, bob] = [await register(), await register()];
  for (let round = 0; round < 10; round++) {
    const claim_id = await publish(ada);
    const outcomes = ["true", "false", "void", "true", "false", "void", "true", "false"];
    const answers = await Promise.all(
      outcomes.map((outcome) => bob.post("/claim/resolve", { claim_id, outcome })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, 409, 409, 409, 409, 409, 409, 409]);
    const { body } = await get(`/claim/${claim_id}`);
    assert.equal(body.verdicts_count, 1);
    const [first] = body.verdicts;
    const named = [
      { field: "verdict_id", problem: `${first.id}` },
      { field: "outcome", problem: first.outcome },
    ];
    const late = await bob.post("/claim/resolve", { claim_id, outcome: "void" });
    for (const { status, body: refused } of [...answers, late])
      if (status === 409)
        assert.deepEqual([refused.error, refused.details], ["already_judged", named]);
    assert.equal(body.claim.tally[body.verdicts[0].outcome], 1);
  }
});

eachEngine("verdicts that come together are all counted", async ({ register, get }) => {
  const ada = await register();
  const judges = await Promise.all(Array.from({ length: 8 }, () => register()));
  const claim_id = await publish(ada);
  await Promise.all(
    judges.map((one) => one.post("/claim/resolve", { claim_id, outcome: "false" })),
  );
  const { body } = await get(`/claim/${claim_id}`);
  assert.deepEqual(body.claim.tally, { true: 0, false: 8, void: 0 });
  assert.equal(body.verdicts_count, 8);
});

eachEngine("an own verdict is shown and counts in no tally", async (service) => {
  const { register, get } = service;
  const [ada, bob] = [await register(), await register()];
  const claim_id = await publish(ada);
  const own = await ada.post("/claim/resolve", { claim_id, outcome: "true", evidence: "I know." });
  assert.equal(own.status, 201);
  assert.equal(own.body.verdict.own, true);
  assert.deepEqual(own.body.tally, { true: 0, false: 0, void: 0 });
  const { body: still } = await get(`/claim/${claim_id}`);
  assert.equal(still.claim.status, "open");
  assert.equal(still.verdicts_count, 1);
  const again = await ada.post("/claim/resolve", { claim_id, outcome: "true" });
  assert.equal(again.body.error, "already_judged");
  await bob.post("/claim/resolve", { claim_id, outcome: "false" });
  const { body: judged } = await get(`/claim/${claim_id}`);
  assert.equal(judged.claim.status, "judged");
  assert.equal(judged.verdicts_count, 2);
  await service.sequenced();
  const entry = (await readLedger(service)).find(({ kind }) => kind === "verdict");
  assert.equal(entry?.body["own"], 1);
});

eachEngine("a verdict is paid, or says why not", async ({ register }) => {
  const [ada, bob, eve] = [await register(), await register(), await register()];
  const claim_id = await publish(ada);
  const judge = async (agent: TestAgent, evidence?: string) => {
    const sent = { claim_id, outcome: "true", evidence };
    const { rewards } = (await agent.post("/claim/resolve", sent)).body;
    return rewards.map(({ for: to, entitlement, why }: Record<string, { source: string }>) => [
      to,
      entitlement?.source ?? why,
    ]);
  };
  assert.deepEqual(await judge(ada, "Mine."), [
    ["author", "own_claim"],
    ["judge", "own_claim"],
  ]);
  const first = await judge(bob);
  assert.deepEqual(first[1], ["judge", "no_evidence"]);
  assert.ok(["pool_low", `claim/${claim_id}`].includes(first[0][1]), "the author's turn");
  for (const nothing of [".", "\u200b", "?! …"]) {
    const told = await judge(await register(), nothing);
    assert.deepEqual(told[1], ["judge", "no_evidence"], JSON.stringify(nothing));
  }
  const second = await judge(eve, "I looked.");
  assert.deepEqual(second[0], ["author", "already_rewarded"]);
  assert.ok(second[1][1] === "pool_low" || second[1][1].startsWith("verdict/"), "the judge's turn");
});

eachEngine("the record counts what agents claimed and judged", async (service) => {
  const {
    register,
    get,
    service: { context },
  } = service;
  const agents = [await register(), await register(), await register()];
  const claims = await Promise.all(agents.map(publish));
  // Everybody judges everybody at once, also themselves; a vote in the quorum is no verdict.
  await Promise.all(
    agents.flatMap((agent, i) =>
      claims.map((claim_id, j) =>
        agent.post("/claim/resolve", {
          claim_id,
          outcome: i < j ? "true" : i > j ? "false" : "void",
        }),
      ),
    ),
  );
  const { claim_id } = (await get("/quorum")).body;
  for (const agent of agents) await agent.post("/claim/resolve", { claim_id, outcome: "true" });
  await service.sequenced();

  const record = async (name: string) =>
    resolutionRecord(context.read, (await findAgent(context, name)).id);
  for (const [i, { agent_id }] of agents.entries()) {
    assert.deepEqual(await record(agent_id), {
      claims_made: 1,
      verdicts_received: { true: i, false: 2 - i, void: 0 },
      verdicts_given: { true: 2 - i, false: i, void: 0 },
    });
  }
  const none = { true: 0, false: 0, void: 0 };
  const nothing = { claims_made: 0, verdicts_received: none, verdicts_given: none };
  assert.deepEqual(await record("operator"), nothing);
});

eachEngine("author and judge are paid in the order of the agents", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const paid = async () => {
    await service.sequenced();
    const entries = await readLedger(service);
    return entries.flatMap(({ kind, body }) =>
      kind === "coin_reward" && body["why"] === "claim_judged" ? [body["agent"]] : [],
    );
  };
  for (const [author, judge] of [
    [ada, bob],
    [bob, ada],
  ] as const) {
    const before = (await paid()).length;
    const judged = await judge.post("/claim/resolve", {
      claim_id: await publish(author),
      outcome: "true",
      evidence: "2 + 2 = 4, 1 + 3 = 4, and so on for all of them.",
    });
    assert.equal(judged.status, 201);
    // Two who judge each other at once would else wait for each other's accounts.
    assert.deepEqual((await paid()).slice(before), [ada.agent_id, bob.agent_id]);
  }
});
