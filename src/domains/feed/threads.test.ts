import assert from "node:assert/strict";
import { test } from "node:test";
import { planOf } from "../../../test/plan.ts";
import {
  eachEngine,
  openTestService,
  type TestAgent,
  type TestService,
} from "../../../test/service.ts";
import type { Db, Tx } from "../../platform/db/engine.ts";
import { agentById } from "../identity/queries.ts";
import { feedHandlers } from "./handlers.ts";
import { hidePost, unhidePost } from "./hiding.ts";
import * as sql from "./thread-queries.ts";
import { recountThreads } from "./threads.ts";

const idsOf = (items: readonly { readonly id: number }[]) => items.map(({ id }) => id);

async function say(by: TestAgent, reply_to?: number): Promise<number> {
  const { status, body } = await by.post("/post", { body: "A stone.", reply_to });
  assert.equal(status, 201);
  return body.id;
}

async function countOf(service: TestService, id: number): Promise<number> {
  await service.sequenced();
  return (await service.get(`/post/${id}`)).body.post.replies_count;
}

eachEngine("a post is shown with what it answers and with its replies", async (service) => {
  const ada = await service.register("ada");
  const chain = [await say(ada)];
  for (let i = 0; i < 12; i++) chain.push(await say(ada, chain.at(-1)));
  const last = chain.at(-1) ?? 0;
  const replies: number[] = [];
  for (let i = 0; i < 25; i++) replies.push(await say(ada, last));
  await service.sequenced();

  const { body } = await service.get(`/post/${last}`);
  assert.deepEqual(
    [body.post.id, body.post.replies_count, body.post.reply_to],
    [last, 25, chain.at(-2)],
  );
  assert.deepEqual(idsOf(body.ancestors), chain.slice(2, 12).reverse(), "the nearest first");
  assert.deepEqual([body.ancestors_more, body.more], [true, true]);
  assert.deepEqual(idsOf(body.replies), replies.slice(0, 20), "oldest first");
  const rest = await service.get(`/post/${last}/replies?cursor=${body.next}`);
  assert.deepEqual(idsOf(rest.body.replies), replies.slice(20));
  assert.deepEqual([rest.body.more, rest.body.next], [false, null]);

  const { body: first } = await service.get(`/post/${chain[0]}`);
  assert.deepEqual([first.ancestors, idsOf(first.replies), first.next], [[], [chain[1]], null]);
  const { body: feed } = await service.get(`/feed?reply_to=${last}&limit=3`);
  assert.deepEqual(idsOf(feed.posts), replies.slice(-3).reverse());
  const alone = (await service.get(`/post/${replies[0]}`)).body.post;
  assert.deepEqual(body.replies[0], alone, "as every list shows it");
  for (const path of ["/post/999", "/post/999/replies"]) {
    const { status, body: refusal } = await service.get(path);
    assert.deepEqual([status, refusal.error], [404, "post_not_found"]);
  }
});

eachEngine("a hidden reply counts no more until it is shown again", async (service) => {
  const { context } = service.service;
  const ada = await service.register("ada");
  const top = await say(ada);
  const middle = await say(ada, top);
  const below = await say(ada, middle);
  assert.equal(await countOf(service, top), 1);

  await hidePost(context, { post_id: middle });
  assert.equal(await countOf(service, top), 0);
  const { body } = await service.get(`/post/${below}`);
  assert.deepEqual([body.ancestors[0], body.ancestors[1].id], [{ id: middle, hidden: true }, top]);
  assert.deepEqual((await service.get(`/post/${top}/replies`)).body.replies, []);
  for (const path of [`/post/${middle}`, `/post/${middle}/replies`])
    assert.equal((await service.get(path)).body.error, "post_not_found", path);

  await unhidePost(context, { post_id: middle });
  assert.equal(await countOf(service, top), 1);
  assert.deepEqual(idsOf((await service.get(`/post/${below}`)).body.ancestors), [middle, top]);
});

eachEngine("a reply hidden in the batch that numbers it leaves a count of 0", async (service) => {
  const { context } = service.service;
  const ada = await service.register("ada");
  const top = await say(ada);
  await context.write(async (tx) => {
    const within = {
      ...context,
      write: <T>(body: (tx: Tx) => Promise<T>) => body(tx),
    };
    const author = await agentById.first(tx, { agent_id: ada.agent_id });
    assert.ok(author);
    const call = { ...within, agent: { ...author, agent_id: ada.agent_id }, afterAnswer: () => {} };
    const { id } = await feedHandlers.post(call, { body: "A stone.", reply_to: top });
    await hidePost(within, { post_id: id });
  });
  await service.sequenced();
  const row = await sql.postById.first(context.read, { id: top });
  assert.equal(row?.replies, 0);
});

eachEngine("counts that are made again are those that were kept", async (service) => {
  const { context } = service.service;
  const ada = await service.register("ada");
  const tops = [await say(ada), await say(ada), await say(ada)];
  const replies = [];
  for (const top of [tops[0], tops[0], tops[1]]) replies.push(await say(ada, top));
  await hidePost(context, { post_id: replies[0] ?? 0 });
  await hidePost(context, { post_id: replies[2] ?? 0 });
  await service.sequenced();
  const kept = async () =>
    (await Promise.all(tops.map((id) => sql.postById.first(context.read, { id })))).map(
      (row) => row?.replies,
    );
  const before = await kept();
  assert.deepEqual(before, [1, 0, null]);
  await context.write((tx) => sql.countReplies(tx, [{ post: tops[0] ?? 0, replies: 5 }]));
  assert.notDeepEqual(await kept(), before);
  assert.equal(await context.write(recountThreads), 2);
  assert.deepEqual(await kept(), before);
});

eachEngine("replies that many write at once are all counted", async (service) => {
  const ada = await service.register("ada");
  const top = await say(ada);
  const authors = await Promise.all(Array.from({ length: 8 }, () => service.register()));
  await Promise.all(
    authors.map(async (author) => {
      for (let i = 0; i < 25; i++) await say(author, top);
    }),
  );
  assert.equal(await countOf(service, top), 200);
  const { body } = await service.get("/feed?limit=100");
  for (const { replies_count } of body.posts) assert.equal(replies_count, 0);
});

test("a thread is read by an index, in its order", async () => {
  const service = await openTestService("sqlite", "threads");
  const asks: readonly (readonly [string, (db: Db) => Promise<unknown>])[] = [
    [
      "post_by_reply (reply_to=? AND id>?)",
      (db) => sql.replies.all(db, { reply_to: 1, after_id: 0, limit: 20 }),
    ],
    ["INTEGER PRIMARY KEY (rowid=?)", (db) => sql.postById.all(db, { id: 1 })],
  ];
  try {
    for (const [part, ask] of asks) {
      const plan = await planOf(service.service.context.read, ask);
      assert.ok(plan.includes(part), plan);
      assert.doesNotMatch(plan, /TEMP B-TREE|SCAN/, plan);
    }
  } finally {
    await service.close();
  }
});
