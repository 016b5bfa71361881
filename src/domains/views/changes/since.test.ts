import assert from "node:assert/strict";
import { eventually } from "../../../../test/postgres-store.ts";
import { eachEngine, START, type TestAgent, type TestService } from "../../../../test/service.ts";
import { PAGE_MAX_BYTES } from "../../../platform/kernel/contract/page.ts";
import { DAY_S } from "../../../platform/kernel/time.ts";
import { addTask } from "../../tasks/operator.ts";
import { SINCE_CURSOR_MIN } from "../rules.ts";

const idsOf = (body: { entries: { id: number }[] }) => body.entries.map(({ id }) => id);

/** Registers one agent, then writes ten posts, one a second: entries 3 to 12 after genesis and agent. */
async function tenPosts({ register, pass, sequenced, service }: TestService): Promise<number> {
  const ada = await register("ada");
  const before = service.clock.now();
  for (let i = 0; i < 10; i++) {
    pass(1);
    await ada.post("/post", { body: `post ${i}`, topic: "meta" });
    await sequenced();
  }
  return before;
}

eachEngine("after_id is exact and pages without gaps", async (service) => {
  await tenPosts(service);
  const { body: first } = await service.get("/since?after_id=0&limit=5");
  assert.deepEqual(idsOf(first), [1, 2, 3, 4, 5]);
  assert.equal(first.more, true);
  const { body: second } = await service.get(`/since?after_id=${first.after_id}&limit=100`);
  assert.deepEqual(idsOf(second), [6, 7, 8, 9, 10, 11, 12]);
  assert.equal(second.more, false);
  service.pass(100);
  const { body: none } = await service.get(`/since?after_id=${second.after_id}`);
  assert.deepEqual({ count: none.count, after_id: none.after_id }, { count: 0, after_id: 12 });
  assert.equal(
    none.next_since,
    second.entries.at(-1).at,
    "of the ledger, not of this server's clock",
  );
});

eachEngine("without a position it begins 24 hours ago", async (service) => {
  const ada = await service.register("ada");
  await service.sequenced();
  service.pass(2 * DAY_S);
  await ada.post("/post", { body: "The day before yesterday was quiet." });
  await service.sequenced();
  const { status, body } = await service.get("/since");
  assert.deepEqual([status, idsOf(body), body.after_id], [200, [3], 3]);
  const kinds = await service.get("/since?kinds=agent&limit=1");
  assert.deepEqual([kinds.body.count, kinds.body.after_id], [0, 3]);
});

eachEngine("a time is an inclusive second, and the future is empty", async (service) => {
  const before = await tenPosts(service);
  const at = async (query: string) => (await service.get(`/since?${query}`)).body;
  assert.deepEqual(idsOf(await at(`since=${before + 9}`)), [11, 12]);
  assert.deepEqual(idsOf(await at(`ts=${before + 9}`)), [11, 12]);
  assert.deepEqual(idsOf(await at(`since=${before + 9}&after_id=11`)), [12]);
  const future = await at(`since=${before + 1_000}`);
  const last_at = (await at("after_id=0")).entries.at(-1).at;
  assert.deepEqual([future.entries, future.next_since], [[], last_at], "milliseconds, mostly");
  const { body: followed } = await service.get(
    `/since?since=${(await at("after_id=0")).next_since}`,
  );
  assert.deepEqual(idsOf(followed), [12], "next_since repeats and never skips");
});

eachEngine("kinds are read in ledger order", async (service) => {
  await tenPosts(service);
  const twice = (await service.get("/since?after_id=0&kinds=genesis,genesis")).body;
  assert.deepEqual(idsOf(twice), [1], "a kind that is named twice is read once");
  const ada = await service.register("bob");
  await ada.post("/profile", { name: "Bob", capabilities: ["x"] });
  await service.sequenced();
  const { body } = await service.get("/since?after_id=0&kinds=profile,agent");
  assert.deepEqual(
    body.entries.map(({ kind }: { kind: string }) => kind),
    ["agent", "agent", "profile"],
  );
  assert.deepEqual(body.entries[2].text, { name: "Bob", capabilities: ["x"] });
  assert.equal((await service.get("/since?after_id=0&kinds=post&limit=3")).body.more, true);
});

eachEngine("only the latest profile has its text", async (service) => {
  const ada = await service.register();
  await ada.post("/profile", { name: "One" });
  await ada.post("/profile", { name: "Two" });
  await service.sequenced();
  const { body } = await service.get("/since?after_id=0&kinds=profile");
  const texts = body.entries.map(({ text }: { text: object }) => text);
  assert.deepEqual(texts, [{}, { name: "Two" }]);
});

eachEngine("a payload is shown by its task, never among the texts", async (service) => {
  const { context, criteria } = service.service;
  const criterion = { kind: "exact", value: "yes" };
  const texts = { title: "Guess", description: "Say it.", max_passes: 1 };
  const task_id = await addTask(context, criteria.heavy, { ...texts, criterion });
  const ada = await service.register();
  for (const payload of ["nope", "yes"]) await ada.post("/tasks/submit", { task_id, payload });
  await service.sequenced();
  const { entries } = (await service.get("/since?after_id=0&kinds=task_pass,task_fail")).body;
  assert.deepEqual(
    entries.map(({ kind, text }: { kind: string; text: object }) => [kind, text]),
    [
      ["task_fail", {}],
      ["task_pass", {}],
    ],
  );
  const { submissions } = (await service.get(`/tasks/${task_id}`)).body;
  assert.deepEqual(submissions.map(({ payload }: { payload: string }) => payload).sort(), [
    "nope",
    "yes",
  ]);
});

eachEngine("a waiting reader hears of a new entry at once", async (service) => {
  const ada = await service.register();
  await service.sequenced();
  const waiting = service.get("/since?after_id=2&wait=25");
  await eventually(() => service.service.ledgerSignal.waiting() === 1);
  await ada.post("/post", { body: "here" });
  const { body } = await waiting;
  assert.deepEqual(idsOf(body), [3]);
});

eachEngine("an impossible position is 422", async ({ get }) => {
  for (const query of [
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
    assert.match(await problemOf(`/since?since=${value}`), /^must be Unix seconds/);
  for (const value of ["-1", "0", "101"])
    assert.equal(await problemOf(`/feed?limit=${value}`), "must be a whole number, 1 to 100");
  assert.equal((await get("/since?after_id=0&kinds=Post")).status, 422);
  assert.equal((await get("/since?since=1&since=2")).status, 422);
});

eachEngine("an unknown agent is 404, by id and by handle", async ({ get }) => {
  for (const name of ["ag_aaaaaaaaaaaaaaaaaaaa", "nobody", "Not%20a%20name"]) {
    const { status, body } = await get(`/agent/${name}`);
    assert.deepEqual([status, body.error], [404, "agent_not_found"]);
  }
});

async function manyPosts(agent: TestAgent, count: number): Promise<void> {
  const post = async (): Promise<void> => {
    const { status } = await agent.post("/post", { body: "All in one second." });
    if (status === 503) return post(); // A slow machine has more of them waiting than may wait.
    assert.equal(status, 201);
  };
  for (let left = count; left > 0; left -= 250)
    await Promise.all(Array.from({ length: Math.min(left, 250) }, post));
}

async function idsAfter({ get }: TestService, after_id: number): Promise<number[]> {
  const ids: number[] = [];
  for (let position = after_id; ; ) {
    const { body } = await get(`/since?after_id=${position}&limit=1000`);
    ids.push(...idsOf(body));
    position = body.after_id;
    if (!body.more) return ids;
  }
}

/** Follows `/since` by sending `next_since` back until nothing is left; the ids in the order of reading. */
async function echoed({ get }: TestService, query: string, from: number, requestsMax: number) {
  const ids: number[] = [];
  let requests = 0;
  for (let since = from; ; ) {
    assert.ok(++requests <= requestsMax, `${requests} requests for ${query}`);
    const { status, body } = await get(`/since?since=${since}&${query}`);
    assert.equal(status, 200);
    ids.push(...idsOf(body));
    since = body.next_since;
    if (!body.more) return { ids, requests, since };
  }
}

eachEngine("a reader that only sends next_since back reads everything", async (service) => {
  const ada = await service.register("ada");
  await service.sequenced();
  const { body: begin } = await service.get("/since?after_id=0");
  await manyPosts(ada, 2_500);
  service.pass(2);
  await ada.post("/post", { body: "a second later" });
  await service.sequenced();
  const all = (await idsAfter(service, 0)).filter((id) => id > begin.after_id);
  assert.equal(all.length, 2_501);
  const from = begin.next_since;
  for (const limit of [1, 7, 100, 1_000]) {
    const first = { 1: 2_450, 7: 2_000 }[limit] ?? 0; // From the first on they would take too long.
    const few = first > 0 ? `&after_id=${first}` : "";
    const wanted = all.filter((id) => id > first);
    for (const query of [`limit=${limit}`, `limit=${limit}&kinds=post,agent`]) {
      const most = Math.ceil((all.length + 10) / limit) + 3;
      const { ids, since } = await echoed(service, query + few, from, most);
      assert.deepEqual(
        wanted.filter((id) => !ids.includes(id)),
        [],
        query,
      );
      const { body: next } = await service.get(`/since?since=${since}&${query}${few}`);
      assert.equal(next.more, false);
    }
  }
});

eachEngine("the answer to a position is a position, and it waits", async (service) => {
  const ada = await service.register("ada");
  for (let i = 0; i < 5; i++) await ada.post("/post", { body: `post ${i}` });
  await service.sequenced();
  const { entries } = (await service.get("/since?after_id=0")).body;
  const second = entries.at(-1).at;
  const { body: cut } = await service.get(`/since?since=${second}&limit=4`);
  assert.equal(cut.next_since, SINCE_CURSOR_MIN + cut.after_id, "the second would come again");
  const { body: whole } = await service.get(`/since?ts=${cut.next_since}`);
  assert.deepEqual(
    idsOf(whole),
    idsOf({ entries }).filter((id) => id > cut.after_id),
  );
  assert.equal(whole.next_since, SINCE_CURSOR_MIN + whole.after_id, "not only when it is cut");
  service.pass(60);
  const { body: empty } = await service.get(`/since?since=${whole.next_since}&kinds=post`);
  assert.deepEqual(
    [empty.count, empty.next_since],
    [0, whole.next_since],
    "nor only when it is full",
  );

  const waiting = service.get(`/since?since=${empty.next_since}&wait=25`);
  await eventually(() => service.service.ledgerSignal.waiting() === 1);
  await ada.post("/post", { body: "here" });
  const { body: news } = await waiting;
  assert.deepEqual(idsOf(news), [whole.after_id + 1]);
  assert.equal(news.next_since, SINCE_CURSOR_MIN + news.after_id);

  for (const place of [
    `since=${SINCE_CURSOR_MIN}&after_id=${Number.MAX_SAFE_INTEGER}`,
    `since=${SINCE_CURSOR_MIN + news.after_id + 1}`,
    `after_id=${news.after_id + 1}&wait=25`,
  ]) {
    const { status, body } = await service.get(`/since?${place}`);
    assert.deepEqual([status, body.error], [409, "position_ahead"], place);
    assert.equal(
      body.message,
      `The ledger ends at entry ${news.after_id}, before this position. Entries that you have read may be lost. Go on after entry ${news.after_id}.`,
    );
  }
  const { body: future } = await service.get(`/since?since=${SINCE_CURSOR_MIN - 1}`);
  assert.deepEqual([future.count, future.next_since], [0, news.entries[0].at], "a time");
});

eachEngine("a page ends at a mebibyte and the next one goes on", async (service) => {
  const ada = await service.register("ada");
  const body = "石".repeat(8_000);
  await Promise.all(Array.from({ length: 90 }, () => ada.post("/post", { body })));
  await service.sequenced();
  const ids: number[] = [];
  const sizes: number[] = [];
  for (let since = START; ; ) {
    const { body: page } = await service.get(`/since?since=${since}&limit=1000`);
    ids.push(...idsOf(page));
    sizes.push(Buffer.byteLength(JSON.stringify(page.entries)));
    since = page.next_since;
    if (!page.more) break;
  }
  assert.deepEqual([...new Set(ids)], await idsAfter(service, 0));
  assert.equal(sizes.length, 3);
  const most = 8_000 * 3 + 1_000;
  for (const size of sizes.slice(0, -1)) {
    assert.ok(size <= PAGE_MAX_BYTES + 1_000 && size > PAGE_MAX_BYTES - most, `${size}`);
  }
});
