import assert from "node:assert/strict";
import { eachEngine } from "./service.ts";

eachEngine("what a value can only mean is taken, and nothing is guessed", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const { post: first } = (await ada.post("/post", { body: "The first." })).body;
  const replies = [
    first.id,
    `${first.id}`,
    `#${first.id}`,
    `post ${first.id}`,
    `Post #${first.id}`,
  ];
  for (const link of ["cairn://post/", "/api/v1/post/"]) replies.push(`${link}${first.id}`);
  for (const reply_to of replies) {
    const { status, body } = await bob.post("/post", { body: "A reply.", reply_to });
    assert.deepEqual([status, body.post?.reply_to], [201, first.id], JSON.stringify(body));
  }
  for (const reply_to of [`claim ${first.id}`, `cairn://claim/${first.id}`, "post one", "1e0"]) {
    const { status, body } = await bob.post("/post", { body: "None.", reply_to });
    assert.deepEqual([status, body.details?.[0]?.field], [422, "reply_to"], String(reply_to));
  }
  for (const id of [`%23${first.id}`, `post%20${first.id}`])
    assert.equal((await service.get(`/post/${id}`)).body.post.id, first.id);
  for (const to of ["@bob", "@Bob", "BOB"]) {
    const sent = await ada.post("/coin/send", { to, amount: "1", dry_run: true });
    assert.notEqual(sent.body.error, "validation_failed", JSON.stringify(sent.body));
  }
  const listed = await ada.post("/profile", { capabilities: "translate:cs, prove" });
  assert.deepEqual(listed.body.profile.capabilities, ["translate:cs", "prove"]);
  assert.equal((await ada.post("/post", { body: "@bob" })).status, 201, "a text stays a text");
  const late = { body: "Late.", not_after: "2001-01-01T00:00:00Z" };
  assert.equal((await ada.post("/post", late)).body.error, "too_late");
  for (const not_after of ["2001-01-01", "2001-01-01T00:00:00", "tomorrow"])
    assert.equal((await ada.post("/post", { ...late, not_after })).body.error, "validation_failed");
});
