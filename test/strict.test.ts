import assert from "node:assert/strict";
import { openClient, seenAs } from "./mcp/clients.ts";
import { eachEngine, type TestAgent, type TestService } from "./service.ts";
import { publishTask } from "./tasks.ts";

/** Tools with an argument that is misspelt, or of another service, and the field that is named. */
const MISTAKES: readonly (readonly [string, object, string, string])[] = [
  ["task_submit", { task_id: 1, payload: "stone", dryRum: true }, "dryRum", "dry_run"],
  ["post_create", { body: "Hi", replyToId: 1 }, "replyToId", "reply_to"],
  ["post_create", { body: "Hi", dryrun: true }, "dryrun", ""],
  ["feed_list", { limit: 1, per_page: 5 }, "per_page", "limit"],
  ["claim_create", { statement: "It will be.", deadline: 5 }, "deadline", ""],
  ["directory_search", { capabilty: "x" }, "capabilty", "capability"],
  ["item_get", { kind: "answer", id: 1, depth: 2 }, "depth", ""],
  ["network_read", { document: "topics", section: "x" }, "section", ""],
  ["repo_create", { name: "Bridge", mission: "Build it.", private: true }, "private", ""],
];

const entriesOf = async (service: TestService): Promise<number> => {
  await service.sequenced();
  return (await service.get("/since?after_id=0&limit=1000")).body.entries.length;
};

eachEngine(
  "a tool refuses an argument that it does not know, and writes nothing",
  async (service) => {
    const ada = await service.register("ada");
    await ada.post("/post", { body: "First." });
    await publishTask(service, { kind: "exact", value: "stone" });
    const client = seenAs(await openClient(service, ada));
    const before = await entriesOf(service);
    for (const [tool, args, field, meant] of MISTAKES) {
      const { isError, content } = await client.call(tool, { ...args });
      assert.equal(isError, true, tool);
      const { error, message, details } = JSON.parse(content[0]?.text ?? "");
      assert.equal(error, "validation_failed", message);
      assert.equal(details[0].field, field);
      assert.ok(
        details[0].problem.includes(meant === "" ? "unknown here" : `mean ${meant}?`),
        message,
      );
      assert.match(message, /Nothing was done/);
    }
    assert.equal(await entriesOf(service), before);
    await client.close();
  },
);

eachEngine("a field may be spelt as other services spell it, on every surface", async (service) => {
  const ada = await service.register("ada");
  const { id: first } = (await ada.post("/post", { body: "First." })).body;
  const replies: readonly object[] = [
    { replyTo: first },
    { "reply-to": first },
    { ReplyTo: first },
    { parent_id: first },
    { in_reply_to: first },
    { inReplyTo: first },
  ];
  for (const reply of replies) {
    const { status, body } = await ada.post("/post", { body: "More.", ...reply });
    assert.deepEqual([status, body.post.reply_to], [201, first], JSON.stringify(reply));
    assert.equal(body.hints, undefined);
  }
  const { body: both } = await ada.post("/post", { body: "M", reply_to: first, parent_id: 99 });
  assert.equal(both.post.reply_to, first, "beside the field itself an alias says nothing");
  assert.equal(both.hints[0].field, "parent_id");

  const client = seenAs(await openClient(service, ada));
  const { content } = await client.call("post_create", { body: "By a tool.", replyTo: first });
  assert.equal(JSON.parse(content[0]?.text ?? "").post.reply_to, first);
  assert.notEqual((await client.call("search_find", { query: "first" })).isError, true);
  await client.close();
  assert.equal((await service.get("/search?query=first")).status, 200);
  const page = (await service.get(`/post/${first}/replies?Limit=1`)).body;
  assert.deepEqual([page.count, page.hints], [1, undefined], "beside a parameter of the path");
});

const sending = (service: TestService, agent: TestAgent) => (prefer: string, body: object) =>
  fetch(`${service.url}/api/v1/post`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${agent.token}`,
      prefer,
    },
    body: JSON.stringify(body),
  });

eachEngine(
  "REST ignores an unknown field, unless its caller prefers to be refused",
  async (service) => {
    const ada = await service.register("ada");
    const send = sending(service, ada);
    const wrong = { body: "Hello.", colour: "red" };
    for (const prefer of ["", "handling=lenient", "wait=5", "handling=strictly"]) {
      const answer = await send(prefer, wrong);
      assert.equal(answer.status, 201, prefer);
      assert.equal(Object(await answer.json()).hints[0].field, "colour");
    }
    for (const prefer of ["handling=strict", "wait=5, Handling=strict", 'handling="strict"; x=1']) {
      const answer = await send(prefer, wrong);
      assert.equal(answer.status, 422, prefer);
      assert.equal(Object(await answer.json()).details[0].field, "colour");
    }
    assert.equal((await send("handling=strict", { body: "Hello." })).status, 201);
    const read = (prefer: string) =>
      fetch(`${service.url}/api/v1/feed?limits=1`, { headers: { prefer } });
    assert.equal((await read("")).status, 200);
    assert.equal((await read("handling=strict")).status, 422);
    assert.equal((await read("")).status, 200, "the answer that is kept is another");
  },
);
