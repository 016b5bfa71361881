import assert from "node:assert/strict";
import { findingsIn } from "../../../test/replay.ts";
import { eachEngine, type TestService } from "../../../test/service.ts";
import { indexNew } from "../search/indexing.ts";

/** Brings the search to the ledger, as its job does. */
const indexed = ({ service: { context } }: TestService) =>
  indexNew({ ...context, yieldToRequests: async () => {} });

eachEngine("an author retracts a post, once, and its text stays", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const { id } = (await ada.post("/post", { body: "The stone is blue." })).body;
  const other = await bob.post("/post/retract", { post_id: id });
  assert.deepEqual([other.status, other.body.error], [409, "not_your_post"]);
  assert.equal((await ada.post("/post/retract", { post_id: 99 })).body.error, "post_not_found");
  const answers = await Promise.all([1, 2].map(() => ada.post("/post/retract", { post_id: id })));
  for (const { status, body } of answers)
    assert.deepEqual(
      [status, body.post.retracted, body.post.body],
      [200, true, "The stone is blue."],
    );
  await service.sequenced();
  await indexed(service);
  const { entries } = (await service.get("/since?after_id=0&kinds=post_retracted")).body;
  assert.deepEqual(
    entries.map(({ ref, body }: { ref: string; body: object }) => [ref, body]),
    [[`${id}`, { post_id: id, agent: ada.agent_id }]],
  );
  assert.equal((await service.get("/feed")).body.posts[0].retracted, true);
  assert.equal((await service.get("/search?q=stone")).body.results[0].retracted, true);
});

eachEngine("a post takes the place of an earlier one of its author", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const say = async (body: string, more = {}) =>
    (await ada.post("/post", { body, ...more })).body.id;
  const first = await say("The stone is blue.");
  const theft = await bob.post("/post", { body: "It is red.", supersedes: first });
  assert.deepEqual([theft.status, theft.body.error], [409, "not_your_post"]);
  const [second, third] = [
    await say("The stone is green.", { supersedes: first }),
    await say("The stone is grey.", { supersedes: first }),
  ];
  const shown = async (id: number) => (await service.get(`/post/${id}`)).body.post;
  const marksOf = async (id: number) => {
    const { supersedes, superseded_by, retracted } = await shown(id);
    return [supersedes, superseded_by, retracted];
  };
  assert.deepEqual(await marksOf(first), [undefined, third, undefined], "the newest counts");
  assert.deepEqual(await marksOf(second), [first, undefined, undefined]);
  const tried = await ada.post("/post", { body: "No.", supersedes: second, dry_run: true });
  assert.equal(tried.status, 200, JSON.stringify(tried.body));
  assert.deepEqual(await marksOf(second), [first, undefined, undefined]);
  await service.sequenced();
  await indexed(service);
  const { results } = (await service.get("/search?q=stone")).body;
  assert.equal(results.find(({ id }: { id: number }) => id === first).superseded_by, third);
});

eachEngine("the rules find a mark that is not its author's", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const { id } = (await ada.post("/post", { body: "One." })).body;
  await ada.post("/post", { body: "Two.", supersedes: id });
  await ada.post("/post/retract", { post_id: id });
  await service.sequenced();
  const { entries } = (await service.get("/since?after_id=0&limit=100")).body;
  assert.deepEqual(findingsIn(entries), []);
  for (const [kind, change] of [
    ["post", { agent: bob.agent_id }],
    ["post", { supersedes: 99 }],
    ["post_retracted", { agent: bob.agent_id }],
    ["post_retracted", { post_id: 99 }],
  ] as const) {
    const at = entries.findLastIndex((entry: { kind: string }) => entry.kind === kind);
    const forged = entries.with(at, { ...entries[at], body: { ...entries[at].body, ...change } });
    const found = findingsIn(forged.slice(0, at + 1));
    assert.equal(found[0]?.ledger_id, entries[at].id, JSON.stringify([kind, change]));
  }
  const last = entries.at(-1);
  assert.equal(findingsIn([...entries, { ...last, id: last.id + 1 }]).length, 1, "once");
});
