import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { SIGNED_TOOLS } from "../../src/cli/mcp/acts.ts";
import { toolName } from "../../src/surfaces/mcp/tools/tools.ts";
import { CAIRN, runCairn } from "../process.ts";
import { OF_THIS_MACHINE, openTestService } from "../service.ts";
import { INFO, seenAs, type ToolResult } from "./clients.ts";

/** The bridge adds three tools that seal and open messages, and leaves out two. */
const LOCAL = 1;
/** What the network lists of itself. */
const USUAL = 26;

const folder = mkdtempSync(join(tmpdir(), "cairn-stdio-"));
let service: Awaited<ReturnType<typeof openTestService>>;
let files = 0;

before(async () => {
  // A bridge signs by its own clock.
  service = await openTestService("sqlite", "stdio", {}, { clock: OF_THIS_MACHINE });
});
after(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const ELSEWHERE = "nano_3i1aq1cchnmbn9x5rsbap8b15akfh7wj7pwskuzi7ahz8oq6cobd99d4r3b7";

const newFile = () => join(folder, "made", `token-${++files}`);
const commandFor = (file: string, ...more: string[]) => ({
  command: process.execPath,
  args: [CAIRN, "mcp", "--url", service.url, "--token-file", file, ...more],
  cwd: join(import.meta.dirname, "../.."),
});

/** A host with its connection, which ends with the test. */
async function openStdio(
  t: TestContext,
  file: string,
  mode: "auto" | "legacy" | { pin: string } = "auto",
  ...more: string[]
) {
  const changed = Promise.withResolvers<void>();
  const listChanged = {
    tools: { onChanged: () => changed.resolve(), autoRefresh: false, debounceMs: 0 },
  };
  const client = new Client(INFO, { versionNegotiation: { mode }, listChanged });
  t.after(() => client.close());
  await client.connect(new StdioClientTransport(commandFor(file, ...more)));
  return { client, ...seenAs(client), changed: changed.promise };
}

const bodyOf = ({ content }: ToolResult) => JSON.parse(content[0]?.text ?? "");

for (const mode of ["auto", "legacy", { pin: "2026-07-28" }] as const) {
  test(`a host registers, and then has every tool: ${JSON.stringify(mode)}`, async (t) => {
    const file = newFile();
    const host = await openStdio(t, file, mode);
    assert.equal(host.era, mode === "legacy" ? "legacy" : "modern");
    assert.deepEqual(await host.tools(), ["network_read", "identity_register"]);
    assert.deepEqual((await host.client.listResources()).resources, []);
    const limits = bodyOf(await host.call("network_read", { document: "limits", about: "feed" }));
    assert.deepEqual(limits, (await service.get("/limits?about=feed")).body);
    assert.equal(bodyOf(await host.call("network_read", { document: "limits" })).more, true);
    const diary = bodyOf(await host.call("network_read", { document: "diary" }));
    assert.deepEqual([diary.error, diary.details[0].field], ["validation_failed", "document"]);
    await assert.rejects(host.call("post_create", { body: "Hello." }), /identity_register/);

    const made = await host.call("identity_register", { handle: `host-${files}` });
    const token = readFileSync(file, "utf8").trim();
    assert.match(token, /^sk_[0-9a-f]{48}$/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal(made.structuredContent.handle, `host-${files}`);
    assert.deepEqual(made.structuredContent.challenge, { sent: true, solved: true });
    assert.equal(JSON.stringify(made).includes(token.slice(0, 12)), false);

    assert.equal((await host.tools()).length, USUAL + LOCAL);
    assert.equal(bodyOf(await host.call("me_get")).handle, `host-${files}`);
    const posted = await host.call("post_create", { body: "Hello from a host." });
    assert.equal(posted.structuredContent.post.body, "Hello from a host.");
    await host.changed;
  });
}

test("the client of the first generation registers and works the same way", async (t) => {
  const client = new FirstClient(INFO);
  t.after(() => client.close());
  const transport = new FirstTransport(commandFor(newFile(), "--handle", "by-option"));
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  let changes = 0;
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++);
  const made = await client.callTool({ name: "identity_register", arguments: {} });
  assert.equal((made as ToolResult).structuredContent.handle, "by-option");
  assert.equal(changes, 1);
  assert.equal((await client.listTools()).tools.length, USUAL + LOCAL);
});

test("an agent with an act key signs what it does, and its key is never shown", async (t) => {
  const file = newFile();
  const { client, call } = await openStdio(t, file, "auto", "--act-key");
  const made = bodyOf(await call("identity_register", { handle: "signer" }));
  assert.equal(made.key.n, 1);
  const { seed, agent_id } = JSON.parse(readFileSync(`${file}.key`, "utf8"));
  assert.equal(agent_id, made.agent_id);
  assert.equal(statSync(`${file}.key`).mode & 0o777, 0o600);
  assert.ok(!JSON.stringify(made).includes(seed));
  const address = "nano_1ipx847tk8o46pwxt5qjdbncjqcbwcc1rrmqnkztrfjy5k7z4imsrata9est";
  const name = "market_payout_address_set";
  const set = bodyOf(await call("cairn_call", { name, arguments: { address } }));
  assert.equal(set.ok, true, JSON.stringify(set));
  await client.close();
  const ledger = JSON.parse(readFileSync(`${file}.key.ledger`, "utf8"));
  assert.deepEqual([ledger.epoch, ledger.key, ledger.act], [1, 1, 2]);
  assert.equal(statSync(`${file}.key.ledger`).mode & 0o777, 0o600);
  const strangers = { ...ledger, genesis: "0".repeat(64) };
  writeFileSync(`${file}.key.ledger`, JSON.stringify(strangers));
  const strange = await openStdio(t, file, "auto", "--act-key");
  const lied = bodyOf(
    await strange.call("cairn_call", { name, arguments: { address: ELSEWHERE } }),
  );
  assert.equal(lied.error, "unasked_act", JSON.stringify(lied));
  await strange.client.close();
  writeFileSync(`${file}.key.ledger`, JSON.stringify(ledger));

  const again = await openStdio(t, file, "auto", "--act-key");
  const poor = bodyOf(await again.call("coin_send", { to: made.agent_id, amount: "1" }));
  assert.notEqual(poor.error, "act_unsigned", "every other reason is told first");
  await service.sequenced();
  const { body } = await service.get("/since?kinds=payout_address,agent_key&with=entry");
  const signed = body.entries.filter(({ body: { agent } }: never) => agent === made.agent_id);
  assert.deepEqual(
    signed.map(({ kind, body: { act_signature, signature } }: never) => [
      kind,
      (act_signature ?? signature) !== undefined,
    ]),
    [
      ["agent_key", true],
      ["payout_address", true],
    ],
  );

  const plain = newFile();
  const { call: other } = await openStdio(t, plain);
  await other("identity_register", {});
  const { code, err } = await runCairn([
    "mcp",
    "--url",
    service.url,
    "--token-file",
    plain,
    "--act-key",
  ]);
  assert.equal(code, 2);
  assert.match(err, /has no act key/);
});

test("every act that a key signs is signed here", () => {
  const tools = service.service.registry
    .filter((operation) => "act_signature" in operation.input.shape && !operation.noTool)
    .map(toolName);
  assert.deepEqual([...SIGNED_TOOLS.keys()].sort(), tools.sort());
});

test("with a token everything is passed on: resources, prompts, completions, refusals", async (t) => {
  const ada = await service.register("ada");
  const file = join(folder, "ada");
  writeFileSync(file, `${ada.token}\n`);
  const { client, call } = await openStdio(t, file);
  assert.match(client.getInstructions() ?? "", /^Cairn is a free/);
  assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 18);
  const uri = "cairn://skill.md";
  const [skill] = (await client.readResource({ uri })).contents;
  const served = await (await fetch(`${service.url}/api/v1/skill.md`)).text();
  assert.equal(skill && "text" in skill && skill.text, served);
  await assert.rejects(client.readResource({ uri: "cairn://agent/ünknown" }), /no such resource/);
  assert.equal((await client.listPrompts()).prompts.length, 3);
  assert.equal((await client.getPrompt({ name: "first_steps" })).messages.length, 1);
  const ref = { type: "ref/prompt" as const, name: "first_steps" };
  const { completion } = await client.complete({ ref, argument: { name: "outcome", value: "v" } });
  assert.deepEqual(completion.values, ["void"]);
  const refused = await call("claim_get", { id: 999 });
  assert.deepEqual([refused.isError, bodyOf(refused).error], [true, "claim_not_found"]);
  await assert.rejects(call("identity_register"), /no such tool/);

  await ada.post("/token/rotate");
  const ended = await call("me_get");
  assert.equal(ended.isError, true);
  assert.match(bodyOf(ended).message, /was replaced by .* still the same agent/);
});

test("a registration that fails leaves no file behind, and an existing file is never touched", async (t) => {
  await service.register("taken");
  const file = newFile();
  const host = await openStdio(t, file);
  const fails = async (args: object) => bodyOf(await host.call("identity_register", { ...args }));
  assert.equal((await fails({ handle: "taken" })).error, "handle_taken");
  assert.equal((await fails({ handle: "Not a handle" })).error, "validation_failed");
  assert.equal(existsSync(file), false);
  writeFileSync(file, "precious");
  assert.equal((await fails({})).error, "token_file_exists");
  assert.equal(readFileSync(file, "utf8"), "precious");
});

test("a network that is away is told as a refusal, and the host goes on", async (t) => {
  const file = join(folder, "away");
  writeFileSync(file, `sk_${"0".repeat(48)}`);
  const client = new Client(INFO, { versionNegotiation: { mode: "auto" } });
  t.after(() => client.close());
  const { args, ...command } = commandFor(file);
  const away = args.map((arg) => (arg === service.url ? "http://127.0.0.1:9" : arg));
  await client.connect(new StdioClientTransport({ ...command, args: away }));
  const refused = (await client.callTool({ name: "me_get", arguments: {} })) as ToolResult;
  assert.deepEqual([refused.isError, bodyOf(refused).error], [true, "unreachable"]);
});

test("nothing but messages of the protocol is on standard output, and the end of input ends it", async () => {
  const { command, args, cwd } = commandFor(newFile());
  const child = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "ignore"] });
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
    if (out.split("\n").length > 2) child.stdin.end();
  });
  const ended = once(child, "close");
  child.stdin.write('nonsense\n{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
  child.stdin.write('{"jsonrpc":"2.0","id":2,"method":"dance"}\n');
  assert.deepEqual(await ended, [0, null]);
  const lines = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ jsonrpc, id }) => [jsonrpc, id]),
    [
      ["2.0", 1],
      ["2.0", 2],
    ],
  );
});

test("a host that ends its input at once still gets the answers to what it asked", async () => {
  const ada = await service.register("hasty");
  const file = join(folder, "hasty");
  writeFileSync(file, ada.token);
  const { command, args, cwd } = commandFor(file);
  const child = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
  let out = "";
  child.stdout.on("data", (chunk) => (out += chunk));
  const ended = once(child, "close");
  const asked = ["network_read", "me_get", "me_get"].map((name, id) => {
    const params = { name, arguments: name === "me_get" ? {} : { document: "mission" } };
    return `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params })}\n`;
  });
  child.stdin.end(asked.join(""));
  assert.deepEqual(await ended, [0, null]);
  const ids = out.match(/"id":\d/g);
  assert.deepEqual(ids?.sort(), ['"id":0', '"id":1', '"id":2']);
});

test("a trial beside the arguments of a call, or in its _meta, is no write", async () => {
  const ada = await service.register();
  const file = newFile();
  writeFileSync(file, ada.token);
  const { command, args, cwd } = commandFor(file);
  const child = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
  let out = "";
  child.stdout.on("data", (chunk) => (out += chunk));
  const ended = once(child, "close");
  const call = { name: "post_create", arguments: { body: "Beside." } };
  const tried = { dry_run: true };
  const asked = [tried, { _meta: tried }].map((beside, id) => {
    const params = { ...call, ...beside };
    return `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params })}\n`;
  });
  child.stdin.end(asked.join(""));
  assert.deepEqual(await ended, [0, null]);
  assert.match(out, /stands beside `arguments`/);
  assert.match(out, /stands in `_meta`/);
  const { posts } = (await service.get("/feed")).body;
  assert.ok(!posts.some(({ body }: { body: string }) => body === "Beside."));
});

test("a host that listens is not waited for, and the end is no fault", async () => {
  const { command, args, cwd } = commandFor(newFile());
  const child = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
  const [ended, listening] = [once(child, "close"), once(child.stdout, "data")];
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": INFO,
  };
  const params = { notifications: { toolsListChanged: true }, _meta };
  const method = "subscriptions/listen";
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`);
  assert.match(String((await listening)[0]), /notifications\/subscriptions\/acknowledged/);
  child.stdin.end();
  assert.deepEqual(await ended, [0, null]);
});

test("without --token-file the token is among the user's state", async () => {
  const child = spawn(process.execPath, [CAIRN, "mcp", "--url", service.url], {
    cwd: join(import.meta.dirname, "../.."),
    env: { ...process.env, XDG_STATE_HOME: folder },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const params = { name: "identity_register", arguments: {} };
  child.stdin.end(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`);
  assert.deepEqual(await ended, [0, null]);
  const place = service.url.replace("http://", "").replace(":", "_");
  const file = join(folder, "cairn", place, "token");
  assert.match(readFileSync(file, "utf8"), /^sk_[0-9a-f]{48}\n$/);
  assert.equal(statSync(join(folder, "cairn", place)).mode & 0o777, 0o700);
});

test("wrong arguments are explained", async () => {
  const file = join(folder, "none");
  writeFileSync(file, "no token\n");
  for (const [args, sentence] of [
    [[], /--url/],
    [["--url", "cairn.example", "--token-file", file], /--url/],
    [["--url", service.url, "--token-file", file], /holds no token/],
    [["--url", service.url, "--token-file", file, "--handle", "A b"], /--handle/],
    [["--wallet"], /--wallet/],
  ] as const) {
    const { code, out, err } = await runCairn(["mcp", ...args]);
    assert.deepEqual([code, out], [2, ""]);
    assert.match(err, sentence);
  }
  const { code, out } = await runCairn(["mcp", "--help"]);
  assert.deepEqual([code, out.startsWith("usage: cairn mcp")], [0, true]);
});

test("a byte order mark before the first message, and a wrong version, are answered", async (t) => {
  const { command, args, cwd } = commandFor(newFile());
  const host = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => host.kill());
  const begin = (id: number, protocolVersion: unknown) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: INFO };
    return `${JSON.stringify({ jsonrpc: "2.0", id, method: "initialize", params })}\n`;
  };
  const text = Buffer.from(`\ufeff${begin(1, null)}${begin(2, "2025-06-18")}`);
  for (const part of [text.subarray(0, 2), text.subarray(2)]) {
    host.stdin.write(part);
    await setTimeout(50);
  }
  host.stdin.end();
  let answered = "";
  for await (const chunk of host.stdout) answered += chunk;
  const [first, second] = answered
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual([first.id, first.error.code], [1, -32_602]);
  assert.deepEqual([second.id, second.result.protocolVersion], [2, "2025-06-18"]);
});
