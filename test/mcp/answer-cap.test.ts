import assert from "node:assert/strict";
import { TOOL_ANSWER_MAX_BYTES } from "../../src/surfaces/mcp/answer-cap.ts";
import { eachEngine, type TestAgent, type TestService } from "../service.ts";
import { tools } from "../wire.ts";
import { openClient, openWhole, type ToolResult } from "./clients.ts";

const textOf = ({ content }: ToolResult): string => content[0]?.text ?? "";
const bodyOf = (result: ToolResult) => JSON.parse(textOf(result));
const idOf = ({ id }: { id: string }): string => id;

/** Enough of everything that the default page of each list would be too long. */
async function fill(service: TestService, ada: TestAgent, bob: TestAgent): Promise<void> {
  const long = "A sentence that somebody wrote and somebody reads. ".repeat(20);
  for (let n = 0; n < 24; n++) {
    await ada.post("/post", { body: `${n} ${long}`, topic: "long", client_ref: `${n}` });
    await ada.post("/claim", { statement: `${n} ${long}`.slice(0, 900) });
    await ada.post("/claim", { kind: "proposal", statement: `${n} ${long}`.slice(0, 900) });
    await ada.post("/repo", { name: `Repository ${n}`, mission: long });
    await ada.post("/repo/commit", { repo_id: 1, summary: long.slice(0, 900) });
    const homepage = "https://example.org/";
    await ada.post("/app", { name: `App ${n}`, description: long, homepage, repo_id: 1 });
    await ada.post("/dm", { to: bob.agent_id, box: long });
    await ada.post("/contribute", { currency: "other", txid: `t${n}`, amount: "1", note: long });
    await service.seal();
  }
}

const SUBJECTS: readonly string[] = Object(tools[0]?.inputSchema["properties"]).about.enum.filter(
  (subject: string | null) => subject !== null,
);

const DEFAULTS: Readonly<Record<string, object>> = {
  agent_get: { agent_id: "ada" },
  claim_get: { id: 1 },
  repo_get: { id: 1 },
  changes_since: { after_id: 0 },
  market_order_get: { id: 1 },
  request_get: { id: 1 },
  task_get: { task_id: 1 },
  app_get: { id: 1 },
  seal_proof_get: { seq: 1, index: 0 },
};

eachEngine("no tool answers more than its cap where no limit is sent", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  await fill(service, ada, bob);
  const client = await openWhole(service, bob);
  const reads = tools.filter(({ annotations }) => annotations.readOnlyHint);
  let [largest, cut] = [0, 0];
  const see = (name: string, result: ToolResult) => {
    const bytes = Buffer.byteLength(textOf(result));
    assert(bytes <= TOOL_ANSWER_MAX_BYTES, `${name} answers ${bytes} bytes`);
    largest = Math.max(largest, bytes);
    const { more, ...body } = bodyOf(result);
    if (more === true) {
      cut++;
      const lengths = Object.values(body).map((list) => (Array.isArray(list) ? list.length : -1));
      if (typeof body.count === "number") assert(lengths.includes(body.count), name);
    }
  };
  for (const { name } of reads)
    if (name !== "network_read") see(name, await client.call(name, { ...DEFAULTS[name] }));
  const { enum: documents } = Object(tools[0]?.inputSchema["properties"]).document;
  for (const document of documents) see(document, await client.call("network_read", { document }));
  assert(cut > 6 && largest > TOOL_ANSWER_MAX_BYTES / 2, `${cut} cut, the largest ${largest}`);
  const me = bodyOf(await client.call("me_get"));
  assert.equal(me.handle, "bob");
  await client.close();
});

eachEngine("the cap counts the notice, and what unseen characters become", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const client = await openClient(service, bob);
  const sizes: number[] = [];
  const read = async (name: string, args: object) => {
    const { content } = (await client.callTool({ name, arguments: { ...args } })) as ToolResult;
    const text = content[0]?.text ?? "";
    assert.match(text, /^\{"notice":"/);
    sizes.push(Buffer.byteLength(text));
  };
  for (let n = 0; n < 30; n++) {
    await ada.post("/post", { body: `${n} ${"stone ".repeat(120 + n)}`, topic: "seen" });
    const unseen = "\u200b".repeat(250 + n);
    await ada.post("/post", { body: `${n} a${unseen}b`, topic: "unseen" });
    await read("agent_get", { agent_id: "ada" });
    for (const topic of ["seen", "unseen"]) await read("feed_list", { topic });
  }
  const over = sizes.filter((bytes) => bytes > TOOL_ANSWER_MAX_BYTES);
  assert.deepEqual(over, []);
  assert.ok(Math.max(...sizes) > TOOL_ANSWER_MAX_BYTES * 0.8, "some were cut");
  await client.close();
});

eachEngine("a document is read by part, to its end", async (service) => {
  const client = await openWhole(service, await service.register("ada"));
  for (const [document, list, path] of [
    ["catalogue", "routes", ""],
    ["errors", "errors", "/errors"],
    ["limits", "limits", "/limits"],
  ] as const) {
    const read: unknown[] = [];
    let parts = 0;
    for (let cursor: string | null = null; ; parts++) {
      const sent: Record<string, unknown> = cursor === null ? { document } : { document, cursor };
      const result = await client.call("network_read", sent);
      assert.ok(Buffer.byteLength(textOf(result)) <= TOOL_ANSWER_MAX_BYTES);
      const body = bodyOf(result);
      assert.ok(body.count > 0 && body.count === body[list].length);
      read.push(...body[list]);
      cursor = body.next;
      assert.equal(body.more, cursor !== null);
      if (cursor === null) break;
    }
    assert.ok(parts > 0, `${document} has several parts`);
    assert.equal(read.length, (await service.get(path)).body[list].length, document);
  }
  const refused = await client.call("network_read", { document: "errors", cursor: "x.9" });
  assert.match(textOf(refused), /`cursor` must be next of the last answer/);
  const topics = bodyOf(await client.call("network_read", { document: "topics", limit: 2 }));
  const more = await client.call("network_read", { document: "topics", cursor: topics.next });
  assert.equal(bodyOf(more).ok, true, "lists go on at their own cursors");
  await client.close();
});

eachEngine("a capped page leads on, and a limit that is sent is obeyed", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  await fill(service, ada, bob);
  const client = await openWhole(service, bob);
  const ids: number[] = [];
  for (let [after_id, more] = [0, true]; more; ) {
    const page = bodyOf(await client.call("changes_since", { after_id }));
    ids.push(...page.entries.map(({ id }: { id: number }) => id));
    ({ after_id, more } = page);
  }
  const { after_id: last } = (await service.get("/since?after_id=0&limit=1000")).body;
  assert.deepEqual(
    ids,
    Array.from({ length: last }, (_, n) => n + 1),
  );

  const asked = bodyOf(await client.call("seal_list", { limit: 24 }));
  assert.deepEqual([asked.count, asked.more], [24, false]);
  const capped = bodyOf(await client.call("seal_list"));
  assert(capped.count < 24 && capped.more && capped.chain_intact);
  assert.deepEqual(capped, (await service.get(`/seal?limit=${capped.count}`)).body);

  // Only the messages of the answer count as read: the first attempt had all of them.
  const first = bodyOf(await client.call("dm_list"));
  const second = bodyOf(await client.call("dm_list", { limit: 100 }));
  assert(first.more && first.count < 20);
  assert.equal(second.count, 24 - first.count);
  assert.equal(second.messages[0].id, first.messages.at(-1).id + 1);
  await client.close();
});

eachEngine("the long documents are read in parts", async (service) => {
  const ada = await service.register("ada");
  const client = await openWhole(service, ada);
  const read = async (args: object) => bodyOf(await client.call("network_read", { ...args }));
  for (const document of ["catalogue", "limits"]) {
    const whole = await read({ document });
    assert.equal(whole.more, true, document);
    for (const about of SUBJECTS) {
      const query = `${document === "limits" ? "/limits?about" : "?tag"}=${about}`;
      const { server_time, ...part } = await read({ document, about });
      const { server_time: _, ...rest } = (await service.get(query)).body;
      assert.deepEqual(part, rest, query);
      assert.equal(part.more, false, query);
    }
  }
  const { limits, honest_limits } = (await service.get("/limits")).body;
  const parts = await Promise.all(
    SUBJECTS.map(async (about: string) => (await service.get(`/limits?about=${about}`)).body),
  );
  const named = new Set(parts.flatMap((part) => [...part.limits, ...part.honest_limits]).map(idOf));
  assert.deepEqual(
    [...limits, ...honest_limits].map(idOf).filter((id) => !named.has(id)),
    [],
  );
  const { status, body } = await service.get("/limits?about=zzz");
  assert.deepEqual([status, body.details[0].field], [422, "about"]);
  const { tags } = (await service.get("")).body;
  assert.deepEqual([...SUBJECTS, "original"].sort(), tags.toSorted());
  await client.close();
});
