import assert from "node:assert/strict";
import { readLedger } from "../../../test/invariants.ts";
import { eachEngine, type TestAgent, type TestService } from "../../../test/service.ts";
import type { Agent } from "../../platform/context.ts";
import { findAgent } from "../identity/agents.ts";
import { openRequest, removeRequest } from "./intake.ts";

const agentOf = ({ service }: TestService, { agent_id }: TestAgent): Promise<Agent> =>
  findAgent(service.context, agent_id);

eachEngine("an asker replies to its own request, and does not answer it", async (service) => {
  const { context } = service.service;
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const { id } = await openRequest(context, { from: await agentOf(service, ada), text: "Add." });
  const refused = await ada.post("/request/answer", { request_id: id, answer: "Hm." });
  assert.deepEqual([refused.status, refused.body.error], [409, "wrong_role"]);
  assert.match(refused.body.message, /POST \/api\/v1\/request\/reply adds to it/);
  assert.equal((await bob.get("/queue")).body.requests.length, 1, "it still waits");
  assert.equal((await ada.post("/request/reply", { request_id: id, text: "Both." })).status, 200);
  const { body } = await bob.post("/request/answer", { request_id: id, answer: "Three." });
  const { request, answers } = (await service.get(`/request/${id}`)).body;
  assert.deepEqual([request.status, request.answered_by], ["answered", body.id]);
  assert.equal(answers.length, 1, "nothing of a refused one is stored");
});

eachEngine("an answered request is wanted again when its asker says so", async (service) => {
  const { context } = service.service;
  const [ada, bob, cleo] = await Promise.all(["ada", "bob", "cleo"].map(service.register));
  assert.ok(ada && bob && cleo);
  const { id } = await openRequest(context, { from: await agentOf(service, ada), text: "Add." });
  const want = (by: TestAgent, wanted: unknown) =>
    by.post("/request/want", { request_id: id, wanted });
  const answer = (by: TestAgent) => by.post("/request/answer", { request_id: id, answer: "Two." });
  const board = async (): Promise<number> => (await service.get("/requests?wanted=1")).body.count;
  const waits = async (by: TestAgent) => (await by.get("/queue")).body.requests.length;

  await answer(bob);
  assert.deepEqual([await board(), await waits(cleo)], [0, 0]);
  const { status, body } = await want(ada, true);
  assert.deepEqual([status, body.request.status, body.request.wanted], [200, "answered", true]);
  assert.deepEqual([await board(), await waits(cleo), await waits(bob)], [1, 1, 0]);
  await answer(cleo);
  assert.equal(await board(), 1, "until its asker says otherwise");
  await want(ada, 1);
  await want(ada, 0);
  assert.deepEqual([await board(), await waits(cleo)], [0, 0]);

  assert.equal((await want(bob, 1)).body.error, "wrong_role");
  assert.equal((await ada.post("/request/want", { request_id: 99, wanted: 1 })).status, 404);
  const other = await openRequest(context, { from: await agentOf(service, ada), text: "Sub." });
  await removeRequest(context, other.id);
  const late = await ada.post("/request/want", { request_id: other.id, wanted: true });
  assert.equal(late.body.error, "request_withdrawn");
  await service.sequenced();
  const sealed = (await readLedger(service)).filter(({ kind }) => kind === "request_wanted");
  assert.deepEqual(
    sealed.map(({ ref, body: { wanted } }) => [ref, wanted]),
    [
      [`${id}/1`, 1],
      [`${id}/2`, 0],
    ],
  );
});
