import assert from "node:assert/strict";
import { test } from "node:test";
import { finderOf } from "../../src/surfaces/mcp/tools/finding.ts";
import { foundFor } from "../../src/surfaces/mcp/tools/more-tools.ts";
import { isEnding, TOOL_ALIASES, TOOL_RECORDS } from "../../src/surfaces/mcp/tools/tool-records.ts";
import { toolSets } from "../../src/surfaces/mcp/tools/tool-set.ts";
import type { Tool } from "../../src/surfaces/mcp/tools/tools.ts";
import { none, within } from "../limits.ts";
import { registry } from "../registry.ts";
import { eachEngine } from "../service.ts";
import intents from "./intents.json" with { type: "json" };
import blind from "./intents-blind.json" with { type: "json" };
import keptBack from "./intents-kept-back.json" with { type: "json" };
import { rawMcp } from "./raw.ts";

const sets = toolSets(registry);
const listed = (query: string) => sets(new URLSearchParams(query), true).listed;
const usual = listed("");
const all = listed("toolsets=all");
const { callable, documents } = sets(new URLSearchParams(), true);
const here = { callable, documents, elsewhere: [] };

/** BM25 over name, title and description as any host has it: whole words, nothing else. */
function ranked(tools: readonly Tool[]): (intent: string) => readonly string[] {
  const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const texts = tools.map(({ name, title, description }) =>
    wordsOf(`${name.replaceAll("_", " ")} ${title} ${description}`),
  );
  const mean = texts.reduce((sum, { length }) => sum + length, 0) / texts.length;
  return (intent) => {
    const score = (words: readonly string[]) =>
      [...new Set(wordsOf(intent))].reduce((sum, word) => {
        const holding = texts.filter((text) => text.includes(word)).length;
        const n = words.filter((each) => each === word).length;
        const rarity = Math.log(1 + (texts.length - holding + 0.5) / (holding + 0.5));
        return sum + (rarity * n * 2.2) / (n + 1.2 * (0.25 + (0.75 * words.length) / mean));
      }, 0);
    return tools
      .map(({ name }, i) => ({ name, score: score(texts[i] ?? []) }))
      .sort((a, b) => b.score - a.score)
      .map(({ name }) => name);
  };
}

test("the right tool is found for 60 intents and more, by any host's search and by cairn_tools", () => {
  assert.ok(intents.length >= 60, "test/mcp/intents.json has too few intents to judge by");
  const ours = (tools: readonly Tool[]) => {
    const find = finderOf(tools);
    return (intent: string) => find(intent).map(({ name }) => name);
  };
  for (const way of [ranked, ours]) {
    const ways = [way(usual), way(all)];
    const share = (places: number) =>
      intents.filter(([intent = "", right = ""]) =>
        ways.some((rank) =>
          rank(intent)
            .slice(0, places)
            .some((name) => right.split(" ").includes(name)),
        ),
      ).length / intents.length;
    const wayOut =
      "the words of the tools whose intents are missed: their summaries, src/surfaces/mcp/tools/tool-records.ts, test/mcp/intents.json";
    const missed = intents.filter(([intent = "", right = ""]) =>
      ways.every((rank) => !right.split(" ").includes(rank(intent)[0] ?? "")),
    );
    const told = `at least 0.85 first and 0.97 among three; look at ${wayOut}. Missed: ${missed.map(([intent]) => intent).join("; ")}`;
    assert.ok(share(1) >= 0.85 && share(3) >= 0.97, `${share(1)} and ${share(3)}, and ${told}`);
  }
  const names = new Set(all.map(({ name }) => name));
  for (const [intent, right = ""] of intents)
    for (const name of right.split(" ")) assert.ok(names.has(name), `${intent}: ${name}`);
});

/** Characters of five tools with their arguments, and ten names. */
const FOUND_MAX = 5_000;

test("a tool that was found shows no words to find it by, and no field that cairn_call takes for each", () => {
  for (const query of ["", "schema=strict"])
    for (const [intent = ""] of intents) {
      const found = foundFor(sets(new URLSearchParams(query), true), { intent });
      const { length } = JSON.stringify(found);
      assert.ok(length <= FOUND_MAX, `${intent}: ${length} characters`);
      const writes = found.tools.some(({ annotations }) => annotations.readOnlyHint !== true);
      assert.equal(/takes dry_run .* and client_ref/.test(found.call), writes, intent);
      for (const { name, description, inputSchema } of found.tools) {
        const { properties, required } = Object(inputSchema);
        const fields = Object.keys(properties ?? {});
        assert.doesNotMatch(description, /Also:/);
        assert.ok(!fields.includes("dry_run") && !fields.includes("client_ref"), name);
        for (const field of required ?? []) assert.ok(fields.includes(field), `${name}: ${field}`);
      }
    }
});

/** The tools that end, pay, take back or replace. */
const ENDING = Object.keys(TOOL_RECORDS).filter(isEnding);

test("of intents kept apart the right tool is first or near, and none ends or pays unasked", () => {
  const find = finderOf([...callable, ...documents]);
  for (const list of [keptBack, blind]) {
    const hit = (places: number) =>
      list.filter(([intent = "", right = ""]) =>
        find(intent)
          .slice(0, places)
          .some(({ name }) => right.split(" ").includes(name)),
      ).length / list.length;
    assert.ok(list.length >= 60);
    assert.ok(hit(1) >= 0.85 && hit(3) >= 0.97, `${hit(1)} first, ${hit(3)} among three`);
  }
  const harmed = [...intents, ...keptBack, ...blind].filter(([intent = "", right = ""]) => {
    const [first] = find(intent);
    return first !== undefined && isEnding(first.name) && !right.split(" ").includes(first.name);
  });
  assert.deepEqual(harmed, []);
});

test("each tool that ends, pays or replaces has words without which it is not first", () => {
  const destroying = registry.flatMap(({ tool, hints = [] }) =>
    tool !== undefined && hints.includes("destroys") ? [tool] : [],
  );
  assert.deepEqual(ENDING.toSorted(), destroying.sort());
});

test("a document is found by its own words, with the argument that reads it", () => {
  for (const [intent, document] of [
    ["remaining usd target", "goal"],
    ["what guarantees do you give on retention and ordering", "contract"],
    ["which cryptocurrencies can I donate and where do I send them", "currencies"],
  ] as const) {
    const [first] = foundFor(here, { intent }).tools;
    assert.deepEqual([first?.name, first?.arguments], ["network_read", { document }], intent);
  }
  const [other] = foundFor(here, { intent: "sell my work for 40 dollars" }).tools;
  assert.equal(other?.arguments, undefined);
});

test("a record, a question or a greeting is no payment, and ends nothing", () => {
  for (const [intent, right] of [
    ["record a payment", "contribution_record"],
    ["log a transfer to the project address", "contribution_record"],
    ["log my work in the shared codebase", "repo_commit"],
    ["turn down a job", "request_answer"],
    ["accept a job", "request_answer"],
    ["send a greeting to bob", "dm_send"],
    ["withdraw from a team", "repo_leave"],
    ["retract my help request", "request_withdraw"],
    ["send the money back to my buyer", "market_refund"],
    ["delete my message", "post_retract"],
  ] as const)
    assert.equal(foundFor(here, { intent }).tools[0]?.name, right, intent);
  for (const intent of ["reward program rules", "news from the operator", "how disputes end"])
    assert.ok(!isEnding(foundFor(here, { intent }).tools[0]?.name ?? ""), intent);
});

test("an amount of dollars is no wish for a bank", () => {
  for (const [intent, right] of [
    ["deploy a small web application worth 300 dollars", "app_publish"],
    ["sell my proofreading skill for 40 dollars", "market_offer_create"],
  ] as const)
    assert.equal(foundFor(here, { intent }).tools[0]?.name, right);
});

test("a name of something that is read leads to reads first", () => {
  const find = finderOf([...callable, ...documents]);
  for (const name of [
    "post_get",
    "get_post",
    "transfer_get",
    "order_get",
    "list_transfers",
    "claim_get",
  ])
    assert.equal(find(name)[0]?.annotations.readOnlyHint, true, name);
});

test("what the network does not have is said, with the nearest tools that read", () => {
  for (const [intent, says, first] of [
    ["set a webhook", /no webhooks/, "inbox_list"],
    ["get notified when someone replies", /text\/event-stream/, "inbox_list"],
    ["unfollow an agent", /no follows/, "agent_get"],
    ["like a post", /no follows, likes/, "agent_get"],
    ["undo my last action", /Nothing public is changed, deleted or undone/, "me_get"],
    ["delete my account", /no account to close/, "network_read"],
    ["close my account", /no account to close/, "network_read"],
    ["change my email", /no e-mail/, "network_read"],
    ["buy coins with dollars", /cannot be bought/, "coin_get"],
    ["withdraw coins to my bank", /do not leave the network/, "coin_get"],
    ["create a private channel", /shown to a group/, "feed_list"],
    ["schedule a post for tomorrow", /Nothing is scheduled/, "feed_list"],
  ] as const) {
    const { tools, not_here } = foundFor(here, { intent });
    assert.match(not_here ?? "", says, intent);
    assert.equal(tools[0]?.name, first, intent);
    assert.ok(
      tools.every(({ name }) => !isEnding(name)),
      intent,
    );
  }
  const nothing = foundFor(here, { intent: "zzz qqq" });
  assert.match(nothing.not_here ?? "", /document catalogue/);
  for (const intent of ["push my source files", "I would like to say hello", "delete my post"])
    assert.equal(foundFor(here, { intent }).not_here, undefined, intent);
});

const OF_SETS = {
  at: "test/mcp/intents.test.ts",
  because:
    "A host reads them before its first word, and models choose wrongly among many (docs/decisions/0102-few-tools-and-the-way-to-the-others.md): shorten descriptions, take a tool out of the default set in src/surfaces/mcp/tools/tool-set.ts, or give the operation `noTool` with its reason.",
};

test("both sets are small enough for a model, at both doors", () => {
  for (const open of [true, false])
    for (const [query, tokens_max, tools_max] of [
      ["", 4_600, 29],
      ["toolsets=all", 15_500, 83],
    ] as const) {
      const { listed: tools } = sets(new URLSearchParams(query), open);
      const tokens = Buffer.byteLength(JSON.stringify({ tools })) / 4;
      const what = `${query || "the default set"}${open ? " at the open door" : ""}`;
      within(`tokens of ${what}`, tokens, { max: tokens_max, ...OF_SETS });
      within(`tools of ${what}`, tools.length, { max: tools_max, ...OF_SETS });
    }
});

test("every tool has words, and every record and alias is for a tool", () => {
  const names = new Set(all.map(({ name }) => name));
  const wordless = [...names].filter(
    (name) => TOOL_RECORDS[name]?.words === undefined && !/^cairn_(?:tools|query|call)$/.test(name),
  );
  none(
    wordless,
    "Tools without words to be found by: add each to src/surfaces/mcp/tools/tool-records.ts.",
  );
  const strange = Object.keys(TOOL_RECORDS).filter((name) => !names.has(name));
  assert.deepEqual(strange, ["dm_keys_accept", "dm_read", "dm_write"], "those of `cairn mcp`");
  for (const [alias, tool] of TOOL_ALIASES) {
    assert.ok(names.has(tool), `${alias} is for ${tool}`);
    assert.ok(!names.has(alias), `${alias} is a tool itself`);
  }
});

eachEngine("every tool is within reach of the default set", async (service) => {
  const ada = await service.register("ada");
  const { ask } = rawMcp(service, ada);
  const call = async (name: string, args: object, path = "") => {
    const { body } = await ask("tools/call", { name, arguments: args }, path);
    const { result = {}, error } = body;
    return {
      error,
      isError: result.isError,
      answer: result.structuredContent ?? JSON.parse(result.content?.[0].text ?? "{}"),
    };
  };
  const found = await call("cairn_tools", { intent: "start a project with others" });
  assert.equal(found.answer.tools[0].name, "repo_create");
  assert.ok(found.answer.tools[0].inputSchema.properties.mission);
  const args = { name: "Bridges", mission: "Stones that carry." };
  const made = await call("cairn_call", { name: "repo_create", arguments: args });
  assert.equal(made.answer.repo.name, "Bridges");
  const direct = await call("repo_get", { id: made.answer.id });
  assert.equal(direct.answer.repo.name, "Bridges", "what is not listed may be called");
  const missing = await call("repo_file_get", { id: made.answer.id, path: "a.md" });
  assert.match(missing.answer.message, /item_get with kind repo_files lists the paths/);
  const wrong = await call("cairn_call", {
    name: "repo_create",
    arguments: { ...args, misson: 1 },
  });
  assert.deepEqual([wrong.isError, wrong.answer.error], [true, "validation_failed"]);
  const unknown = await call("cairn_call", { name: "project_fork", arguments: {} });
  const [{ annotations }] = (await call("cairn_tools", { intent: "pay another agent" })).answer
    .tools;
  assert.deepEqual(annotations, {}, "it may destroy, as the protocol supposes of each");
  const asked = { name: "repo_get", arguments: { id: made.answer.id } };
  assert.equal((await call("cairn_query", asked)).answer.repo.name, "Bridges");
  const written = await call("cairn_query", { name: "post_create", arguments: { body: "x" } });
  assert.deepEqual([written.isError, written.answer.details[0].field], [true, "name"]);
  assert.match(written.answer.message, /post_create writes; cairn_call runs it\. Nothing was done/);
  assert.deepEqual([unknown.isError, unknown.answer.details[0].field], [true, "name"]);

  const narrow = await call("coin_claim", {}, "?toolsets=feed");
  assert.match(narrow.error.message, /^coin_claim is in the toolset coin/);
  const reading = await call("mcp__cairn__post_create", { body: "x" }, "?readonly=1");
  assert.match(reading.error.message, /^post_create writes, and this connection only reads/);
  const inside = { name: "post_create", arguments: { body: "x" } };
  assert.equal((await call("cairn_call", inside, "?readonly=1")).isError, true);
  const spelt = await call("mcp__cairn__postCreate", { body: "Hello." });
  assert.equal(spelt.answer.post.body, "Hello.", "what hosts put in front is taken off");
});

eachEngine("get shows a thing by its link, or by kind and number", async (service) => {
  const ada = await service.register("ada");
  await ada.post("/post", { body: "A stone." });
  await ada.post("/claim", { kind: "claim", statement: "Stones carry." });
  const { ask } = rawMcp(service, await service.register("bob"));
  const get = async (args: object) => {
    const { body } = await ask("tools/call", { name: "cairn_get", arguments: args });
    return body.result.structuredContent ?? JSON.parse(body.result.content[0].text);
  };
  for (const id of ["post 1", "Post #1", "post/1", "cairn://post/1", "/api/v1/post/1"])
    assert.equal((await get({ id })).post?.body, "A stone.", id);
  assert.equal((await get({ id: "1", kind: "post" })).post.body, "A stone.");
  assert.equal((await get({ id: 1, kind: "post" })).post.body, "A stone.");
  assert.equal(
    (await get({ id: `${service.url}/api/v1/claim/1` })).claim.statement,
    "Stones carry.",
  );
  assert.equal((await get({ id: "@ada" })).agent.handle, "ada");
  assert.equal((await get({ id: ada.agent_id })).agent.handle, "ada");
  assert.match((await get({ id: "1" })).message, /`kind` must be one of/);
  assert.equal((await get({ id: "post 99" })).error, "post_not_found");
  const ordered = await get({ id: "order 7" });
  assert.equal(ordered.error, "order_not_found");
});

eachEngine(
  "hidden characters are shown, and the notice stands before the data",
  async (service) => {
    const ada = await service.register("ada");
    await ada.post("/post", { body: "Safe\u202Etxt\u{E0041}." });
    const { ask } = rawMcp(service, await service.register("bob"));
    const { body } = await ask("tools/call", { name: "feed_list", arguments: {} });
    const { content, structuredContent } = body.result;
    assert.equal(structuredContent.posts[0].body, "Safe\\u{202e}txt\\u{e0041}.");
    assert.deepEqual(JSON.parse(content[0].text), structuredContent);
    assert.match(content[0].text, /^\{"notice":"Text fields in this result were written by other/);
    assert.match(structuredContent.notice, /One is flagged/);
  },
);

test("strict schemas have every field required, and nothing that strict modes refuse", () => {
  const refused = new Set(["default", "minLength", "maxLength", "oneOf", "allOf"]);
  const visit = (schema: object, place: string): void => {
    for (const keyword of Object.keys(schema))
      assert.ok(!refused.has(keyword), `${place} ${keyword}`);
    const { type, properties, required, additionalProperties, items, anyOf } = Object(schema);
    if (type === "object") {
      assert.deepEqual([required, additionalProperties], [Object.keys(properties), false], place);
      for (const [name, field] of Object.entries(properties))
        visit(Object(field), `${place}.${name}`);
    }
    if (items !== undefined) visit(items, `${place}[]`);
    for (const each of anyOf ?? []) visit(each, place);
  };
  for (const open of [true, false]) {
    const { listed: tools } = sets(new URLSearchParams("toolsets=all&schema=strict"), open);
    assert.ok(tools.length > 60);
    for (const { name, inputSchema } of tools) visit(inputSchema, name);
  }
});

eachEngine("arguments as a strict host sends them are taken", async (service) => {
  const { ask } = rawMcp(service, await service.register("ada"));
  const post = { body: "A stone.", topic: null, reply_to: null, dry_run: null };
  const { body } = await ask(
    "tools/call",
    { name: "post_create", arguments: post },
    "?schema=strict",
  );
  assert.equal(body.result.structuredContent.post.body, "A stone.");
  const inside = { name: "post_create", arguments: JSON.stringify(post) };
  const call = await ask("tools/call", { name: "cairn_call", arguments: inside }, "?schema=strict");
  assert.equal(call.body.result.structuredContent.id, 2);
});

eachEngine(
  "the usual tools answer news, and what is the same each time is left out",
  async (service) => {
    const [ada, bob] = [await service.register("ada"), await service.register("bob")];
    const { ask } = rawMcp(service, bob);
    const call = async (name: string, args: object = {}, path = "") => {
      const { body } = await ask("tools/call", { name, arguments: args }, path);
      return body.result.structuredContent;
    };
    await ada.post("/request", { text: "Who carries stones?" });
    await bob.post("/post", { body: "Hello." });
    await ada.post("/post", { body: "A reply.", reply_to: 1 });
    const due = await call("claim_create", { statement: "It rains soon.", resolve_by: "7 days" });
    assert.equal(Date.parse(due.claim.resolve_by_iso) / 1_000, due.claim.resolve_by);
    const market = await call("market_offers_list");
    assert.deepEqual(
      ["limits", "how_it_works", "honest_limits", "rules"].map((name) => name in market),
      [false, false, false, true],
    );
    assert.ok(JSON.stringify(market).length < 400, JSON.stringify(market));
    assert.ok("how_it_works" in (await call("market_offers_list", {}, "?toolsets=all")));
    const { requests } = await call("requests_list");
    assert.deepEqual([requests[0].text, "parts" in requests[0]], ["Who carries stones?", false]);
    await service.sequenced();
    const { items } = await call("inbox_list");
    const reply = items.find(({ why }: { why: string }) => why === "reply");
    assert.deepEqual([reply.text.body, "body_sha256" in reply.body], ["A reply.", false]);
  },
);

eachEngine(
  "a caller without a header runs any tool by cairn_call, with its token",
  async (service) => {
    const call = async (name: string, args: object) => {
      const message = {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: args },
      };
      const answer = await fetch(`${service.url}/api/v1/mcp/open`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(message),
      });
      const { result, error } = Object(await answer.json());
      return { error, status: answer.status, ...(result && JSON.parse(result.content[0].text)) };
    };
    const { token } = await call("register", { handle: "ada" });
    const repo = { name: "Bridges", mission: "Carry." };
    const nobody = await call("cairn_call", { name: "repo_create", arguments: repo });
    assert.deepEqual([nobody.status, nobody.error], [200, "token_missing"]);
    for (const args of [
      { name: "repo_create", arguments: repo, token },
      { name: "repo_create", arguments: { ...repo, token } },
      { name: "repo_create", arguments: JSON.stringify({ ...repo, token }) },
    ])
      assert.equal((await call("cairn_call", args)).repo.founder.handle, "ada");
    const second = { name: "register", arguments: { handle: "eve" }, token };
    assert.equal((await call("cairn_call", second)).error, "validation_failed");
    const third = JSON.stringify({ handle: "eve", another: true });
    const eve = await call("cairn_call", { name: "register", arguments: third, token });
    assert.equal(eve.handle, "eve");

    const rotated = await call("token_rotate", { token });
    assert.match(rotated.token, /^sk_[0-9a-f]{48}$/);
    assert.notEqual(rotated.token, token);
    assert.equal((await call("me_get", { token: rotated.token })).handle, "ada");
    const old = await call("me_get", { token });
    assert.equal(old.ok, false);
  },
);
