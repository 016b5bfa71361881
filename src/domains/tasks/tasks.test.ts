import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { readLedger } from "../../../test/invariants.ts";
import { eachEngine } from "../../../test/service.ts";
import { statement } from "../../../test/statement.ts";
import { publishTask } from "../../../test/tasks.ts";
import type { Json } from "../../platform/kernel/canonical.ts";
import { closeTask } from "./operator.ts";

const WORD = { kind: "regex", pattern: "[a-z]+" };
const BOUND = { kind: "exact", value: "I am {agent_id}" };
const sha = (text: string) => hash("sha256", text, "hex");

eachEngine("a task is listed while it is open, with a line that works", async (service) => {
  const ada = await service.register("ada");
  const id = await publishTask(service, WORD, { max_passes: null });
  const closed = await publishTask(service, WORD);
  await closeTask(service.service.context, closed);
  const { body } = await service.get("/tasks");
  assert.equal(body.count, 1);
  const [task] = body.tasks;
  const { request_line, ...rest } = task;
  assert.deepEqual(rest, {
    id,
    title: "A task",
    description: "Do it.",
    criterion: WORD,
    reward: { coin: 0.1 },
    status: "open",
    passes: 0,
    max_passes: null,
    submissions_count: 0,
    created_at: service.service.clock.now(),
    closed_at: null,
    purged_through_id: null,
  });
  assert.deepEqual((await service.get(`/tasks/${id}`)).body.task, task);
  const line = /^curl -sS '(\S+)' -H '([^']+)' -H '([^']+)' -d '([^']+)'$/.exec(request_line);
  const [, url = "", authorization = "", type = "", sent = ""] = line ?? [];
  const headers = [authorization.replace("YOUR_TOKEN", ada.token), type].map((field) =>
    field.split(": "),
  );
  const answer = await fetch(url.replace("http://127.0.0.1:8080", service.url), {
    method: "POST",
    headers: Object.fromEntries(headers),
    body: sent.replace("YOUR ANSWER", "stone"),
  });
  assert.equal(answer.status, 201);
  assert.equal((await service.get(`/tasks/${id}`)).body.task.passes, 1);

  const json = await publishTask(service, {
    kind: "json_schema",
    schema: { type: "array", minItems: 1 },
  });
  const forJson = (await service.get(`/tasks/${json}`)).body.task.request_line;
  const filled = /-d '(.+)'$/.exec(forJson)?.[1]?.replace("YOUR_JSON", "[1]");
  assert.deepEqual(JSON.parse(filled ?? ""), { task_id: json, payload: [1] }, "no text around it");
});

eachEngine("the list is newest first within its limit, by its index", async (service) => {
  for (let i = 0; i < 5; i++) await publishTask(service, BOUND, { title: `Task ${i}` });
  const { body } = await service.get("/tasks?limit=3");
  assert.deepEqual(
    body.tasks.map(({ id }: { id: number }) => id),
    [5, 4, 3],
  );
  assert.equal((await service.get("/tasks?limit=101")).status, 422);
  if (service.engine === "sqlite") {
    const explain =
      "explain query plan select * from task where closed_at is null order by id desc";
    const plan = await service.service.store.read.all(statement(explain), []);
    assert.match(JSON.stringify(plan), /task_open/);
    assert.doesNotMatch(JSON.stringify(plan), /TEMP B-TREE/);
  }
});

eachEngine("the ledger tells of tasks, passes, fails and ends", async (service) => {
  const ada = await service.register();
  const id = await publishTask(service, WORD);
  await ada.post("/tasks/submit", { task_id: id, payload: "Not a word" });
  await ada.post("/tasks/submit", { task_id: id, payload: { is: "no text" } });
  const of = async (kind: string) =>
    (await readLedger(service)).filter((entry) => entry.kind === kind);
  await ada.post("/tasks/submit", { task_id: id, payload: "stone" });
  const stopped = await publishTask(service, WORD, { max_passes: null });
  await ada.post("/tasks/submit", { task_id: stopped, payload: "stone" });
  await service.sequenced();
  assert.deepEqual((await of("task_pass")).at(-1)?.text, {}, "hidden while the task is open");
  await closeTask(service.service.context, stopped);
  await assert.rejects(closeTask(service.service.context, stopped), { code: "task_closed" });
  await assert.rejects(closeTask(service.service.context, 99), { code: "task_not_found" });
  await service.sequenced();

  const [task, unlimited] = await of("task");
  assert.deepEqual(task?.body, {
    task_id: id,
    title_sha256: sha("A task"),
    description_sha256: sha("Do it."),
    criterion_sha256: sha('{"kind":"regex","pattern":"[a-z]+"}'),
    reward_micro: 100_000,
    max_passes: 1,
  });
  assert.deepEqual(task.text["criterion"], '{"kind":"regex","pattern":"[a-z]+"}');
  assert.equal(unlimited?.body["max_passes"], undefined);
  const fails = await of("task_fail");
  assert.deepEqual(
    fails.map(({ text }) => text),
    [{}, {}],
    "what was submitted stands at the task alone",
  );
  assert.deepEqual(fails[1]?.body, {
    submission_id: 2,
    task_id: id,
    agent: ada.agent_id,
    payload_sha256: sha('{"is":"no text"}'),
  });
  const passes = await of("task_pass");
  assert.deepEqual(
    passes.map(({ ref, text }) => [ref, text]),
    [
      ["3", {}],
      ["4", {}],
    ],
  );
  assert.deepEqual(
    (await of("task_closed")).map(({ body }) => body),
    [
      { task_id: id, why: "max_passes" },
      { task_id: stopped, why: "operator" },
    ],
  );
});

eachEngine("a payload is any JSON value, within its bounds", async (service) => {
  const ada = await service.register();
  const id = await publishTask(service, BOUND);
  const submit = (payload: unknown) => ada.post("/tasks/submit", { task_id: id, payload });
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
  const accepted = [null, false, 0, "", "x".repeat(65_536), { a: [1, "é"] }, [], nested(31)];
  for (const payload of accepted) {
    const { status, body } = await submit(payload);
    assert.equal(status, 201, JSON.stringify(payload).slice(0, 40));
    assert.deepEqual(body.submission.payload, payload);
    assert.equal(body.submission.passed, false);
  }
  const escaped = `{"task_id":${id},"payload":"${"\\u00e9".repeat(32_768)}"}`;
  const raw = { method: "POST", headers: { "content-type": "application/json" } };
  const headers = { ...raw.headers, authorization: `Bearer ${ada.token}` };
  const url = `${service.url}/api/v1/tasks/submit`;
  assert.equal((await fetch(url, { ...raw, headers, body: escaped })).status, 201);
  for (const payload of [
    undefined,
    "x".repeat(65_537),
    "é".repeat(32_769),
    ["x".repeat(65_533)],
    "nul \u0000",
    { "nul \u0000": 1 },
    "\ud800",
    { deep: ["\udc00"] },
  ]) {
    const { status, body } = await submit(payload);
    assert.equal(status, 422, JSON.stringify(payload)?.slice(0, 40));
    assert.equal(body.details[0].field, "payload");
  }
  const endless = `{"task_id":${id},"payload":1e400}`;
  assert.equal((await fetch(url, { ...raw, headers, body: endless })).status, 422);
  assert.equal((await submit(nested(32))).body.error, "malformed_json");
  assert.equal((await submit(ada.token)).body.error, "token_in_body");
  assert.equal((await submit({ [ada.token]: 1 })).body.error, "token_in_body");
  const counted = (await service.get(`/tasks/${id}`)).body;
  assert.equal(counted.task.submissions_count, accepted.length + 1);
});

eachEngine("a task shows its newest hundred, and so much of their payloads", async (service) => {
  const ada = await service.register();
  const id = await publishTask(service, BOUND);
  const payload = "x".repeat(60_000);
  for (let i = 0; i < 105; i++)
    await ada.post("/tasks/submit", { task_id: id, payload: i < 98 ? `small ${i}` : payload });
  const { body } = await service.get(`/tasks/${id}`);
  assert.equal(body.task.submissions_count, 105);
  assert.deepEqual([body.count, body.submissions.length], [100, 100]);
  assert.deepEqual([body.submissions[0].id, body.submissions[99].id], [105, 6]);
  const shown = body.submissions.filter((each: { payload: unknown }) => each.payload !== null);
  assert.equal(shown.length, 4, "four times 60,000 bytes fit");
  const page = (await service.get(`/tasks/${id}?limit=3&before_id=101`)).body;
  const older = page.submissions.map(({ id, payload }: { id: number; payload: string }) => [
    id,
    payload.length,
  ]);
  assert.deepEqual(older, [
    [100, 60_000],
    [99, 60_000],
    [98, 8],
  ]);
  const first = (await service.get(`/tasks/${id}?before_id=6`)).body;
  assert.deepEqual([first.count, first.submissions.at(-1).id], [5, 1], "every one can be reached");
});

eachEngine("a request for no task, or without a token, is refused", async (service) => {
  const ada = await service.register();
  for (const path of ["/tasks/99", "/tasks/1"])
    assert.equal((await service.get(path)).body.error, "task_not_found");
  const unknown = await service.get("/tasks/x");
  assert.deepEqual([unknown.status, unknown.body.error], [404, "task_not_found"]);
  const missing = await ada.post("/tasks/submit", { task_id: 99, payload: "x" });
  assert.deepEqual([missing.status, missing.body.error], [404, "task_not_found"]);
  const stranger = await service.post("/tasks/submit", { task_id: 99, payload: "x" });
  assert.equal(stranger.body.error, "token_missing");
  const refused = await ada.post("/tasks/submit", { task_id: "x" });
  const fields = refused.body.details.map(({ field }: { field: string }) => field);
  assert.deepEqual(fields.sort(), ["payload", "task_id"]);
});

eachEngine("an operator cannot publish a task that nobody could rely on", async (service) => {
  const refused: readonly (readonly [string, Json])[] = [
    ["an unknown kind", { kind: "code", value: "x" }],
    ["a field that nothing reads", { kind: "exact", value: "x", ignore_case: true }],
    ["nested all", { kind: "all", of: [{ kind: "all", of: [BOUND] }] }],
    ["nine parts", { kind: "all", of: Array.from({ length: 9 }, () => BOUND) }],
    ["no RE2", { kind: "regex", pattern: "(?=x)" }],
    ["a large program", { kind: "regex", pattern: "\\p{L}{1,1000}x{1000}" }],
    ["a pattern for nothing", { kind: "regex", pattern: ".*" }],
    ["a loop", { kind: "json_schema", schema: { $ref: "#" } }],
    ["a schema for everything", { kind: "json_schema", schema: {} }],
    ["a schema for nothing", { kind: "json_schema", schema: { type: "object" } }],
    ["no schema", { kind: "json_schema", schema: { type: "text" } }],
    ["a foreign reference", { kind: "json_schema", schema: { $ref: "https://x.example/" } }],
    ["an own name", { kind: "json_schema", schema: { $id: "x", const: 1 } }],
    ["a promise", { kind: "json_schema", schema: { $async: true, const: 1 } }],
    ["a large schema", { kind: "json_schema", schema: { const: "x".repeat(8_192) } }],
    ["an inner pattern", { kind: "json_schema", schema: { const: 1, pattern: "(?<=x)" } }],
    ["no work", { kind: "hash_pow", prefix: "x", bits: 0 }],
    [
      "an empty list's length",
      { kind: "json_pointer", tests: [{ path: "", op: "len", value: 0 }] },
    ],
    ["a test without a value", { kind: "json_pointer", tests: [{ path: "", op: "eq" }] }],
    ["two keys", { kind: "ed25519", message: "x", key: "profile", public_key: sha("") }],
  ];
  for (const [why, criterion] of refused) {
    const { code, details } = await publishTask(service, criterion).then(
      () => assert.fail(`accepted: ${why}`),
      (error) => error,
    );
    assert.equal(code, "validation_failed", why);
    assert.match(details[0].field, /^criterion/, why);
  }
  for (const more of [
    { title: " " },
    { title: "two\nlines" },
    { description: "" },
    { max_passes: 0 },
  ])
    await assert.rejects(publishTask(service, BOUND, more), { code: "validation_failed" });
  assert.equal((await service.get("/tasks")).body.count, 0);
});
