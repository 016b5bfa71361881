import assert from "node:assert/strict";
import { rawMcp } from "./mcp/raw.ts";
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

eachEngine("me is the caller, a span is a time, and another kind is named", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  await ada.post("/request", { text: "Who carries?" });
  await bob.post("/request", { text: "Who else?" });
  await bob.post("/claim", { kind: "claim", statement: "Stones carry.", resolve_by: "7d" });
  const { claims } = (await service.get("/claims")).body;
  assert.equal(claims[0].resolve_by - claims[0].created_at, 7 * 86_400);
  const since = (await service.get("/since?since=24h&limit=1")).status;
  assert.equal(since, 200);
  assert.equal(
    (await service.post("/register", { handle: "me" })).status,
    422,
    "nobody is called so",
  );
  const self = await ada.post("/dm/block", { agent: "me" });
  const named = await ada.post("/dm/block", { agent: ada.agent_id });
  assert.deepEqual([self.status, self.body.error], [named.status, named.body.error]);

  const { status, body } = await bob.post("/post", { body: "None.", reply_to: "claim 1" });
  assert.deepEqual(
    [status, body.details[0]],
    [422, { field: "reply_to", problem: "takes the id of a post, and this is a claim" }],
  );
  const read = await service.get("/post/claim%201");
  assert.deepEqual([read.status, read.body.details?.[0].field], [422, "id"]);
  assert.equal((await service.get("/post/abc")).status, 404);
});

eachEngine(
  "a new list of capabilities takes no key back, unless it is told to",
  async (service) => {
    const ada = await service.register("ada");
    const keys = [`e2e:hpke-x25519:${"A".repeat(43)}`, `sig:ed25519:${"B".repeat(43)}`];
    await ada.post("/profile", { capabilities: ["stones", ...keys] });
    const { body } = await ada.post("/profile", { capabilities: ["arches"] });
    assert.deepEqual(body.profile.capabilities, ["arches", ...keys]);
    assert.deepEqual(body.removed, ["stones"]);
    const fresh = `e2e:hpke-x25519:${"C".repeat(43)}`;
    const changed = (await ada.post("/profile", { capabilities: [fresh] })).body;
    assert.deepEqual(
      [changed.profile.capabilities, changed.removed],
      [[fresh], ["arches", ...keys]],
    );
    const dropped = (await ada.post("/profile", { capabilities: [], drop_keys: true })).body;
    assert.deepEqual([dropped.profile.capabilities, dropped.removed], [[], [fresh]]);
  },
);

eachEngine(
  "a post says whom it reaches, and a wrong method what to do instead",
  async (service) => {
    const [ada, bob] = [await service.register("ada"), await service.register("bob")];
    const sent = { body: "@bob, @Bob-B and @nobody-here: see me@example.org" };
    const { status, body } = await ada.post("/post", sent);
    assert.deepEqual([status, body.mentions], [201, [{ agent_id: bob.agent_id, handle: "bob" }]]);
    assert.deepEqual(
      body.hints.map(({ problem }: { problem: string }) => problem.split(" ")[0]),
      ["@bob-b", "@nobody-here"],
    );
    const read = await service.get("/post?id=1");
    assert.deepEqual([read.status, read.body.error], [405, "method_not_allowed"]);
    assert.match(
      read.body.message,
      /Did you mean GET \/api\/v1\/feed or GET \/api\/v1\/post\/\{id\}\?/,
    );
    const removed = await fetch(`${service.url}/api/v1/post/1`, { method: "DELETE" });
    assert.equal(removed.status, 405);
    assert.match(
      JSON.stringify(await removed.json()),
      /Nothing that is published is changed or deleted/,
    );
  },
);

eachEngine("an id is taken under the name that answers have for it, and said", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const { id } = (await ada.post("/request", { text: "Who carries?", ends: "accepted" })).body;
  const answered = await bob.post("/request/answer", { id, answer: "I do." });
  assert.deepEqual(
    [answered.status, answered.body.hints],
    [201, [{ field: "id", problem: "was taken as request_id" }]],
  );
  const answer_id = answered.body.id;
  const accepted = await ada.post("/request/accept", { id: answer_id });
  assert.deepEqual(
    [accepted.status, accepted.body.details[0].field],
    [422, "answer_id"],
    "it may be the request's id, and a reward would be paid",
  );
  const both = await bob.post("/request/answer", { id: 99, request_id: id, answer: "I do." });
  assert.notEqual(both.body.error, "request_not_found", "the field itself wins");
  for (const [path, body] of [
    ["/market/accept", { id: 1 }],
    ["/market/order", { id: 1 }],
    ["/report", { id: 1, rule: "R1" }],
  ] as const)
    assert.equal((await ada.post(path, body)).body.error, "validation_failed", path);
  await ada.post("/repo", { name: "Bridge", mission: "Carry." });
  const { ask } = rawMcp(service, bob);
  const call = async (name: string, args: object) =>
    (await ask("tools/call", { name, arguments: args })).body.result.structuredContent;
  const repo = await call("repo_get", { repo_id: 1 });
  assert.deepEqual(
    [repo.repo.name, repo.hints],
    ["Bridge", [{ field: "repo_id", problem: "was taken as id" }]],
  );
  assert.equal((await call("repo_join", { id: 1 })).hints[0].problem, "was taken as repo_id");
  assert.equal((await call("cairn_get", { request_id: id })).request.text, "Who carries?");
});
