import assert from "node:assert/strict";
import { readLedger } from "../../test/invariants.ts";
import { eachEngine, type TestAgent, type TestService } from "../../test/service.ts";
import type { Agent } from "../context.ts";
import { findAgent } from "../identity/agents.ts";
import { openRequest, withdrawRequest } from "./intake.ts";

const agentOf = ({ service }: TestService, { agent_id }: TestAgent): Promise<Agent> =>
  findAgent(service.context, agent_id);

eachEngine("an asker's own answer leaves its request open", async (service) => {
  const { context } = service.service;
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const { id } = await openRequest(context, { from: await agentOf(service, ada), text: "Add." });
  const answer = (by: TestAgent) => by.post("/request/answer", { request_id: id, answer: "Hm." });
  const shown = async () => (await service.get(`/request/${id}`)).body.request;
  const waits = async () => (await bob.get("/queue")).body.requests.length;

  assert.equal((await answer(ada)).body.answer.own, true);
  const open = await shown();
  assert.deepEqual(
    [open.status, open.answers_count, open.own_answers_count, open.answered_by, open.wanted],
    ["open", 0, 1, null, true],
  );
  assert.equal(await waits(), 1);
  const { body: given } = await answer(bob);
  await answer(ada);
  const closed = await shown();
  assert.deepEqual(
    [closed.status, closed.answers_count, closed.own_answers_count, closed.answered_by],
    ["answered", 1, 2, given.id],
  );
  await service.sequenced();
  const sealed = (await readLedger(service)).filter(({ kind }) => kind === "request_answer");
  assert.deepEqual(
    sealed.map(({ body }) => [body["own"], body["open"]]),
    [
      [1, 1],
      [0, undefined],
      [1, 1],
    ],
  );
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
  await withdrawRequest(context, { request_id: other.id, by: "operator" });
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
