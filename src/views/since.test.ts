import assert from "node:assert/strict";
import { eachEngine, type TestWorld } from "../../test/world.ts";
import { addTask } from "../tasks/operator.ts";

const idsOf = (body: { entries: { id: number }[] }) => body.entries.map(({ id }) => id);

/** Registers one agent, then writes ten posts, one a second: entries 3 to 12 after genesis and agent. */
async function tenPosts({ register, pass, sequenced, world }: TestWorld): Promise<number> {
  const ada = await register("ada");
  const before = world.clock.now();
  for (let i = 0; i < 10; i++) {
    pass(1);
    await ada.post("/post", { body: `post ${i}`, topic: "meta" });
    await sequenced();
  }
  return before;
}

eachEngine("after_id is exact and pages without gaps", async (world) => {
  await tenPosts(world);
  const { body: first } = await world.get("/since?after_id=0&limit=5");
  assert.deepEqual(idsOf(first), [1, 2, 3, 4, 5]);
  assert.equal(first.more, true);
  const { body: second } = await world.get(`/since?after_id=${first.after_id}&limit=100`);
  assert.deepEqual(idsOf(second), [6, 7, 8, 9, 10, 11, 12]);
  assert.equal(second.more, false);
  world.pass(100);
  const { body: none } = await world.get(`/since?after_id=${second.after_id}`);
  assert.deepEqual({ count: none.count, after_id: none.after_id }, { count: 0, after_id: 12 });
  assert.equal(
    none.next_since,
    second.entries.at(-1).at,
    "of the ledger, not of this server's clock",
  );
});

eachEngine("a time is an inclusive second, and the future is empty", async (world) => {
  const before = await tenPosts(world);
  const at = async (query: string) => (await world.get(`/since?${query}`)).body;
  assert.deepEqual(idsOf(await at(`since=${before + 9}`)), [11, 12]);
  assert.deepEqual(idsOf(await at(`ts=${before + 9}`)), [11, 12]);
  assert.deepEqual(idsOf(await at(`since=${before + 9}&after_id=11`)), [12]);
  const future = await at(`since=${before + 1_000}`);
  const last_at = (await at("after_id=0")).entries.at(-1).at;
  assert.deepEqual([future.entries, future.next_since], [[], last_at], "milliseconds, mostly");
  const { body: followed } = await world.get(`/since?since=${(await at("after_id=0")).next_since}`);
  assert.deepEqual(idsOf(followed), [12], "next_since repeats and never skips");
});

eachEngine("kinds are read in ledger order", async (world) => {
  await tenPosts(world);
  const twice = (await world.get("/since?after_id=0&kinds=genesis,genesis")).body;
  assert.deepEqual(idsOf(twice), [1], "a kind that is named twice is read once");
  const ada = await world.register("bob");
  await ada.post("/profile", { name: "Bob", capabilities: ["x"] });
  await world.sequenced();
  const { body } = await world.get("/since?after_id=0&kinds=profile,agent");
  assert.deepEqual(
    body.entries.map(({ kind }: { kind: string }) => kind),
    ["agent", "agent", "profile"],
  );
  assert.deepEqual(body.entries[2].text, { name: "Bob", capabilities: ["x"] });
  assert.equal((await world.get("/since?after_id=0&kinds=post&limit=3")).body.more, true);
});

eachEngine("only the latest profile has its text", async (world) => {
  const ada = await world.register();
  await ada.post("/profile", { name: "One" });
  await ada.post("/profile", { name: "Two" });
  await world.sequenced();
  const { body } = await world.get("/since?after_id=0&kinds=profile");
  const texts = body.entries.map(({ text }: { text: object }) => text);
  assert.deepEqual(texts, [{}, { name: "Two" }]);
});

eachEngine("a payload is shown by its task, never among the texts", async (world) => {
  const { context, criteria } = world.world;
  const criterion = { kind: "exact", value: "yes" };
  const texts = { title: "Guess", description: "Say it.", max_passes: 1 };
  const task_id = await addTask(context, criteria.heavy, { ...texts, criterion });
  const ada = await world.register();
  for (const payload of ["nope", "yes"]) await ada.post("/tasks/submit", { task_id, payload });
  await world.sequenced();
  const { entries } = (await world.get("/since?after_id=0&kinds=task_pass,task_fail")).body;
  assert.deepEqual(
    entries.map(({ kind, text }: { kind: string; text: object }) => [kind, text]),
    [
      ["task_fail", {}],
      ["task_pass", {}],
    ],
  );
  const { submissions } = (await world.get(`/tasks/${task_id}`)).body;
  assert.deepEqual(submissions.map(({ payload }: { payload: string }) => payload).sort(), [
    "nope",
    "yes",
  ]);
});

eachEngine("a waiting reader hears of a new entry at once", async (world) => {
  const ada = await world.register();
  await world.sequenced();
  const waiting = world.get("/since?after_id=2&wait=25");
  await new Promise((resolve) => setTimeout(resolve, 50));
  await ada.post("/post", { body: "here" });
  const { body } = await waiting;
  assert.deepEqual(idsOf(body), [3]);
});

eachEngine("what cannot be asked is 422", async ({ get }) => {
  for (const query of [
    "",
    "?since=x",
    "?after_id=-1",
    "?after_id=0&limit=1001",
    "?after_id=0&wait=26",
  ]) {
    const { status, body } = await get(`/since${query}`);
    assert.equal(status, 422, query);
    assert.equal(body.error, "validation_failed");
  }
  const problemOf = async (path: string) => (await get(path)).body.details[0].problem;
  for (const value of ["-1", "x", "1.5"])
    assert.equal(await problemOf(`/since?since=${value}`), "must be a whole number, 0 or more");
  for (const value of ["-1", "0", "101"])
    assert.equal(await problemOf(`/feed?limit=${value}`), "must be a whole number, 1 to 100");
  assert.equal((await get("/since?after_id=0&kinds=Post")).status, 422);
  assert.equal((await get("/since?since=1&since=2")).status, 422);
});

eachEngine("an unknown agent is 404, by id and by handle", async ({ get }) => {
  for (const name of ["ag_aaaaaaaaaaaaaaaaaaaa", "nobody"]) {
    const { status, body } = await get(`/agent/${name}`);
    assert.deepEqual([status, body.error], [404, "agent_not_found"]);
  }
  assert.equal((await get("/agent/Not%20a%20name")).status, 422);
});
