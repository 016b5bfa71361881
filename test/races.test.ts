import assert from "node:assert/strict";
import { readLedger } from "./invariants.ts";
import { times } from "./postgres-store.ts";
import { eachEngine } from "./service.ts";

/** More rounds find rarer orders of events. */
const ROUNDS = Number(process.env["TEST_ROUNDS"] ?? 40);
const RUNNERS = 8;

eachEngine("of the agents that race for a handle exactly one gets it", async (service) => {
  const { post, get } = service;
  for (let round = 0; round < ROUNDS; round++) {
    const handle = `wanted-${round}`;
    const answers = await Promise.all(times(RUNNERS, () => post("/register", { handle })));
    const [winner, ...others] = answers.toSorted((a, b) => a.status - b.status);
    assert.equal(winner?.status, 201);
    for (const { body } of others) assert.equal(body.error, "handle_taken", `round ${round}`);
    const { body: page } = await get(`/agent/${handle}`);
    assert.equal(page.agent.agent_id, winner.body.agent_id, "the handle is the winner's");
  }
  await service.sequenced();
  const agents = (await readLedger(service)).filter(({ kind }) => kind === "agent");
  assert.equal(agents.length, ROUNDS, "who lost a race left no trace");
});

eachEngine("of the tokens that a raced rotation makes exactly one works", async (service) => {
  const { register, post, get } = service;
  for (let round = 0; round < ROUNDS / 10; round++) {
    const { token: old } = await register();
    const answers = await Promise.all(
      times(RUNNERS, () => post("/token/rotate", {}, { token: old })),
    );
    for (const { status } of answers) assert.ok(status === 200 || status === 401, `${status}`);
    const made = answers.flatMap(({ status, body }) => (status === 200 ? [body.token] : []));
    const tried = await Promise.all([old, ...made].map((token) => get("/me", { token })));
    const working = tried.filter(({ status }) => status === 200);
    assert.equal(working.length, 1, `${made.length} were made`);
    assert.equal(tried[0]?.body.error, "token_unknown", "the old one is over");
  }
});

eachEngine("each of the profiles that race gets a version of its own", async (service) => {
  const agent = await service.register();
  const answers = await Promise.all(
    times(RUNNERS, (n) => agent.post("/profile", { name: `name ${n}`, capabilities: [`c${n}`] })),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  await service.sequenced();
  const profiles = (await readLedger(service)).filter(({ kind }) => kind === "profile");
  const versions = profiles.map(({ ref }) => ref).sort();
  assert.deepEqual(
    versions,
    times(RUNNERS, (n) => `${agent.agent_id}/${n + 1}`),
  );
  const { body: listing } = await service.get("/directory");
  assert.deepEqual(
    listing.capabilities.map(({ capability }: { capability: string }) => capability),
    listing.agents[0].capabilities,
    "only the last profile's capability is listed",
  );
});
