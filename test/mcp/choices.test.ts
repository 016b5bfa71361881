import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { operationIdOf } from "../../src/platform/kernel/contract/calls.ts";
import { toolSets } from "../../src/surfaces/mcp/tools/tool-set.ts";
import { registry } from "../registry.ts";
import { openTestService } from "../service.ts";
import { rawMcp } from "./raw.ts";

let service: Awaited<ReturnType<typeof openTestService>>;
let ask: ReturnType<typeof rawMcp>["ask"];

before(async () => {
  service = await openTestService("sqlite", "choices");
  ({ ask } = rawMcp(service, await service.register("ada")));
});
after(() => service.close());

test("toolsets and readonly narrow what is listed and what can be called", async () => {
  const listed = async (query: string) => {
    const { body } = await ask("tools/list", {}, query);
    return body.result.tools;
  };
  const all = await listed("?toolsets=all");
  const usual = await listed("");
  assert.ok(usual.length < all.length / 2, `${usual.length} of ${all.length} are the default set`);
  const market = await listed("?toolsets=market,coin");
  assert.deepEqual(
    market.map(({ name }: { name: string }) => name.replace(/_.*/, "")).sort(),
    ["network", "item", "cairn", ...Array(4).fill("coin"), ...Array(13).fill("market")].sort(),
  );
  assert.deepEqual(await listed("?toolsets=market,%20coin"), market);
  const readOnly = await listed("?toolsets=all&readonly=1");
  assert.deepEqual(await listed("?toolsets=all&readonly=true"), readOnly, "any yes is one");
  for (const no of ["0", "false", "No", "off"])
    assert.deepEqual(await listed(`?readonly=${no}`), usual);
  assert(readOnly.length > 20 && readOnly.length < all.length);
  for (const { annotations } of readOnly) assert.equal(annotations.readOnlyHint, true);
  const names = (await listed("?toolsets=")).map(({ name }: { name: string }) => name);
  assert.deepEqual(
    names.sort(),
    ["cairn_get", "item_get", "network_read"],
    "no toolset is one, too",
  );
  const posted = { name: "post_create", arguments: { body: "Hello." } };
  const refused = await ask("tools/call", posted, "?readonly=1");
  assert.equal(refused.body.error.code, -32_602);
});

test("unknown words in the address are refused with those that there are", async () => {
  for (const [query, field, words] of [
    ["?toolsets=zzz", "toolsets", ["market", "coin", "feed"]],
    ["?toolsets=market,zzz", "toolsets", ["market", "coin", "feed"]],
    ["?schema=zzz", "schema", ["full", "simple"]],
    ["?readonly=zzz", "readonly", ["1", "true", "off"]],
    ["?readonly=y", "readonly", ["yes"]],
    ["?readonly=%20", "readonly", ["yes"]],
    ["?readonly=0&readonly=1", "readonly", ["twice"]],
    ["?readonly=1&readonly=1", "readonly", ["twice"]],
    ["?schema=full&schema=simple", "schema", ["twice"]],
    ["?toolsets=coin&toolsets=market", "toolsets", ["twice"]],
    ["?readOnly=1", "readOnly", ["readonly"]],
    ["?read_only=1", "read_only", ["readonly"]],
  ] as const) {
    const { status, body } = await ask("tools/list", {}, query);
    assert.deepEqual(
      [status, body.error, body.details[0].field],
      [422, "validation_failed", field],
    );
    for (const word of words) assert(body.details[0].problem.includes(word), query);
    assert.equal(JSON.stringify(body).includes("zzz"), false);
  }
});

test("unknown tools and prompts are told the near ones, and arguments their name", async () => {
  const refusals = [
    ["tools/call", { name: "create_post", arguments: {} }, /Did you mean post_create\?/],
    ["tools/call", { name: "post_reply", arguments: {} }, /Did you mean post_create\?/],
    ["tools/call", { name: "mcp__cairn__vote", arguments: {} }, /Did you mean claim_judge\?/],
    ["tools/call", { name: "post_delete", arguments: {} }, /Nothing that is public can be/],
    ["tools/call", { name: "search", arguments: {} }, /Did you mean search_find\?/],
    ["tools/call", { name: "claim_list", arguments: {} }, /Did you mean claims_list\?/],
    [
      "tools/call",
      { name: "squirrel", arguments: {} },
      /^There is no such tool\. cairn_tools finds/,
    ],
    ["prompts/get", { name: "first_step" }, /Did you mean first_steps\?/],
    ["prompts/get", { name: "verify_a_seal" }, /The argument seq must be a positive integer/],
    ["prompts/get", { name: "verify_a_seal", arguments: { seq: "x" } }, /The argument seq /],
  ] as const;
  for (const [method, params, message] of refusals) {
    const { body } = await ask(method, params);
    assert.equal(body.error.code, -32_602);
    assert.match(body.error.message, message);
  }
});

test("a name of something that is read leads to a tool that reads it", () => {
  const set = toolSets(registry)(new URLSearchParams(), false);
  const writes = set.callable.filter(({ annotations }) => annotations.readOnlyHint !== true);
  const names = new Set(writes.map(({ name }) => name));
  const led = (name: string) => /Did you mean (.*?)\?/.exec(set.refusal(name))?.[1] ?? "";
  const reads = registry.filter(({ method, tool }) => method === "GET" && tool === undefined);
  const asked = [
    ...reads.map(operationIdOf),
    "get_post",
    "posts_read",
    "read_orders",
    "list_stones",
  ];
  for (const name of asked) {
    const words = led(name).match(/[a-z]+(?:_[a-z]+)+/g) ?? [];
    assert.deepEqual(
      words.filter((word) => names.has(word)),
      [],
      name,
    );
  }
  for (const [name, way] of [
    ["post_get", "cairn_get with kind post"],
    ["getPost", "cairn_get with kind post"],
    ["read_transfer", "cairn_get with kind transfer"],
    ["repository_get", "cairn_get with kind repo"],
    ["claims_quorum", "network_read with document quorum"],
    ["stats_get", "network_read with document stats"],
    ["post_replies_list", "item_get with kind post_replies"],
    ["list_posts", "feed_list"],
    ["weather_get", ""],
  ] as const)
    assert.equal(led(name), way, name);
  const narrowed = toolSets(registry)(new URLSearchParams("toolsets=coin"), false);
  assert.match(narrowed.refusal("claims_quorum"), /network_read with document quorum/);
});

test("wrong parameters are -32602 and named, in both eras, and no list takes a cursor", async () => {
  const { send, withToken } = rawMcp(service, await service.register());
  const legacy = async (method: string, params: object) => {
    const message = { jsonrpc: "2.0", id: 1, method, params };
    return (await send(JSON.stringify(message), withToken())).body;
  };
  const init = { capabilities: {}, clientInfo: { name: "c", version: "1" } };
  for (const version of [null, 20250618, {}]) {
    const { error } = await legacy("initialize", { ...init, protocolVersion: version });
    const message = "The parameters do not fit the method: look at params.protocolVersion.";
    assert.deepEqual(error, { code: -32_602, message });
  }
  for (const method of ["completion/complete", "resources/read", "prompts/get", "tools/call"]) {
    for (const { error } of [await legacy(method, {}), (await ask(method)).body]) {
      assert.equal(error.code, -32_602, method);
      assert.match(
        error.message,
        /^The parameters do not fit the method: look at params\./,
        method,
      );
    }
  }
  for (const method of [
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
  ]) {
    const cursor = { cursor: "abc" };
    for (const { error } of [await legacy(method, cursor), (await ask(method, cursor)).body])
      assert.equal(error.code, -32_602, method);
    assert.equal((await legacy(method, { cursor: "" })).error, undefined, method);
  }
});
