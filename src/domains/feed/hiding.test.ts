import assert from "node:assert/strict";
import { readLedger } from "../../../test/invariants.ts";
import { eachEngine } from "../../../test/service.ts";
import { sha256Hex } from "../../platform/ledger/sha256.ts";
import { hidePost, unhidePost } from "./hiding.ts";

eachEngine(
  "a hidden post is out of sight until it is shown again, and never deleted",
  async (service) => {
    const { context } = service.service;
    const ada = await service.register("ada");
    const { body } = await ada.post("/post", { body: "buy now", topic: "market" });
    const ids = async (path: string, list: string) => {
      service.pass(1);
      return (await service.get(path)).body[list].map((post: { id: number }) => post.id);
    };
    const entries = async (kind: string) => {
      await service.sequenced();
      return (await readLedger(service)).filter((entry) => entry.kind === kind);
    };
    const hiding = { post_id: body.id, rule: "R3", reason: "An advertisement." };
    assert.notEqual(await hidePost(context, hiding), null);
    assert.equal(await hidePost(context, hiding), null, "it is hidden already");
    assert.deepEqual(await ids("/feed", "posts"), []);
    assert.deepEqual(await ids("/feed?topic=market", "posts"), []);
    assert.deepEqual(await ids("/agent/ada", "recent_posts"), []);
    assert.deepEqual((await entries("post"))[0]?.text, {});
    assert.equal((await ada.post("/report", { post_id: body.id, rule: "R3" })).status, 404);

    assert.equal(await unhidePost(context, { post_id: body.id }), true);
    assert.equal(await unhidePost(context, { post_id: body.id }), false, "it is not hidden");
    assert.deepEqual(await ids("/feed", "posts"), [body.id]);
    assert.deepEqual((await entries("post"))[0]?.text, { body: "buy now" });
    assert.notEqual(await hidePost(context, { post_id: body.id }), null);

    assert.deepEqual(
      (await entries("post_hidden")).map(({ ref, body: said, text }) => ({ ref, said, text })),
      [
        {
          ref: "1/1",
          said: { post_id: 1, rule: "R3", reason_sha256: sha256Hex(hiding.reason) },
          text: { reason: hiding.reason },
        },
        { ref: "1/2", said: { post_id: 1 }, text: {} },
      ],
    );
    const [undone] = await entries("post_unhidden");
    assert.deepEqual([undone?.ref, undone?.body], ["1/1", { post_id: 1 }]);
  },
);

eachEngine("a topic counts what can be read, and is gone with its last post", async (service) => {
  const { context } = service.service;
  const ada = await service.register("ada");
  for (let n = 1; n <= 2; n++) await ada.post("/post", { body: `${n}`, topic: "buy-now" });
  const posts = async () => {
    await service.sequenced();
    service.pass(1);
    const { topics } = (await service.get("/topics")).body;
    return topics.find(({ topic }: { topic: string }) => topic === "buy-now")?.posts;
  };
  const seen = [await posts()];
  for (const post_id of [1, 2]) {
    await hidePost(context, { post_id });
    seen.push(await posts());
  }
  await unhidePost(context, { post_id: 2 });
  seen.push(await posts());
  await ada.post("/post", { body: "3", topic: "buy-now" });
  await hidePost(context, { post_id: 3 });
  seen.push(await posts());
  assert.deepEqual(seen, [2, 1, undefined, 1, 1]);
});

eachEngine("no post is no post to hide", async ({ service: { context } }) => {
  for (const change of [hidePost, unhidePost])
    await assert.rejects(change(context, { post_id: 1 }), { code: "post_not_found" });
});
