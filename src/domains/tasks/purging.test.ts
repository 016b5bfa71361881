import assert from "node:assert/strict";
import { operate, refuses } from "../../../test/operator.ts";
import { eachEngine } from "../../../test/service.ts";
import { publishTask } from "../../../test/tasks.ts";
import { closeTask } from "./operator.ts";
import { purgeTask } from "./purging.ts";

const YES = { kind: "exact", value: "yes" };

interface Shown {
  readonly id: number;
  readonly payload: unknown;
  readonly payload_sha256: string;
  readonly payload_bytes: number;
}

eachEngine("a purge empties failed payloads of a closed task and nothing else", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const task_id = await publishTask(service, YES, { max_passes: null });
  const other = await publishTask(service, YES, { max_passes: null });
  for (const payload of ["no".repeat(20_000), { a: 1 }, "yes"])
    await ada.post("/tasks/submit", { task_id, payload });
  const copy = (await bob.post("/tasks/submit", { task_id, payload: "yes" })).body;
  assert.equal(copy.passed, false);
  await ada.post("/tasks/submit", { task_id: other, payload: "no" });
  const id = String(task_id);
  await refuses(service.service, ["task purge", id], /is open\. Close it first/);
  await refuses(service.service, ["task purge", "99"], /There is no task/);
  await closeTask(service.service.context, task_id);
  const shown = async () => (await service.get(`/tasks/${id}`)).body;
  const before = await shown();
  assert.equal(before.task.purged_through_id, null);

  const done = await operate(service.service, "task purge", id);
  assert.deepEqual(done.facts, { task_id, submissions: 3, payload_bytes: 40_010 });
  await refuses(service.service, ["task purge", id], /no payload of a failed submission left/);
  service.pass(1);
  const { task, submissions } = await shown();
  assert.equal(task.purged_through_id, copy.id);
  const payloads = submissions.map(({ payload }: Shown) => payload);
  assert.deepEqual(payloads, [null, "yes", null, null]);
  const kept = ({ payload: _, ...rest }: Shown) => rest;
  assert.deepEqual(submissions.map(kept), before.submissions.map(kept));
  const [untouched] = (await service.get(`/tasks/${other}`)).body.submissions;
  assert.equal(untouched.payload, "no", "another task");

  await service.sequenced();
  const [entry, ...more] = (await service.get("/since?after_id=0&kinds=task_purged")).body.entries;
  assert.deepEqual([entry.ref, more], [`${id}/1`, []]);
  const [from, to] = [submissions[3].id, submissions[0].id];
  assert.deepEqual(entry.body, {
    task_id,
    from_submission_id: from,
    to_submission_id: to,
    submissions: 3,
    payload_bytes: 40_010,
  });
});

eachEngine("a large purge is many writes, each with its entry", async (service) => {
  const ada = await service.register("ada");
  const task_id = await publishTask(service, YES, { max_passes: null });
  const submit = () => ada.post("/tasks/submit", { task_id, payload: "no" });
  for (let i = 0; i < 501; i += 167) await Promise.all(Array.from({ length: 167 }, submit));
  await closeTask(service.service.context, task_id);
  const freed = await purgeTask(service.service.context, task_id);
  assert.deepEqual(freed, { submissions: 501, payload_bytes: 1_002 });
  await service.sequenced();
  const { entries } = (await service.get("/since?after_id=0&kinds=task_purged")).body;
  const counts = entries.map(({ body }: { body: { submissions: number } }) => body.submissions);
  assert.deepEqual(counts, [500, 1]);
  assert.ok(entries[0].body.to_submission_id < entries[1].body.from_submission_id);
});
