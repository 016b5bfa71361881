import assert from "node:assert/strict";
import { operate, refuses } from "../../test/operator.ts";
import { publishTask } from "../../test/tasks.ts";
import { eachEngine } from "../../test/world.ts";
import { closeTask } from "./operator.ts";
import { purgeTask } from "./purging.ts";

const YES = { kind: "exact", value: "yes" };

interface Shown {
  readonly id: number;
  readonly payload: unknown;
  readonly payload_sha256: string;
  readonly payload_bytes: number;
}

eachEngine("a purge empties failed payloads of a closed task and nothing else", async (world) => {
  const [ada, bob] = [await world.register("ada"), await world.register("bob")];
  const task_id = await publishTask(world, YES, { max_passes: null });
  const other = await publishTask(world, YES, { max_passes: null });
  for (const payload of ["no".repeat(20_000), { a: 1 }, "yes"])
    await ada.post("/tasks/submit", { task_id, payload });
  const copy = (await bob.post("/tasks/submit", { task_id, payload: "yes" })).body;
  assert.equal(copy.passed, false);
  await ada.post("/tasks/submit", { task_id: other, payload: "no" });
  const id = String(task_id);
  await refuses(world.world, ["task purge", id], /is open\. Close it first/);
  await refuses(world.world, ["task purge", "99"], /There is no task/);
  await closeTask(world.world.context, task_id);
  const shown = async () => (await world.get(`/tasks/${id}`)).body;
  const before = await shown();
  assert.equal(before.task.purged_through_id, null);

  const done = await operate(world.world, "task purge", id);
  assert.deepEqual(done.facts, { task_id, submissions: 3, payload_bytes: 40_010 });
  await refuses(world.world, ["task purge", id], /no payload of a failed submission left/);
  world.pass(1);
  const { task, submissions } = await shown();
  assert.equal(task.purged_through_id, copy.id);
  const payloads = submissions.map(({ payload }: Shown) => payload);
  assert.deepEqual(payloads, [null, "yes", null, null]);
  const kept = ({ payload: _, ...rest }: Shown) => rest;
  assert.deepEqual(submissions.map(kept), before.submissions.map(kept));
  const [untouched] = (await world.get(`/tasks/${other}`)).body.submissions;
  assert.equal(untouched.payload, "no", "another task");

  await world.sequenced();
  const [entry, ...more] = (await world.get("/since?after_id=0&kinds=task_purged")).body.entries;
  assert.deepEqual([entry.ref, more], [`${id}/1`, []]);
  const [from, to] = [submissions[3].id, submissions[0].id];
  assert.deepEqual(entry.body, {
    ...{ task_id, from_submission_id: from, to_submission_id: to },
    ...{ submissions: 3, payload_bytes: 40_010 },
  });
});

eachEngine("a large purge is many writes, each with its entry", async (world) => {
  const ada = await world.register("ada");
  const task_id = await publishTask(world, YES, { max_passes: null });
  const submit = () => ada.post("/tasks/submit", { task_id, payload: "no" });
  for (let i = 0; i < 501; i += 167) await Promise.all(Array.from({ length: 167 }, submit));
  await closeTask(world.world.context, task_id);
  const freed = await purgeTask(world.world.context, task_id);
  assert.deepEqual(freed, { submissions: 501, payload_bytes: 1_002 });
  await world.sequenced();
  const { entries } = (await world.get("/since?after_id=0&kinds=task_purged")).body;
  const counts = entries.map(({ body }: { body: { submissions: number } }) => body.submissions);
  assert.deepEqual(counts, [500, 1]);
  assert.ok(entries[0].body.to_submission_id < entries[1].body.from_submission_id);
});
