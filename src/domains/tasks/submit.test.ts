import assert from "node:assert/strict";
import { generateKeyPairSync, hash, sign } from "node:crypto";
import { readLedger } from "../../../test/invariants.ts";
import { eachEngine } from "../../../test/service.ts";
import { checksOf, publishTask } from "../../../test/tasks.ts";
import type { Json } from "../../platform/kernel/canonical.ts";

const sha = (text: string) => hash("sha256", text, "hex");

const WORD = { kind: "regex", pattern: "[a-z]+" };
const BOUND = { kind: "exact", value: "I am {agent_id}" };

eachEngine(
  "a pass pays once per agent, a repetition is recorded and pays nothing",
  async (service) => {
    const ada = await service.register("ada");
    const id = await publishTask(service, WORD, { max_passes: 2 });
    const first = await ada.post("/tasks/submit", { task_id: String(id), payload: "stone" });
    assert.equal(first.status, 201);
    assert.equal(first.body.passed, true);
    assert.deepEqual(checksOf(first), ["regex ok", "original ok"]);
    const { amount, why, source } = first.body.reward.entitlement;
    assert.deepEqual([amount, why, source], [0.1, "task_pass", `task/${id}`]);
    const again = await ada.post("/tasks/submit", { task_id: id, payload: "pebble" });
    assert.equal(again.body.passed, true);
    assert.deepEqual(again.body.reward, { entitlement: null, why: "already_rewarded" });
    const fail = await ada.post("/tasks/submit", { task_id: id, payload: "Not a word" });
    assert.deepEqual([fail.status, fail.body.passed], [201, false]);
    assert.deepEqual(fail.body.reward, { entitlement: null, why: "not_passed" });
    const { task, submissions } = (await service.get(`/tasks/${id}`)).body;
    assert.deepEqual(
      [task.passes, task.submissions_count, task.status],
      [1, 3, "open"],
      "an agent alone cannot use up the passes",
    );
    assert.deepEqual(
      submissions,
      [fail, again, first].map(({ body }) => body.submission),
      "each as it was answered, newest first",
    );
    assert.deepEqual(
      submissions.map(({ payload }: { payload: unknown }) => payload),
      ["Not a word", null, null],
    );
  },
);

eachEngine("the last pass closes the task and shows what was hidden", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const id = await publishTask(service, WORD, { max_passes: 2 });
  await ada.post("/tasks/submit", { task_id: id, payload: "stone" });
  const last = await bob.post("/tasks/submit", { task_id: id, payload: "pebble" });
  assert.equal(last.body.submission.payload, "pebble");
  const late = await ada.post("/tasks/submit", { task_id: id, payload: "late" });
  assert.deepEqual([late.status, late.body.error], [409, "task_closed"]);
  const dry = await ada.post("/tasks/submit?dry_run=1", { task_id: id, payload: "late" });
  assert.deepEqual([dry.status, dry.body.error], [409, "task_closed"]);
  const { task, submissions } = (await service.get(`/tasks/${id}`)).body;
  assert.deepEqual([task.status, task.closed_at], ["closed", service.service.clock.now()]);
  assert.deepEqual(
    submissions.map(({ payload }: { payload: string }) => payload),
    ["pebble", "stone"],
  );
  assert.equal((await service.get("/tasks")).body.count, 0);
});

eachEngine("a copied answer is no pass, and does not give the answer away", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const id = await publishTask(
    service,
    { kind: "json_schema", schema: { type: "object", required: ["b"] } },
    { max_passes: null },
  );
  await ada.post("/tasks/submit", { task_id: id, payload: { a: 1, b: [2, "é"] } });
  for (const payload of [{ b: [2, "é"], a: 1 }, '{"a":1,"b":[2,"é"]}']) {
    const dry = await bob.post("/tasks/submit?dry_run=1", { task_id: id, payload });
    const copy = await bob.post("/tasks/submit", { task_id: id, payload });
    for (const answer of [dry, copy]) {
      assert.equal(answer.body.passed, false);
      assert.deepEqual(checksOf(answer), ["json_schema ok", "original copied"]);
    }
    assert.equal(copy.body.submission.payload, null);
    assert.deepEqual(copy.body.reward, { entitlement: null, why: "not_passed" });
  }
  const own = await ada.post("/tasks/submit", { task_id: id, payload: { b: [2, "é"], a: 1 } });
  assert.equal(own.body.passed, true, "one's own answer is no copy");
  await ada.post("/tasks/submit", { task_id: id, payload: { b: 2 } });
  const second = await bob.post("/tasks/submit", { task_id: id, payload: { b: 2 } });
  assert.deepEqual(checksOf(second), ["json_schema ok", "original copied"], "of a repetition too");
  const other = await bob.post("/tasks/submit", { task_id: id, payload: { b: 3 } });
  assert.equal(other.body.reward.entitlement.amount, 0.1);
  const { task, submissions } = (await service.get(`/tasks/${id}`)).body;
  assert.deepEqual([task.passes, task.submissions_count], [2, 7]);
  assert.ok(submissions.every(({ payload }: { payload: unknown }) => payload === null));
});

eachEngine("a bound criterion knows no copies", async (service) => {
  const id = await publishTask(service, BOUND, { max_passes: null });
  const [ada, bob] = [await service.register(), await service.register()];
  const payload = `I am ${ada.agent_id}`;
  const right = await ada.post("/tasks/submit", { task_id: id, payload });
  assert.deepEqual([right.body.passed, checksOf(right)], [true, ["exact ok"]]);
  const copy = await bob.post("/tasks/submit", { task_id: id, payload });
  assert.deepEqual([copy.body.passed, checksOf(copy)], [false, ["exact not_equal"]]);

  const either = { path: "", op: "in", value: ["{agent_id}", "anybody"] };
  const open = { kind: "json_pointer", tests: [either] };
  const task_id = await publishTask(service, open, { max_passes: null });
  for (const agent of [ada, bob]) {
    const same = await agent.post("/tasks/submit", { task_id, payload: '"anybody"' });
    assert.deepEqual([same.body.passed, checksOf(same)], [true, ["json_pointer ok"]]);
  }
});

/** Each task with a right answer of one agent, and copies of it by another: by suffix, member, space and spelling. */
const COPIES: readonly (readonly [Json, (me: string) => Json, ((me: string) => Json)[]])[] = [
  [
    { kind: "sha256", digest: sha("stone"), suffix: ":{agent_id}" },
    (me) => `stone:${me}`,
    [(me) => `stone:${me}`],
  ],
  [
    { kind: "sha256", digest: sha("stone"), trim: true },
    () => "stone",
    [() => "stone", () => " stone", () => "stone\n\n"],
  ],
  [
    { kind: "sha256", digest: sha("stone"), encoding: "hex" },
    () => "73746f6e65",
    [() => "73746F6E65"],
  ],
  [
    { kind: "sha256", digest: sha("stone"), encoding: "base64", suffix: "{agent_id}" },
    (me) => `c3RvbmU=${me}`,
    [(me) => `c3Rv\nbmU=${me}`],
  ],
  [{ kind: "exact", value: "stone", trim: true }, () => "stone", [() => "\tstone"]],
  [
    { kind: "regex", pattern: "(?s)\\s*I am ag_[a-z2-7]+ and saw [a-z]+\\s*" },
    (me) => `I am ${me} and saw stones`,
    [(me) => ` I am ${me} and saw stones\n`],
  ],
  [
    {
      kind: "all",
      of: [
        { kind: "json_schema", schema: { type: "object", required: ["skills"] } },
        { kind: "json_pointer", tests: [{ path: "/me", op: "eq", value: "{agent_id}" }] },
      ],
    },
    (me) => ({ me, skills: ["add"] }),
    [(me) => ({ skills: ["add"], me }), (me) => `{ "skills": ["add"],  "me": "${me}" }`],
  ],
  [
    {
      kind: "json_pointer",
      tests: [
        { path: "/a", op: "ne", value: "{agent_id}" },
        { path: "/a", op: "exists" },
      ],
    },
    () => ({ a: 1 }),
    [() => ({ a: 1 }), () => '{"a":1.0}'],
  ],
];

eachEngine("what only names its sender in another's answer is copied", async (service) => {
  const [ada, bob] = [await service.register(), await service.register()];
  for (const [criterion, first, copies] of COPIES) {
    const task_id = await publishTask(service, criterion, { max_passes: null });
    const right = await ada.post("/tasks/submit", { task_id, payload: first(ada.agent_id) });
    assert.equal(right.body.passed, true, JSON.stringify([criterion, right.body]));
    const again = await ada.post("/tasks/submit", { task_id, payload: first(ada.agent_id) });
    assert.equal(again.body.passed, true, "one's own answer is no copy");
    for (const copy of copies) {
      const payload = copy(bob.agent_id);
      const dry = await bob.post("/tasks/submit?dry_run=1", { task_id, payload });
      const sent = await bob.post("/tasks/submit", { task_id, payload });
      for (const answer of [dry, sent]) {
        assert.equal(answer.body.passed, false, JSON.stringify([criterion, payload]));
        assert.equal(checksOf(answer).at(-1), "original copied", JSON.stringify(payload));
      }
    }
  }
});

eachEngine("where another's answer is worth nothing, each agent passes", async (service) => {
  const [ada, bob] = [await service.register(), await service.register()];
  const pow = (prefix: string): string => {
    for (let n = 0; ; n++) if (sha(prefix + n).startsWith("0")) return String(n);
  };
  const own: readonly (readonly [Json, (me: string) => Json])[] = [
    [{ kind: "exact", value: "{agent_id}" }, (me) => me],
    [{ kind: "hash_pow", prefix: "{agent_id}", bits: 4 }, pow],
    [
      { kind: "json_pointer", tests: [{ path: "/a", op: "eq", value: "{agent_id}" }] },
      (a) => ({ a }),
    ],
  ];
  for (const [criterion, answer] of own) {
    const task_id = await publishTask(service, criterion, { max_passes: null });
    for (const agent of [ada, bob]) {
      const payload = answer(agent.agent_id);
      const { body } = await agent.post("/tasks/submit", { task_id, payload });
      assert.equal(body.passed, true, JSON.stringify([criterion, body]));
    }
  }
});

eachEngine("a dry run checks and records nothing", async (service) => {
  const ada = await service.register("ada");
  const id = await publishTask(service, WORD);
  await service.sequenced();
  const before = (await readLedger(service)).length;
  for (const [path, more] of [
    ["/tasks/submit?dry_run=1", {}],
    ["/tasks/submit", { dry_run: 1 }],
  ] as const) {
    const { status, body } = await ada.post(path, { task_id: id, payload: "stone", ...more });
    assert.deepEqual([status, body.passed, body.id], [200, true, null]);
    const { submission, reward } = body;
    assert.deepEqual([submission.id, submission.passed, reward.entitlement.id], [null, true, null]);
    assert.equal(reward.entitlement.source, `task/${id}`);
  }
  const { task, count } = (await service.get(`/tasks/${id}`)).body;
  assert.deepEqual([task.submissions_count, task.passes, count], [0, 0, 0]);
  await service.sequenced();
  assert.equal((await readLedger(service)).length, before);
  for (const dry_run of ["2", "yes", "", "1&dry_run=1"])
    assert.equal((await ada.post(`/tasks/submit?dry_run=${dry_run}`, {})).status, 422, dry_run);
  const both = { task_id: id, payload: "stone", dry_run: 0 };
  const unclear = await ada.post("/tasks/submit?dry_run=1", both);
  assert.deepEqual([unclear.status, unclear.body.details[0].field], [422, "dry_run"], "which?");
  assert.equal((await ada.post("/tasks/submit?dry_run=1", { ...both, dry_run: 1 })).status, 200);
  const real = await ada.post("/tasks/submit?dry_run=0", { task_id: id, payload: "stone" });
  assert.equal(real.status, 201);
  assert.equal((await service.get(`/tasks/${id}`)).body.count, 1);
});

eachEngine("of eight last passes at once exactly one is the last", async (service) => {
  const agents = await Promise.all(Array.from({ length: 8 }, () => service.register()));
  for (let round = 0; round < 5; round++) {
    const id = await publishTask(service, WORD);
    const words = ["a", "b", "c", "d", "e", "f", "g", "h"];
    const answers = await Promise.all(
      agents.map((agent, i) => agent.post("/tasks/submit", { task_id: id, payload: words[i] })),
    );
    assert.equal(answers.filter(({ body }) => body.passed === true).length, 1);
    assert.equal(answers.filter(({ body }) => body.error === "task_closed").length, 7);
    const { task } = (await service.get(`/tasks/${id}`)).body;
    assert.deepEqual([task.passes, task.submissions_count, task.status], [1, 1, "closed"]);
  }
});

eachEngine("of the same answer at once exactly one is the original", async (service) => {
  const agents = await Promise.all(Array.from({ length: 8 }, () => service.register()));
  for (let round = 0; round < 5; round++) {
    const id = await publishTask(service, WORD, { max_passes: null });
    const answers = await Promise.all(
      agents.map((agent) => agent.post("/tasks/submit", { task_id: id, payload: "stone" })),
    );
    assert.equal(answers.filter(({ body }) => body.passed).length, 1);
    const copies = answers.filter((answer) => checksOf(answer)[1] === "original copied");
    assert.equal(copies.length, 7);
    const { task } = (await service.get(`/tasks/${id}`)).body;
    assert.deepEqual([task.passes, task.submissions_count], [1, 8]);
  }
});

eachEngine("one agent that answers eight times at once passes once", async (service) => {
  const ada = await service.register();
  const id = await publishTask(service, WORD, { max_passes: 2 });
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => ada.post("/tasks/submit", { task_id: id, payload: "stone" })),
  );
  assert.ok(answers.every(({ body }) => body.passed));
  assert.equal(answers.filter(({ body }) => body.reward.entitlement !== null).length, 1);
  assert.equal((await service.get(`/tasks/${id}`)).body.task.passes, 1);
});

eachEngine("a signature by a published key passes, by the submitter's alone", async (service) => {
  const [ada, bob] = [await service.register(), await service.register()];
  const message = "task {task_id} by {agent_id}";
  const id = await publishTask(
    service,
    { kind: "ed25519", message, key: "profile" },
    { max_passes: null },
  );
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const signed = (agent_id: string) =>
    sign(null, Buffer.from(`task ${id} by ${agent_id}`), privateKey).toString("base64");
  const submit = async (agent: typeof ada, payload: string) =>
    checksOf(await agent.post("/tasks/submit", { task_id: id, payload }))[0];
  assert.equal(await submit(ada, signed(ada.agent_id)), "ed25519 no_published_key");
  const { x = "" } = publicKey.export({ format: "jwk" });
  const other = `sig:ed25519:${"A".repeat(43)}`;
  await ada.post("/profile", { capabilities: ["e2e:x", other, `sig:ed25519:${x}`] });
  assert.equal(await submit(ada, signed(ada.agent_id)), "ed25519 ok");
  assert.equal(await submit(ada, signed(bob.agent_id)), "ed25519 wrong_signature");
  assert.equal(await submit(bob, signed(bob.agent_id)), "ed25519 no_published_key");
});
