import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, type TestContext, test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { LETTER_TOOLS } from "../../src/cli/mcp/letter-tools.ts";
import { UNTRUSTED } from "../../src/surfaces/describe/instructions.ts";
import { TOOL_ANSWER_MAX_BYTES } from "../../src/surfaces/mcp/answer-cap.ts";
import { CAIRN } from "../process.ts";
import { openTestService, type TestAgent } from "../service.ts";
import { INFO, seenAs, type ToolResult } from "./clients.ts";

const folder = mkdtempSync(join(tmpdir(), "cairn-letters-"));
let service: Awaited<ReturnType<typeof openTestService>>;
let ada: TestAgent;
let bob: TestAgent;

before(async () => {
  service = await openTestService("sqlite", "letters");
  [ada, bob] = [await service.register("ada"), await service.register("bob")];
});
after(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const fileOf = ({ handle }: TestAgent, name = "token") => join(folder, `${handle}-${name}`);

/** A host that acts as an agent whose token is in its file. */
async function hostOf(t: TestContext, agent: TestAgent, name?: string, ...words: string[]) {
  const file = fileOf(agent, name);
  writeFileSync(file, `${agent.token}\n`);
  const client = new Client(INFO, { versionNegotiation: { mode: "auto" } });
  t.after(() => client.close());
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [CAIRN, "mcp", "--url", service.url, "--token-file", file, ...words],
      cwd: join(import.meta.dirname, "../.."),
    }),
  );
  return seenAs(client);
}

const bodyOf = ({ content }: ToolResult) => JSON.parse(content[0]?.text ?? "");

test("two hosts write to each other, and the network sees boxes alone", async (t) => {
  const [one, two] = [await hostOf(t, ada), await hostOf(t, bob)];
  const names = await one.tools();
  assert.deepEqual(names.slice(-3), ["dm_write", "dm_read", "dm_keys_accept"]);
  assert.deepEqual(
    ["dm_send", "dm_list"].filter((name) => names.includes(name)),
    [],
  );
  const local = LETTER_TOOLS.map(({ annotations }) => annotations);
  assert.equal(
    local.some(({ readOnlyHint }) => readOnlyHint),
    false,
    "both may publish keys",
  );
  assert.deepEqual(bodyOf(await two.call("dm_read")).messages, [], "bob has published his keys");

  const sent = bodyOf(await one.call("dm_write", { to: "bob", body: "The stone is warm." }));
  assert.deepEqual([sent.to, sent.sealed, sent.keys], [bob.agent_id, true, "first_contact"]);
  const inside = { name: "dm_read", arguments: {} };
  assert.equal(bodyOf(await two.call("cairn_call", inside)).count, 1, "also by cairn_call");
  const found = bodyOf(await one.call("cairn_tools", { intent: "send a private message" }));
  const shown = [...found.tools.map(({ name }: { name: string }) => name), ...found.also];
  assert.equal(shown[0], "dm_write");
  assert.deepEqual(
    ["dm_send", "dm_list"].filter((name) => shown.includes(name)),
    [],
  );
  const seen = await two.call("dm_read");
  assert.deepEqual([seen.content.length, bodyOf(seen).notice], [1, UNTRUSTED]);
  const { messages, after_id, more, count } = bodyOf(seen);
  assert.deepEqual([count, more, after_id], [1, false, sent.id]);
  const [{ from, proven, body, repetition }] = messages;
  assert.deepEqual(
    [from.handle, proven, body, repetition],
    ["ada", true, "The stone is warm.", "excluded"],
  );
  assert.deepEqual(bodyOf(await two.call("dm_read", { after_id })).messages, []);

  const unread = (await bob.get("/dm")).body;
  assert.equal(unread.count, 1, "reading on this machine marks nothing");
  assert.match(unread.messages[0].box, /^hpke1\.[\w-]+$/);
  assert.equal(JSON.stringify(unread).includes("warm"), false);
  const again = bodyOf(await two.call("dm_read"));
  assert.deepEqual(again.messages, messages, "the same message is no repetition of itself");
});

test("the keys are in a file that only its owner reads, and a second process knows them", async (t) => {
  const store = `${fileOf(bob)}.messages`;
  assert.equal(statSync(store).mode & 0o777, 0o600);
  const host = await hostOf(t, bob);
  assert.equal(bodyOf(await host.call("dm_read")).messages[0].body, "The stone is warm.");
});

test("keys that are kept elsewhere are never replaced", async (t) => {
  const { profile } = (await bob.get("/me")).body;
  const other = await hostOf(t, bob, "elsewhere");
  for (const [name, args] of [
    ["dm_read", {}],
    ["dm_write", { to: "ada", body: "x" }],
  ] as const) {
    const refused = await other.call(name, args);
    assert.deepEqual([refused.isError, bodyOf(refused).error], [true, "other_keys_published"]);
  }
  assert.deepEqual((await bob.get("/me")).body.profile.capabilities, profile.capabilities);
});

test("changed keys stop a letter until they are accepted, and only those that are shown", async (t) => {
  const [dora, eve] = [await service.register("dora"), await service.register("eve")];
  const [one, two] = [await hostOf(t, dora), await hostOf(t, eve)];
  await two.call("dm_read");
  const write = async () => one.call("dm_write", { to: "eve", body: "Is it you?" });
  assert.equal(bodyOf(await write()).keys, "first_contact");
  assert.equal(bodyOf(await write()).keys, "known");
  await two.call("dm_write", { to: "dora", body: "It is me." });
  const { capabilities } = (await eve.get("/me")).body.profile;
  const elsewhere = capabilities.map((key: string) => key.replace(/:[^:]+$/, `:${"A".repeat(43)}`));
  await eve.post("/profile", { capabilities: elsewhere });

  const refused = await write();
  const { error, published, known, agent_id } = bodyOf(refused);
  assert.deepEqual([refused.isError, error], [true, "keys_changed"]);
  assert.deepEqual([agent_id, published.signing], [eve.agent_id, "A".repeat(43)]);
  assert.equal((await eve.get("/dm?after_id=0")).body.count, 2, "nothing was sent");
  const other = await one.call("dm_keys_accept", { agent_id, ...known });
  assert.deepEqual([other.isError, bodyOf(other).error], [true, "keys_not_published"]);
  await eve.post("/profile", { capabilities });
  assert.equal(bodyOf(await write()).keys, "known");
  await eve.post("/profile", { capabilities: elsewhere });
  assert.equal(bodyOf(await one.call("dm_keys_accept", { agent_id, ...published })).ok, true);
  assert.equal(bodyOf(await write()).error, "no_message_keys", "those of the test are no keys");
  const { messages } = bodyOf(await one.call("dm_read"));
  assert.deepEqual([messages[0].proven, messages[0].body], [false, undefined]);
});

test("a handle that becomes another agent's gets no letter", async (t) => {
  const [frank, gina] = [await service.register("frank"), await service.register("gina")];
  const [one, two] = [await hostOf(t, frank), await hostOf(t, gina)];
  await two.call("dm_read");
  await one.call("dm_write", { to: "gina", body: "First." });
  const store = new DatabaseSync(`${fileOf(frank)}.messages`);
  store.prepare("UPDATE handle SET agent_id = ? WHERE handle = 'gina'").run(ada.agent_id);
  store.close();
  const refused = await one.call("dm_write", { to: "gina", body: "Second." });
  assert.deepEqual([refused.isError, bodyOf(refused).error], [true, "other_agent"]);
  assert.equal((await gina.get("/dm?after_id=0")).body.count, 1, "nothing was sent");
});

test("where letters are sealed, no tool sends a text as it is", async (t) => {
  const [one, two] = [await hostOf(t, ada), await hostOf(t, bob)];
  await two.call("dm_read");
  const before = (await bob.get("/dm?after_id=0&limit=100")).body.count;
  const plain = { to: "bob", box: "Meet me at noon.", body: "Meet me at noon." };
  for (const [name, own] of [
    ["dm_send", "dm_write"],
    ["dm-send", "dm_write"],
    ["cairn__dm_send", "dm_write"],
    ["send_message", "dm_write"],
    ["dm_list", "dm_read"],
  ] as const)
    for (const call of [
      () => one.call(name, plain),
      () => one.call("cairn_call", { name, arguments: plain }),
    ]) {
      const refused = await call();
      assert.equal(refused.isError, true, name);
      assert.match(bodyOf(refused).message, new RegExp(`Call ${own}, which seals and opens`), name);
    }
  assert.equal((await bob.get("/dm?after_id=0&limit=100")).body.count, before);
  const sent = bodyOf(await one.call("dm_write", { to: "@bob", body: "Meet me at noon." }));
  assert.deepEqual([sent.to, sent.sealed], [bob.agent_id, true], "a handle as it is often written");
  const named = bodyOf(await one.call("dm_write", { to: "bob", box: "Meet me at noon." }));
  assert.equal(named.details[0].problem, "is required; send it in place of box");
  const nobody = bodyOf(await one.call("dm_write", { to: "nobody", body: "x" }));
  assert.match(nobody.message, /directory_search lists agents/, "in the names of tools");
});

test("a file of keys that cannot be used is told, and nothing is sent", async (t) => {
  const kim = await service.register("kim");
  writeFileSync(`${fileOf(kim)}.messages`, "This is no database.");
  const host = await hostOf(t, kim);
  const refused = await host.call("dm_write", { to: "bob", body: "x" });
  assert.deepEqual([refused.isError, bodyOf(refused).error], [true, "message_store_failed"]);
  assert.match(bodyOf(refused).message, /cannot be used: ERR_SQLITE_ERROR/);
});

test("a host that wants the network's own tools has them", async (t) => {
  const raw = await hostOf(t, ada, "token", "--raw-messages");
  const names = await raw.tools();
  assert.deepEqual(
    ["dm_send", "dm_list", "dm_write"].filter((name) => names.includes(name)),
    ["dm_send", "dm_list"],
  );
  await assert.rejects(raw.call("dm_write", { to: "bob", body: "x" }), /no such tool/);
});

test("a box that cannot be opened is told with its reason, and a long page is cut", async (t) => {
  const [one, two] = [await hostOf(t, ada), await hostOf(t, bob)];
  const { body: bare } = await ada.post("/dm", { to: "bob", box: "not sealed" });
  for (let n = 0; n < 4; n++)
    await one.call("dm_write", { to: "bob", body: `${n} `.repeat(3_000) });
  const first = await two.call("dm_read", { after_id: bare.id - 1 });
  assert(Buffer.byteLength(first.content[0]?.text ?? "") <= TOOL_ANSWER_MAX_BYTES);
  const { messages, more, after_id } = bodyOf(first);
  assert.deepEqual([messages[0].proven, messages[0].box], [false, "not sealed"]);
  assert.match(messages[0].reason, /./);
  assert.equal(more, true);
  const rest = bodyOf(await two.call("dm_read", { after_id }));
  assert.equal(messages.length + rest.messages.length, 5);
});

test("arguments that do not fit are refused, and nothing is sent", async (t) => {
  const host = await hostOf(t, ada);
  const before = (await bob.get("/dm?after_id=0&limit=100")).body.count;
  for (const [args, error] of [
    [{}, "validation_failed"],
    [{ to: "bob", body: "" }, "validation_failed"],
    [{ to: "bob", body: "ü".repeat(48_000) }, "validation_failed"],
    [{ to: "nobody", body: "x" }, "agent_not_found"],
  ] as const) {
    const refused = await host.call("dm_write", args);
    assert.deepEqual([refused.isError, bodyOf(refused).error], [true, error]);
  }
  const carol = await service.register("carol");
  const unknown = await host.call("dm_write", { to: carol.agent_id, body: "x" });
  assert.equal(bodyOf(unknown).error, "no_message_keys");
  assert.match(bodyOf(unknown).message, /Ask it in public to publish them/);
  assert.equal((await bob.get("/dm?after_id=0&limit=100")).body.count, before);
  assert.equal(existsSync(`${fileOf(carol)}.messages`), false);
});

test("a letter is tried, marked and late like any write", async (t) => {
  const [ines, joel] = [await service.register("ines"), await service.register("joel")];
  const [one, two] = [await hostOf(t, ines), await hostOf(t, joel)];
  await two.call("dm_read"); // Publishes his keys.
  const count = async () => bodyOf(await two.call("dm_read")).count;
  const letter = { to: "joel", body: "The stone is warm." };

  const keysOf = async () => (await ines.get("/me")).body.profile;
  for (const [name, args] of [
    ["dm_write", { ...letter, dry_run: true }],
    ["cairn_call", { name: "dm_write", arguments: letter, dry_run: true }],
  ] as const) {
    const tried = bodyOf(await one.call(name, args));
    const { ok, id, to, sealed, keys, dry_run } = tried;
    assert.deepEqual([ok, id, to, dry_run], [true, null, joel.agent_id, true]);
    assert.deepEqual([sealed, keys], [true, "first_contact"], "a trial makes nobody known");
  }
  assert.deepEqual([await count(), await keysOf()], [0, null], "no letter, and no keys of her own");
  const late = bodyOf(await one.call("dm_write", { ...letter, not_after: 1_000 }));
  assert.deepEqual([late.error, await count()], ["too_late", 0]);

  const marked = { ...letter, client_ref: "m" };
  const first = bodyOf(await one.call("dm_write", marked));
  const again = bodyOf(await one.call("dm_write", marked));
  const other = await hostOf(t, ines);
  const elsewhere = bodyOf(await other.call("dm_write", marked));
  for (const each of [again, elsewhere])
    assert.deepEqual([each.ok, each.repeated, each.id], [true, true, first.id]);
  assert.equal(await count(), 1, "three calls are one letter");
  const tried = bodyOf(await one.call("dm_write", { ...marked, dry_run: true }));
  assert.deepEqual([tried.repeated, tried.id], [true, first.id]);
  const changed = bodyOf(await one.call("dm_write", { ...marked, body: "Cold." }));
  assert.deepEqual([changed.error, await count()], ["client_ref_used", 1]);

  const refused = [
    ["dm_write", { ...letter, budget: 1 }],
    ["dm_write", { ...letter, visibility: "private" }],
    ["dm_read", { dry_run: true }],
    ["cairn_call", { name: "dm_write", arguments: letter, budget: 1 }],
    ["cairn_query", { name: "dm_write", arguments: letter }],
    ["cairn_query", { name: "dm_read" }],
  ] as const;
  for (const [name, args] of refused)
    assert.equal(bodyOf(await one.call(name, args)).error, "validation_failed", name);
  assert.equal(await count(), 1);
});
