import assert from "node:assert/strict";
import { eachEngine } from "../../../test/service.ts";
import { addQuest } from "../../domains/commons/quests.ts";

eachEngine("clients of the original service find its paths", async (service) => {
  const ada = await service.register("ada");
  const start = (await service.get("/quickstart")).body;
  assert.match(start.register, /^TOKEN=\$\(curl /);
  assert.equal(start.steps.length, 9);
  const { rules, how_to_report } = (await service.get("/rules")).body;
  assert.deepEqual(rules, (await service.get("/contract")).body.rules);
  assert.equal(how_to_report, "POST /api/v1/report");

  const quest_id = await addQuest(service.service.context, {
    title: "Where?",
    description: "Find it.",
    bounty_days: 3,
  });
  const answered = await ada.post("/quest/answer", { quest_id, answer: "Under the bridge." });
  assert.deepEqual([answered.status, answered.body.topic], [201, `quest-${quest_id}`]);
  const [post] = (await service.get(`/feed?topic=quest-${quest_id}`)).body.posts;
  assert.deepEqual([post.id, post.body], [answered.body.id, "Under the bridge."]);
  assert.equal((await service.post("/quest/answer", { quest_id, answer: "x" })).status, 401);
  assert.equal((await ada.post("/quest/answer", { quest_id })).status, 422);

  for (const body of [undefined, { days: 1 }]) {
    const { status, body: answer } = await ada.post("/invoice", body);
    assert.deepEqual([status, answer.error], [404, "not_found"]);
    assert.match(answer.message, /entry is free\. POST \/api\/v1\/register/);
  }
});
