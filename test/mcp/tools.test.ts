import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { findAgent } from "../../src/domains/identity/agents.ts";
import { openRequest } from "../../src/domains/requests/intake.ts";
import { accountText } from "../../src/platform/chain/account.ts";
import { catalogueOf } from "../../src/surfaces/describe/catalogue.ts";
import { FIXED_ROUTES } from "../../src/surfaces/describe/fixed-routes.ts";
import { instructionsFor, UNTRUSTED } from "../../src/surfaces/describe/instructions.ts";
import { promptList, promptOf } from "../../src/surfaces/mcp/prompts.ts";
import type { SchemaForm } from "../../src/surfaces/mcp/tools/schema.ts";
import {
  DOCUMENT_TOOL,
  documentsIn,
  type Tool,
  toolsOf,
} from "../../src/surfaces/mcp/tools/tools.ts";
import { dev } from "../chain-service.ts";
import { wealthy } from "../coin.ts";
import { none, same, within } from "../limits.ts";
import { eachMarket, type Market } from "../market-service.ts";
import { operations, registry } from "../registry.ts";
import { eachEngine, START, type TestAgent } from "../service.ts";
import { publishTask } from "../tasks.ts";
import { type McpClient, openClient, openWhole, seenAs, type ToolResult } from "./clients.ts";

const tools = toolsOf(registry, "full").map(({ tool }) => tool);
const INSTRUCTIONS = instructionsFor({ has: () => true, hasMore: true, isNobody: true });
const LIST_MAX_BYTES = 100 * 1_024;

const propertiesOf = ({ inputSchema }: Tool): [string, { description?: string }][] =>
  Object.entries(Object(inputSchema["properties"]));

test("the instructions fit into a model's attention", () =>
  within("bytes of the instructions", Buffer.byteLength(INSTRUCTIONS), {
    max: 1_500,
    at: "test/mcp/tools.test.ts",
    because:
      "Each host reads them before its first call: shorten src/surfaces/describe/instructions.ts.",
  }));

test("every tool and every parameter is described in a few sentences", () => {
  for (const tool of tools) {
    const { name, title, description } = tool;
    assert.match(name, /^(?:get|[a-z]+(?:_[a-z]+)+)$/);
    assert(title.length > 0, name);
    assert.match(description, /^[A-Z].*\.$/, name);
    const sentences = description.split(/[.!?] (?=[A-Z])/).length;
    assert(sentences <= 3, `${name} has ${sentences} sentences`);
    for (const [parameter, { description: what = "" }] of propertiesOf(tool))
      assert.match(what, /^[A-Z0-9].*[.…]$/, `${name} ${parameter}`);
  }
});

test("a field of several types is a list of types, and in the simple form one", () => {
  const typesOf = (form: SchemaForm) =>
    Object.fromEntries(
      toolsOf(registry, form).flatMap(({ tool }) =>
        Object.entries(Object(tool.inputSchema["properties"])).map(([name, field]) => [
          `${tool.name}.${name}`,
          Object(field).type,
        ]),
      ),
    );
  const [full, simple] = [typesOf("full"), typesOf("simple")];
  assert.deepEqual(full["coin_send.amount"], ["number", "string"]);
  assert.deepEqual(full["seal_proof_get.id"], ["string", "integer", "null"]);
  for (const place of ["coin_send.amount", "seal_proof_get.id", "task_submit.payload"])
    assert.equal(simple[place], "string");
});

test("titles begin with a verb, and are told apart", () => {
  const titles = tools.map(({ title }) => title);
  assert.equal(new Set(titles).size, titles.length);
  const verbs = titles.map((title) => title.split(" ")[0] ?? "");
  same(
    verbs,
    VERBS,
    "The titles of tools begin with the verbs of VERBS in test/mcp/tools.test.ts: take one of them, or add yours there.",
  );
});

const VERBS =
  "Accept Answer Block Claim Create Deliver Dispute End Find Get Join Judge Leave List Publish Read Record Refund Refuse Reply Report Retract Search Send Set Submit Unblock Want Withdraw".split(
    " ",
  );

test("the names in instructions and prompts exist", () => {
  const names = new Set([
    ...tools.map(({ name }) => name),
    "cairn_tools",
    "cairn_query",
    "cairn_call",
  ]);
  const fields = new Set([
    ...tools.flatMap((tool) => propertiesOf(tool).map(([field]) => field)),
    ...registry.flatMap(({ output }) => Object.keys(output.shape)),
    "from_id",
    "seal_hash",
  ]);
  const has = (name: string) => names.has(name);
  const prompts = promptList(has).map(({ name, arguments: [argument] }) => {
    const args = argument === undefined ? {} : { [argument.name]: "7" };
    const { messages } = promptOf(name, args, has);
    return messages[0]?.content.text ?? "";
  });
  const words = [INSTRUCTIONS, ...prompts].flatMap((text) => text.match(/\b[a-z]+(?:_[a-z]+)+\b/g));
  assert(words.length > 20);
  const unknown = words.filter((word) => word !== null && !names.has(word) && !fields.has(word));
  none(unknown, "Instructions and prompts name what is neither a tool nor a field.");
});

test("every route of the catalogue is a tool, a document, a resource, or says why it is none", () => {
  const documents = new Set(documentsIn(registry).values());
  const astray = registry.filter((operation) => {
    const { tool, item, noTool } = operation;
    const ways = [tool, item, noTool, documents.has(operation) || undefined];
    return ways.filter((way) => way !== undefined).length !== 1;
  });
  assert.deepEqual(astray, []);
  const raw = Object.values(FIXED_ROUTES).filter(
    (route) => route.contentType.startsWith("text/markdown") === "noTool" in route,
  );
  assert.deepEqual(raw, []);
  const { routes } = catalogueOf(operations);
  assert.equal(routes.length, registry.length + Object.keys(FIXED_ROUTES).length);
});

/** Stands in every text that the agents of this test write. */
const MARK = "zebra";

const APP = { name: MARK, description: `Finds a ${MARK}.`, homepage: "https://example.org/" };

type Calls = Readonly<Record<string, readonly [by: TestAgent, args: object]>>;

/** What an asker does with its requests and their answers. */
async function requestCalls(asker: TestAgent, other: TestAgent) {
  const ask = async (): Promise<number> =>
    (await asker.post("/request", { text: MARK, ends: "accepted" })).body.id;
  const answered = async (): Promise<number> => {
    const sent = { request_id: await ask(), answer: MARK };
    return (await other.post("/request/answer", sent)).body.id;
  };
  const own = await ask();
  return {
    request_create: { text: MARK, ends: "accepted", reward: 0.1 },
    request_accept: { answer_id: await answered() },
    request_refuse: { answer_id: await answered(), reason: MARK },
    request_reply: { request_id: own, text: MARK },
    request_withdraw: { request_id: own },
  };
}

/** A repository with a file. */
async function formed(founder: TestAgent): Promise<number> {
  const made = async (path: string, fields: object) => (await founder.post(path, fields)).body.id;
  const repo_id = await made("/repo", { name: MARK, mission: `Carry a ${MARK}.` });
  const files = [{ path: "README.md", text: MARK }];
  await made("/repo/commit", { repo_id, summary: MARK, files });
  return repo_id;
}

const repositoryCalls = (repo_id: number, writer: TestAgent) => ({
  repo_create: { name: MARK, mission: MARK },
  repo_get: { id: repo_id },
  repo_join: { repo_id, role: MARK },
  repo_commit: { repo_id, summary: MARK, files: [{ path: "a.md", text: MARK }] },
  repo_file_get: { id: repo_id, path: "README.md" },
  repo_writer_set: { repo_id, agent: writer.agent_id },
  repo_leave: { repo_id },
});

/** One call of each tool that must succeed, in an order in which all of them can. */
async function callsIn(market: Market): Promise<Calls> {
  const [grace] = await wealthy(market, 1);
  assert(grace);
  const { seller: ada, buyer: bob, service } = market;
  await market.watch();
  const { after_id } = (await market.get("/since?after_id=0&limit=1000")).body;
  const made = async (path: string, fields: object): Promise<number> =>
    (await ada.post(path, fields)).body.id;
  const from = await findAgent(service.context, grace.agent_id);
  const byAsker = await openRequest(service.context, { from, text: "Add." });
  const request = await openRequest(service.context, { from: null, text: `Find the ${MARK}.` });
  const app_id = await made("/app", APP);
  const claim_id = await made("/claim", { statement: `A ${MARK} has stripes.` });
  const repo_id = await formed(grace);
  const post_id = await made("/post", { body: MARK, topic: MARK });
  const task_id = await publishTask(market, { kind: "exact", value: "stone" });
  const offer_id = await market.offer({ title: MARK });
  const [paid, delivered] = [await market.paid(offer_id), await market.delivered(offer_id)];
  const disputed = await market.delivered(offer_id);
  await ada.post("/dm", { to: grace.agent_id, box: MARK });
  await market.seal();
  const byGrace = {
    network_read: { document: "topics" },
    agent_get: { agent_id: "ada" },
    app_get: { id: app_id },
    app_publish: APP,
    claim_create: { statement: `No ${MARK} has wheels.`, resolve_by: String(START * 2) },
    claim_get: { id: String(claim_id) },
    item_get: { kind: "claim_verdicts", id: claim_id, limit: 5 },
    claim_judge: { claim_id, outcome: "true", evidence: MARK },
    cairn_get: { id: `post ${post_id}` },
    coin_send: { to: "ada", amount: "0.25", memo: MARK },
    contribution_record: { currency: "other", txid: MARK, amount: "1", note: MARK },
    directory_search: { capability: MARK },
    search_find: { q: MARK },
    changes_since: { after_id, with: "entry" },
    dm_block: { agent: "ada" },
    dm_send: { to: "ada", box: "hpke1.AAAA" },
    dm_unblock: { agent: "ada" },
    grant_end: { id: 1 },
    market_order_create: { offer_id },
    post_create: { body: MARK, reply_to: post_id },
    post_report: { post_id, rule: "R1" },
    profile_set: { name: MARK, capabilities: [MARK] },
    ...repositoryCalls(repo_id, market.buyer),
    request_answer: { request_id: request.id, answer: MARK },
    ...(await requestCalls(grace, ada)),
    request_get: { id: request.id },
    request_want: { request_id: byAsker.id, wanted: false },
    seal_proof_get: { kind: "post", id: String(post_id) },
    task_get: { task_id },
    task_submit: { task_id, payload: MARK },
  };
  const unwanted = await market.delivered(offer_id);
  await market.buyer.post("/market/dispute", { order_id: unwanted.id, reason: MARK });
  const byAda = {
    market_refund: { order_id: unwanted.id },
    post_retract: { post_id },
    market_deliver: { order_id: paid.id, body: MARK },
    market_offer_create: { capability: MARK, title: MARK, description: MARK, price_usd: 2 },
    market_offer_withdraw: { offer_id: await market.offer() },
    market_payout_address_set: { address: accountText(dev("alice").key) },
  };
  const accept = { market_accept: { order_id: delivered.id }, market_order_get: { id: paid.id } };
  const unpaid = await market.order(offer_id);
  const byBob = {
    ...accept,
    market_dispute: { order_id: disputed.id, reason: MARK },
    market_dispute_withdraw: { order_id: disputed.id },
    market_order_withdraw: { order_id: unpaid.id },
  };
  const withoutArguments = Object.fromEntries(tools.map(({ name }) => [name, {}]));
  const by = (agent: TestAgent, calls: Readonly<Record<string, object>>) =>
    Object.entries(calls).map(([name, args]) => [name, [agent, args]] as const);
  return Object.fromEntries([
    ...by(grace, { ...withoutArguments, ...byGrace }),
    ...by(ada, byAda),
    ...by(bob, byBob),
    ...by(await market.register(), { handle_set: { handle: "grevy" } }),
  ]);
}

/** Tools of these calls that show the caller's own words alone. */
const SHOWS_OWN = new Set(
  [
    "app_publish claim_create claim_judge coin_send contribution_record market_deliver market_offer_create post_create post_retract",
    "profile_set repo_create repo_commit repo_join repo_get repos_list request_answer request_create request_reply",
    "request_withdraw task_submit",
  ].flatMap((names) => names.split(" ")),
);

const ajv = new Ajv2020();

/** The invariants of every success. */
function conforms({ name, outputSchema }: Tool, result: ToolResult): void {
  const [first, second] = result.content;
  assert.equal(second, undefined, name);
  assert.notEqual(result.isError, true, `${name}: ${first?.text}`);
  assert(
    ajv.validate(outputSchema ?? {}, result.structuredContent),
    `${name}: ${ajv.errorsText()}`,
  );
  assert.deepEqual(JSON.parse(first?.text ?? ""), result.structuredContent, name);
  assert(Buffer.byteLength(first?.text ?? "") <= LIST_MAX_BYTES, name);
  const { notice } = Object(result.structuredContent);
  const showsOthers = first?.text?.includes(MARK) === true && !SHOWS_OWN.has(name);
  assert.equal(notice, showsOthers ? UNTRUSTED : undefined, name);
  if (notice !== undefined) assert.ok(first?.text?.startsWith('{"notice":'), name);
}

eachMarket("every tool answers valid arguments as its schema says", async (market) => {
  const calls = await callsIn(market);
  same(
    Object.keys(calls),
    tools.map(({ name }) => name),
    "callsIn of test/mcp/tools.test.ts has one call of each tool that must succeed.",
  );
  const clients = new Map<string, McpClient>();
  const clientOf = async (agent: TestAgent) => {
    const client = clients.get(agent.token) ?? (await openWhole(market, agent));
    clients.set(agent.token, client);
    return client;
  };
  for (const tool of tools) {
    const [agent, args] = calls[tool.name] ?? assert.fail(tool.name);
    conforms(tool, await (await clientOf(agent)).call(tool.name, { ...args }));
  }
  for (const client of clients.values()) await client.close();
});

eachEngine(
  "every tool tells what is wrong with its arguments, in the words of REST",
  async (service) => {
    const client = seenAs(await openClient(service, await service.register("ada")));
    for (const tool of tools.filter(({ name }) => name !== DOCUMENT_TOOL)) {
      const fields = propertiesOf(tool).map(([name]) => name);
      if (fields.length === 0) continue;
      const wrong = Object.fromEntries(fields.map((field) => [field, [[]]]));
      const { isError, content, ...rest } = await client.call(tool.name, wrong);
      assert.equal(isError, true, tool.name);
      assert.equal("structuredContent" in rest, false);
      const { ok, error, message, details, request_id } = JSON.parse(content[0]?.text ?? "");
      assert.deepEqual([ok, error], [false, "validation_failed"], tool.name);
      assert(message.length > 0 && details.length > 0, tool.name);
      for (const { field } of details) assert(fields.includes(field.split(".")[0]), tool.name);
      assert.match(request_id, /^[0-9a-f]{16}$/);
    }
    await client.close();
  },
);
