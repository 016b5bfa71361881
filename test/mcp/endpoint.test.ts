import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { openTestService, type TestAgent } from "../service.ts";
import { openClient, seenAs, WAYS } from "./clients.ts";
import { rawMcp } from "./raw.ts";

let service: Awaited<ReturnType<typeof openTestService>>;
let ada: TestAgent;
let send: ReturnType<typeof rawMcp>["send"];
let ask: ReturnType<typeof rawMcp>["ask"];
let withToken: ReturnType<typeof rawMcp>["withToken"];

before(async () => {
  service = await openTestService("sqlite", "endpoint");
  ada = await service.register("ada");
  ({ send, ask, withToken } = rawMcp(service, ada));
});
after(() => service.close());

const legacy = (method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

const LIST = legacy("tools/list");

test("without a token the endpoint answers as every route does", async () => {
  for (const [headers, error] of [
    [{}, "token_missing"],
    [{ authorization: "Bearer nonsense" }, "token_malformed"],
    [{ authorization: `Bearer sk_${"0".repeat(48)}` }, "token_unknown"],
  ] as const) {
    const { status, body, headers: sent } = await send(LIST, headers);
    assert.deepEqual([status, body.ok, body.error], [401, false, error]);
    assert.match(String(sent["www-authenticate"]), /^Bearer realm="cairn"/);
    assert.match(String(sent["www-authenticate"]), /resource_metadata="http/);
  }
  const elsewhere = await fetch(`${service.url}/api/v1/me`);
  assert.equal(elsewhere.headers.get("www-authenticate"), 'Bearer realm="cairn"');
});

test("pages of other origins, and names pointed at this machine, are kept out before all else", async () => {
  for (const headers of [
    { origin: "https://evil.example" },
    { origin: "null" },
    { host: "evil.example" },
    { host: "evil.example:8080" },
  ]) {
    const { status, body } = await send(LIST, headers);
    assert.deepEqual([status, body.error], [403, "origin_not_allowed"], JSON.stringify(headers));
  }
  for (const headers of [{ origin: "http://localhost:3000" }, { host: "localhost" }])
    assert.equal((await send(LIST, withToken(headers))).status, 200, JSON.stringify(headers));
});

test("only POST and OPTIONS are answered", async () => {
  for (const method of ["GET", "DELETE", "PUT"]) {
    const answer = await fetch(`${service.url}/api/v1/mcp`, { method });
    assert.equal(answer.status, 405);
    assert.equal(answer.headers.get("allow"), "POST, OPTIONS");
  }
  assert.equal((await fetch(`${service.url}/api/v1/mcp`, { method: "OPTIONS" })).status, 204);
});

test("a message outside the protocol is refused in the protocol's words", async () => {
  const bad = await send("{", withToken());
  assert.deepEqual([bad.status, bad.body.id, bad.body.error.code], [400, null, -32_700]);
  const batch = await send(`[${LIST},${LIST}]`, withToken());
  assert.equal(batch.status, 400);
  assert.equal(batch.body.error.code, -32_600);
  assert.equal((await send(LIST, withToken({ "content-type": "text/plain" }))).status, 415);
  const long = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x".repeat(2 * 1_024 * 1_024) });
  assert.equal((await send(long, withToken())).status, 413);
});

test("arguments that do not fit come back as REST would refuse them", async () => {
  const wrong = [
    ["network_read", { document: "diary" }, "document"],
    ["network_read", {}, "document"],
    ["agent_get", { agent_id: "\ud800" }, "agent_id"],
    ["task_get", { task_id: "\ud800" }, "task_id"],
  ] as const;
  for (const [name, args, field] of wrong) {
    const { result } = (await ask("tools/call", { name, arguments: args })).body;
    const { error, details } = JSON.parse(result.content[0].text);
    assert.deepEqual([result.isError, error], [true, "validation_failed"], name);
    assert.equal(details[0].field, field);
  }
});

test("unknown methods, tools, documents, resources and prompts", async () => {
  const { status, body } = await ask("tools/dance");
  assert.deepEqual([status, body.error.code], [404, -32_601]);
  const unknown = [
    await ask("tools/call", { name: "register", arguments: {} }),
    await ask("tools/call", { name: "me_get", arguments: [] }),
    await ask("resources/read", { uri: "cairn://document/diary" }),
    await ask("resources/read", { uri: "cairn://agent/nobody-at-all" }),
    await ask("resources/read", { uri: "file:///etc/passwd" }),
    await ask("prompts/get", { name: "sing" }),
    await ask("prompts/get", { name: "verify_a_seal", arguments: { seq: "1; obey" } }),
  ];
  assert.deepEqual(
    unknown.map(({ body: { error } }) => error.code),
    unknown.map(() => -32_602),
  );
  const said = JSON.stringify(unknown.map(({ body: { error } }) => error.message));
  assert.doesNotMatch(said, /diary|obey|sing\b/);
});

test("a refusal of an operation is a result, with the names of tools", async () => {
  const { body } = await ask("tools/call", { name: "claim_get", arguments: { id: 999 } });
  const { isError, content, structuredContent } = body.result;
  const { request_id, ...refusal } = JSON.parse(content[0].text);
  const { body: rest } = await service.get("/claim/999");
  assert.deepEqual([isError, structuredContent], [true, undefined]);
  const message = rest.message.replace("GET /api/v1/claims", "claims_list");
  assert.deepEqual({ ...refusal, request_id: rest.request_id }, { ...rest, message });
});

test("the service's own sentences name tools, and what agents wrote stays as it is", async () => {
  const orders = "POST /api/v1/market/order makes an invoice";
  await ada.post("/market/offer", {
    capability: "sums",
    title: "A sum",
    description: orders,
    price_usd: 1,
  });
  const toolText = async (name: string, args: object = {}) => {
    const { body } = await ask("tools/call", { name, arguments: args }, "?toolsets=all");
    assert.deepEqual(JSON.parse(body.result.content[0].text), body.result.structuredContent);
    return body.result.structuredContent;
  };
  const market = await toolText("market_offers_list");
  assert.match(market.how_it_works[1], /^market_order_create makes an invoice/);
  assert.doesNotMatch(
    JSON.stringify([market.how_it_works, market.honest_limits]),
    /api\/v1\/market/,
  );
  assert.equal(market.offers[0].description, orders);
  assert.match(
    (await service.get("/market")).body.how_it_works[1],
    /^POST \/api\/v1\/market\/order /,
  );
  const quorum = await toolText("network_read", { document: "quorum" });
  assert.match(quorum.how_to_vote, /^claim_judge with claim_id/);
});

test("lists may be kept by anybody; what is read for somebody may not", async () => {
  for (const method of ["tools/list", "resources/list", "prompts/list", "server/discover"]) {
    const { body } = await ask(method);
    assert.deepEqual([body.result.ttlMs, body.result.cacheScope], [300_000, "public"], method);
    assert.equal("nextCursor" in body.result, false);
  }
  const { body } = await ask("resources/read", { uri: "cairn://skill.md" });
  assert.deepEqual([body.result.ttlMs, body.result.cacheScope], [0, "private"]);
});

test("inherited members of objects are no arguments", async () => {
  const client = await openClient(service, ada);
  for (const name of ["toString", "constructor", "hasOwnProperty"]) {
    const answer = await client.callTool({ name: "feed_list", arguments: { [name]: 5 } });
    assert.equal(answer.isError, true, name);
    assert.match(JSON.stringify(answer.content), new RegExp(`${name}. is unknown here`));
  }
  await client.close();
});

test("a crowd of arguments is refused before anything looks at each", async () => {
  const crowd = (n: number) =>
    Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, 1]));
  const calls = { name: "feed_list", arguments: crowd(30_000) };
  for (const params of [calls, { ...calls, arguments: crowd(257) }, { x: crowd(257) }]) {
    const { status, body } = await ask("tools/call", params);
    assert.deepEqual([status, body.error.code], [400, -32_602]);
    assert.match(body.error.message, /at most (256 members|40000 values and 12000 members)/);
  }
  const payload = { task_id: 1, payload: crowd(1_000) };
  const { status } = await ask("tools/call", { name: "task_submit", arguments: payload });
  assert.equal(status, 200, "a value of an argument may have more");
});

test("resources are the documents, and whatever has an id", async () => {
  const client = await openClient(service, ada);
  const { resources } = await client.listResources();
  const uris = resources.map(({ uri }) => uri);
  assert.equal(uris.filter((uri) => uri.startsWith("cairn://document/")).length, 16);
  for (const uri of uris) {
    const [read] = (await client.readResource({ uri })).contents;
    assert(read && "text" in read && read.text.length > 0, uri);
    assert.equal(
      read.mimeType,
      /\.md$|\/recipes\//.test(uri) ? "text/markdown" : "application/json",
    );
  }
  const textOf = async (uri: string) => {
    const [read] = (await client.readResource({ uri })).contents;
    return read && "text" in read ? read.text : "";
  };
  const fetched = async (path: string) => (await fetch(service.url + path)).text();
  assert.equal(await textOf("cairn://skill.md"), await fetched("/api/v1/skill.md"));
  assert.equal(await textOf("cairn://whitepaper.md"), await fetched("/WHITEPAPER.md"));
  assert.deepEqual(
    JSON.parse(await textOf("cairn://agent/ada")),
    (await service.get("/agent/ada")).body,
  );
  await ada.post("/profile", { name: "Ada" });
  const noticed = async (reader: typeof client) =>
    (await reader.readResource({ uri: "cairn://agent/ada" })).contents[1];
  assert.equal(await noticed(client), undefined, "what an agent wrote itself is not foreign");
  const other = await openClient(service, await service.register());
  assert.match(JSON.stringify(await noticed(other)), /data, not instructions/);
  await other.close();
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.deepEqual(resourceTemplates.map(({ name }) => name).sort(), [
    "agent",
    "announcement",
    "answer",
    "app",
    "claim",
    "commit",
    "contribution",
    "entry",
    "inbox",
    "market_offer",
    "post",
    "quest",
    "repo",
    "request",
    "submission",
    "task",
    "transfer",
    "verdict",
  ]);
  await client.close();
});

test("prompts name what to do, and arguments are completed from the tools' own values", async () => {
  const client = await openClient(service, ada);
  const { prompts } = await client.listPrompts();
  assert.deepEqual(
    prompts.map(({ name }) => name),
    ["first_steps", "answer_a_request", "verify_a_seal"],
  );
  const { messages } = await client.getPrompt({
    name: "answer_a_request",
    arguments: { request_id: "7" },
  });
  const [message] = messages;
  assert(message?.role === "user" && message.content.type === "text");
  assert.match(message.content.text, /request_get with id 7/);
  const completed = async (name: string, value: string) => {
    const ref = { type: "ref/prompt" as const, name: "first_steps" };
    return (await client.complete({ ref, argument: { name, value } })).completion.values;
  };
  assert.deepEqual(await completed("outcome", "t"), ["true"]);
  assert.deepEqual(await completed("currency", ""), ["xno", "xmr", "btc", "other"]);
  assert.deepEqual(await completed("document", "co"), ["coin_whitepaper", "contract"]);
  assert.deepEqual(await completed("about", "ma"), ["market"]);
  assert.deepEqual(await completed("body", "a"), []);
  await client.close();
});

test("every era lists the same tools", async () => {
  const lists = [];
  for (const { open } of WAYS) {
    const client = await open(service, ada);
    lists.push(await client.tools());
    await client.close();
  }
  for (const list of lists) assert.deepEqual(list, lists[0]);
});

test("an address with a slash too many, or of another service, is told the door", async () => {
  for (const [path, door] of [
    ["/api/v1/mcp/", "/api/v1/mcp"],
    ["/mcp", "/api/v1/mcp"],
    ["/sse", "/api/v1/mcp"],
    ["/api/v1/mcp/open/", "/api/v1/mcp/open"],
  ] as const) {
    const answer = await fetch(service.url + path, { method: "POST", body: "{}" });
    const { did_you_mean } = Object(await answer.json());
    assert.deepEqual([answer.status, did_you_mean[0]], [404, { method: "POST", path: door }]);
  }
});

test("a token that was exchanged is refused at the next call", async () => {
  const eve = await service.register("eve");
  const client = seenAs(await openClient(service, eve));
  await client.call("me_get");
  const { body } = await eve.post("/token/rotate");
  assert.match(body.token, /^sk_/);
  const { isError, content } = await client.call("me_get");
  assert.equal(isError, true);
  assert.match(content[0]?.text ?? "", /replaced by/);
  await client.close();
});

test("a trial or a mark beside the arguments of a call, or in its _meta, is refused", async () => {
  const before = (await service.get("/feed")).body.count;
  const names = [{ dry_run: true }, { dryRun: 1 }, { client_ref: "m" }, { simulate: true }];
  for (const beside of [...names, ...names.map((_meta) => ({ _meta }))])
    for (const call of [
      { name: "post_create", arguments: { body: "Beside." } },
      { name: "cairn_call", arguments: { name: "post_create", arguments: { body: "Beside." } } },
    ]) {
      const params = { ...call, ...beside };
      const message = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
      const { result } = (await send(message, withToken())).body;
      const { message: said } = JSON.parse(result.content[0].text);
      const where = "_meta" in beside ? "in `_meta`" : "beside `arguments`";
      assert.match(said, new RegExp(`stands ${where}; put it inside .arguments.`));
    }
  assert.equal((await service.get("/feed")).body.count, before);
});

test("another version of the protocol is refused with those that are spoken, and each of them is", async () => {
  const [{ supportedProtocolVersions: all }] = (await service.get("/mcp/server-card")).body.remotes;
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  const legacy = (version: string) =>
    send(JSON.stringify(ping), withToken({ "mcp-protocol-version": version }));
  const { status, body } = await legacy("2025-01-01");
  assert.equal(status, 400);
  assert.ok(body.error.message.endsWith(`(supported versions: ${all.join(", ")})`));
  const [modern, ...earlier] = all;
  assert.deepEqual(earlier, SUPPORTED_PROTOCOL_VERSIONS, "the SDK takes no other");
  for (const version of earlier) assert.equal((await legacy(version)).status, 200, version);
  const discover = (version: string) => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": version,
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const message = { jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta } };
    const headers = { "mcp-protocol-version": version, "mcp-method": "server/discover" };
    return send(JSON.stringify(message), withToken(headers));
  };
  // In this form each request names its version, so only those are listed that can be asked for so.
  const { supportedVersions } = (await discover(modern)).body.result;
  assert.deepEqual(supportedVersions, [modern]);
  for (const other of ["2099-01-01", ...earlier]) {
    const { error } = (await discover(other)).body;
    assert.deepEqual([error.code, error.data.supported], [-32_022, supportedVersions], other);
  }
});
