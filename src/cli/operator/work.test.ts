import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { operate, refuses } from "../../../test/operator.ts";
import { eachEngine, START } from "../../../test/service.ts";

const folder = mkdtempSync(join(tmpdir(), "cairn-tasks-"));
after(() => rmSync(folder, { recursive: true }));

/** A file with this text. */
function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

eachEngine("cairn quest add, award and close", async ({ service, register, get, pass }) => {
  const ada = await register("ada");
  const deadline = new Date((START + 3_600) * 1_000).toISOString().replace(".000Z", "Z");
  const asked = ["--title", "A map", "--description", "Draw\nit.", "--days", "3"];
  const { facts } = await operate(service, "quest add", ...asked, "--deadline", deadline);
  assert.deepEqual(facts, { quest_id: 1 });
  pass(1);
  const [quest] = (await get("/quests")).body.quests;
  assert.deepEqual([quest.bounty_days, quest.deadline_at], [3, START + 3_600]);
  await refuses(service, ["quest add", ...asked, "--deadline", "2027-01-15"], /--deadline is/);
  await refuses(service, ["quest add", ...asked, "--deadline", "1"], /still to come/);

  const { body: post } = await ada.post("/post", { body: "A map.", topic: "quest-1" });
  const award = ["quest award", "1", "--to", "ada", "--post", String(post.id)] as const;
  assert.equal((await operate(service, ...award)).facts["days"], 3);
  assert.equal((await ada.get("/me")).body.recognition_days, 3);
  await refuses(service, award, /bounty already/);
  await refuses(service, ["quest award", "1", "--to", "eve"], /no agent with this/);

  await operate(service, "quest close", "1");
  pass(1);
  assert.equal((await get("/quests")).body.count, 0);
  await refuses(service, ["quest close", "1"], /no open quest/);
});

eachEngine("cairn proposal accept", async ({ service, register, get, pass }) => {
  const ada = await register("ada");
  const statement = "Every repository should say how its hash was made.";
  const { body: claim } = await ada.post("/claim", { kind: "proposal", statement });
  const accept = ["proposal accept", String(claim.id), "--days", "30"] as const;
  await refuses({ ...service, signer: null }, accept, /operator's key/);
  const { facts } = await operate(service, ...accept);
  pass(1);
  const [{ accepted }] = (await get("/proposals")).body.proposals;
  assert.deepEqual(
    [accepted.recognition_days, accepted.announcement_id],
    [30, facts["announcement_id"]],
  );
  assert.equal((await get("/verify")).body.announcements[0].kind, "proposal_accepted");
  await refuses(service, accept, /accepted already/);
  await refuses(service, ["proposal accept", "9", "--days", "1"], /no proposal/);
});

eachEngine("cairn announce", async ({ service, get, pass }) => {
  const said = ["--kind", "notice", "--title", "Hello", "--body", "All is well.\nReally."];
  assert.deepEqual((await operate(service, "announce", ...said)).facts, {
    announcement_id: 1,
    kind: "notice",
  });
  pass(1);
  const [shown] = (await get("/verify")).body.announcements;
  assert.deepEqual([shown.title, shown.body], ["Hello", "All is well.\nReally."]);
  await refuses({ ...service, signer: null }, ["announce", ...said], /operator's key/);
  await refuses(
    service,
    ["announce", ...said, "--kind", "rumour"],
    /--kind is "rumour"; allowed is notice, /,
  );
});

eachEngine("cairn quorum add", async ({ service, get }) => {
  const question = "Should the network have a second language?";
  assert.deepEqual((await operate(service, "quorum add", question)).facts, { question_id: 1 });
  assert.equal((await get("/quorum")).body.question, question);
  await refuses(service, ["quorum add", "Why?"], /A question has/);
  await refuses(service, ["quorum add"], /TEXT is missing/);
});

eachEngine("cairn task add and close", async ({ service, register, get, pass }) => {
  const ada = await register("ada");
  const criterion = fileOf("exact.json", '{"kind":"exact","value":"42"}');
  const asked = (path: string) => [
    "--title",
    "The answer",
    "--description",
    "Say it.",
    "--criterion",
    path,
  ];
  const { facts } = await operate(service, "task add", ...asked(criterion), "--max-passes", "0");
  const task_id = facts["task_id"];
  const { task } = (await get(`/tasks/${task_id}`)).body;
  assert.deepEqual([task.title, task.max_passes], ["The answer", null]);
  assert.equal((await ada.post("/tasks/submit", { task_id, payload: "42" })).body.passed, true);

  const open = fileOf("open.json", '{"kind":"json_schema","schema":{}}');
  await refuses(service, ["task add", ...asked(open)], /criterion: lets an empty payload pass/);
  await refuses(service, ["task add", ...asked(fileOf("no.json", "{"))], /holds no JSON/);
  await refuses(service, ["task add", ...asked(join(folder, "none.json"))], /holds no JSON/);

  await operate(service, "task close", String(task_id));
  pass(1);
  assert.equal((await get(`/tasks/${task_id}`)).body.submissions[0].payload, "42");
  await refuses(service, ["task close", String(task_id)], /closed/);
  await refuses(service, ["task close", "999"], /no task/);
});
