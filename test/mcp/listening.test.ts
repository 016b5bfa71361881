import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { STREAMS_PER_AGENT } from "../../src/surfaces/live/slots.ts";
import { eachEngine, type TestAgent, type TestService } from "../service.ts";
import { openClient } from "./clients.ts";
import { rawMcp } from "./raw.ts";

const SINCE = "cairn://since";
const inboxOf = ({ agent_id }: Pick<TestAgent, "agent_id">) => `cairn://agent/${agent_id}/inbox`;

/** Where a resource has news up to. */
interface Position {
  readonly after_id: number;
  readonly after_message_id?: number;
}

/** What a client hears of each resource, and how to wait for it. */
function hearing(client: Client) {
  const heard: { readonly uri: string; readonly at: Position }[] = [];
  let changed = Promise.withResolvers<void>();
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    const { after_id, after_message_id } = params._meta ?? {};
    const id = Number(after_id);
    const message =
      after_message_id === undefined ? {} : { after_message_id: Number(after_message_id) };
    heard.push({ uri: params.uri, at: { after_id: id, ...message } });
    changed.resolve();
    changed = Promise.withResolvers();
  });
  return {
    heard,
    async until(uri: string, isIt: (at: Position) => boolean): Promise<Position> {
      for (;;) {
        const found = heard.find((each) => each.uri === uri && isIt(each.at));
        if (found !== undefined) return found.at;
        await changed.promise;
      }
    },
  };
}

/** A request to listen, as a stream or a refusal. */
function ask({ url }: TestService, { token }: TestAgent, resourceSubscriptions: readonly string[]) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const method = "subscriptions/listen";
  const params = { notifications: { resourceSubscriptions }, _meta };
  const over = new AbortController();
  const answer = fetch(`${url}/api/v1/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }),
    signal: over.signal,
  });
  return { answer, end: () => over.abort() };
}

const headOf = async ({ get }: TestService): Promise<number> =>
  (await get("/since?after_id=0&limit=1000")).body.after_id;

eachEngine(
  "a client of MCP hears what happens, and of its inbox what concerns it",
  async (service) => {
    const [ada, bob] = [await service.register("ada"), await service.register("bob")];
    const { body: question } = await ada.post("/post", { body: "Who knows a prime?" });
    const client = await openClient(service, ada, { pin: "2026-07-28" });
    const { heard, until } = hearing(client);
    const listening = await client.listen({ resourceSubscriptions: [SINCE, inboxOf(ada)] });
    const began = await headOf(service);
    await until(SINCE, ({ after_id }) => after_id === began);
    const before = await until(inboxOf(ada), () => true);

    await bob.post("/post", { body: "Nobody is asked." });
    await until(SINCE, ({ after_id }) => after_id > began);
    await bob.post("/post", { body: "Seven.", reply_to: question.id });
    const reported = await until(inboxOf(ada), ({ after_id }) => after_id > before.after_id);
    const { items } = (await ada.get(`/inbox?after_id=${before.after_id}`)).body;
    assert.deepEqual(
      items.map(({ id }: { id: number }) => id),
      [reported.after_id],
    );
    assert.equal(
      heard.filter(({ uri }) => uri === inboxOf(ada)).length,
      2,
      "foreign posts tell nothing",
    );
    const { body: sent } = await bob.post("/dm", { to: ada.agent_id, box: "c2VjcmV0" });
    await until(inboxOf(ada), ({ after_message_id }) => after_message_id === sent.id);
    await listening.close();
    await client.close();
  },
);

eachEngine("nobody listens to another's inbox, or to what has no news", async (service) => {
  const [ada, bob] = [await service.register("ada"), await service.register("bob")];
  const others = [inboxOf(bob), "cairn://agent/ada/inbox", "cairn://skill.md"];
  for (const uris of [...others.map((uri) => [uri]), [SINCE, inboxOf(bob)]]) {
    const answer = await ask(service, ada, uris).answer;
    const { id, error } = Object(await answer.json());
    assert.deepEqual([answer.status, id, error.code], [200, 7, -32_602], uris.join());
    assert.match(error.message, /^You can listen to cairn:\/\/since and cairn:\/\/agent\/ag_/);
  }
  const client = await openClient(service, ada);
  const textOf = async (uri: string) =>
    JSON.stringify((await client.readResource({ uri })).contents);
  assert.match(await textOf(SINCE), /entries/);
  assert.match(await textOf(inboxOf(ada)), /unread_messages/);
  await assert.rejects(client.readResource({ uri: inboxOf(bob) }), { code: -32_602 });
  assert.equal(client.getServerCapabilities()?.resources?.subscribe, true);
  await client.close();
  const first = await openClient(service, ada, "legacy");
  assert.equal(first.getServerCapabilities()?.resources?.subscribe, undefined);
  await first.close();
});

eachEngine("a listener takes a stream, until it ends or its token does", async (service) => {
  const ada = await service.register("ada");
  const all = Array.from({ length: STREAMS_PER_AGENT }, () => ask(service, ada, [SINCE]));
  const open = await Promise.all(all.map(({ answer }) => answer));
  assert.deepEqual(
    open.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  const fifth = await ask(service, ada, [SINCE]).answer;
  assert.equal(fifth.status, 503);
  assert.ok(Number(fifth.headers.get("retry-after")) > 0);
  all[0]?.end();
  let again = await ask(service, ada, [inboxOf(ada)]).answer;
  while (again.status === 503) again = await ask(service, ada, [inboxOf(ada)]).answer;
  assert.equal((await rawMcp(service, ada).ask("tools/list")).status, 200, "others are answered");
  assert.equal((await ada.post("/token/rotate", {})).status, 200);
  const bob = await service.register("bob");
  await bob.post("/post", { body: `@${ada.agent_id}` });
  const last = await again.text();
  assert.match(last, /acknowledged.*resources\/updated.*"resultType":"complete"/s);
  for (const { end } of all) end();
});
