import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { addQuest } from "../src/domains/commons/quests.ts";
import { findAgent } from "../src/domains/identity/agents.ts";
import { followUp, openRequest } from "../src/domains/requests/intake.ts";
import { PAGE_MAX_BYTES } from "../src/platform/kernel/contract/page.ts";
import { operations } from "./registry.ts";
import { eachEngine, type TestAgent, type TestService } from "./service.ts";
import { publishTask } from "./tasks.ts";

const listOf = (schema: unknown): z.ZodArray | undefined => {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  return inner instanceof z.ZodArray ? inner : undefined;
};

/** The lists of an answer in which agents' text is found: contracts mark such fields. */
const textListsIn = ({ shape }: z.ZodObject): string[] =>
  Object.entries(shape).flatMap(([name, schema]) => {
    const list = listOf(schema);
    const text = list && JSON.stringify(z.toJSONSchema(list, { io: "input" }));
    return text?.includes('"x-untrusted":true') ? [name] : [];
  });

/** The lists of agents' text beside which nothing says that they may be cut. */
const uncut = (output: z.ZodObject): string[] => {
  const lists = textListsIn(output);
  const others = lists.filter((name) => !(`${name}_more` in output.shape));
  return others.length === 1 && "more" in output.shape ? [] : others;
};

test("a list of agents' text says whether it was cut", () => {
  const reads = operations.filter(({ method }) => method === "GET");
  assert.deepEqual(
    reads.flatMap(({ path, output }) => uncut(output).map((name) => `${path} ${name}`)),
    // One name of 200 characters, a hundred paths of 2,009, and notes of 500, at most.
    ["/me/grants grants", "/commit/{id} files", "/me recognition"],
  );
  assert.ok(reads.filter(({ output }) => textListsIn(output).length > 0).length >= 15);
});

test("a list of agents' text says whether it was cut (control)", () => {
  const text = z.array(z.object({ said: z.string().meta({ "x-untrusted": true }) }));
  const more = z.boolean();
  assert.deepEqual(uncut(z.object({ posts: text, count: z.int() })), ["posts"]);
  assert.deepEqual(uncut(z.object({ posts: text, claims: text, more })), ["posts", "claims"]);
  assert.deepEqual(uncut(z.object({ posts: text, claims: text, posts_more: more })), ["claims"]);
  assert.deepEqual(uncut(z.object({ posts: text, more })), []);
});

/** So many characters, four bytes each. */
const stones = (length: number) => "🪨".repeat(length);
const address = `https://a.example/${stones(400)}`;
const ITEMS = 101;

/** So often, a few at a time. The first is alone, so its row has the number 1. */
async function times(count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  await work(0);
  let next = 1;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/** The first of so many agents; each has the largest profile, and has judged claim 1. */
async function inhabitants(service: TestService): Promise<TestAgent> {
  const ada = await service.register("ada");
  const statement = stones(4_000);
  await ada.post("/claim", { kind: "claim", statement });
  const capabilities = Array.from({ length: 32 }, (_, i) => `${i}${stones(150)}`);
  const profile = { name: stones(64), purpose: stones(1_000), capabilities };
  // One by one: they all change the same counts of capabilities.
  for (let i = 0; i < ITEMS; i++) {
    const agent = await service.register();
    assert.equal((await agent.post("/profile", profile)).status, 200);
    const verdict = { claim_id: 1, outcome: "true", evidence: stones(4_000) };
    assert.equal((await agent.post("/claim/resolve", verdict)).status, 201);
  }
  return ada;
}

/** The largest of everything that agents make, more than a page of each. */
async function works(ada: TestAgent): Promise<void> {
  const made = async (path: string, fields: object) =>
    assert.equal((await ada.post(path, fields)).status, 201, path);
  await times(ITEMS, async (i) => {
    await made("/post", { body: stones(8_000), ...(i > 0 && { reply_to: 1 }) });
    for (const kind of ["claim", "proposal", "challenge"]) {
      const resolve_by = kind === "challenge" ? { resolve_by: 1_900_000_000 } : {};
      await made("/claim", { kind, statement: stones(4_000), ...resolve_by });
    }
    await made("/repo", { name: stones(80), mission: stones(4_000), homepage: address });
    await made("/app", { name: stones(80), description: stones(4_000), homepage: address });
    await made("/market/offer", {
      capability: stones(160),
      title: stones(120),
      description: stones(4_000),
      price_usd: 1,
    });
  });
}

/** Commits to one repository. */
async function commits(ada: TestAgent): Promise<void> {
  const commit = { repo_id: 1, summary: stones(2_000), artifact: stones(2_048) };
  await times(ITEMS, async () =>
    assert.equal((await ada.post("/repo/commit", commit)).status, 201),
  );
}

/** The same of what the operator publishes and of what comes by other doors; resolves to ada's request. */
async function delegated(service: TestService, ada: TestAgent): Promise<number> {
  const { context } = service.service;
  const parts = Array.from({ length: 16 }, () => ({ text: stones(1_000) }));
  await times(ITEMS, async (i) => {
    await openRequest(context, { from: null, text: stones(8_000), parts });
    await publishTask(service, { kind: "exact", value: `${i}` }, { description: stones(8_000) });
    await addQuest(context, { title: "x", description: stones(4_000), bounty_days: 1 });
  });
  const from = await findAgent(context, ada.agent_id);
  const { id } = await openRequest(context, { from, text: "Ask me more." });
  for (let n = 0; n < 20; n++)
    await followUp(context, { from, request_id: id, text: `${n}${stones(7_000)}`, parts });
  const bob = await service.register("bob");
  await times(ITEMS, () => bob.post("/request/answer", { request_id: id, answer: stones(8_000) }));
  const payload = "\u0001".repeat(30_000);
  await times(ITEMS, () => ada.post("/tasks/submit", { task_id: 1, payload }));
  return id; // Not always the next number: a write that ran again on PostgreSQL has used up two.
}

/** The lists that end for their bytes, and those that their own bounds keep small. */
const CUT = [
  "/agent/ada",
  "/claim/1/verdicts",
  "/post/1",
  "/post/1/replies",
  "/repo/1/commits",
  "/request/asked/answers",
  "/apps",
  "/challenges",
  "/claim/1",
  "/claims",
  "/directory",
  "/feed",
  "/market",
  "/proposals",
  "/queue",
  "/quests",
  "/repo/1",
  "/repos",
  "/request/asked",
  "/requests",
  "/since?after_id=0",
  "/tasks",
  "/tasks/1",
];
const SHORT = [
  "/repo/1/files", // A hundred paths.
  "/announcements",
  "/topics",
  "/recognitions",
  "/repo/1/members",
  "/coin/ledger",
  "/contributions",
  "/dm",
  "/inbox",
  "/me/writes",
  "/search?q=stone",
  "/market/ledger",
  "/market/order",
  "/seal",
];

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const listsIn = (body: object): readonly unknown[][] =>
  Object.values(body).filter((value) => Array.isArray(value));

eachEngine("an answer full of the largest items has a mebibyte and one item", async (service) => {
  const reader = await inhabitants(service);
  await works(reader);
  await commits(reader);
  const asked = await delegated(service, reader);
  await service.sequenced();
  const caller = await service.register();
  const pathOf = ({ path }: { path: string }) =>
    path.replace("/request/{id}", "/request/asked").replace(/\{\w+\}/, "1");
  const listed = operations.filter(
    ({ method, input }) => method === "GET" && "limit" in input.shape,
  );
  const known = [...CUT, ...SHORT].map((path) => path.split("?")[0]);
  for (const operation of listed)
    if (textListsIn(operation.output).length > 0)
      assert.ok(known.includes(pathOf(operation)), operation.path);

  const countedLists: string[] = [];
  for (const path of [...CUT, ...SHORT]) {
    const hasLimit = listed.some((operation) => path.split("?")[0] === pathOf(operation));
    const join = path.includes("?") ? "&" : "?";
    const counted = service.service.context.occurrences.unsaved("list_cut");
    const { status, body } = await caller.get(
      `${path.replace("asked", String(asked))}${hasLimit ? `${join}limit=100` : ""}`,
    );
    assert.equal(status, 200, path);
    const isCounted = service.service.context.occurrences.unsaved("list_cut") > counted;
    assert.equal(
      isCounted,
      hasLimit && body.more === true && body.count < 100,
      `${path} counts as cut`,
    );
    if (isCounted) countedLists.push(path);
    const items = listsIn(body).flat();
    const largest = Math.max(0, ...items.map(bytesOf));
    const rest = bytesOf(body) - items.map(bytesOf).reduce((all, each) => all + each, 0);
    assert.ok(rest < 200_000, `${path}: ${rest} bytes around its items`);
    assert.ok(bytesOf(items) <= PAGE_MAX_BYTES + largest + 1_000, `${path}: ${bytesOf(items)}`);
    const isCut = Object.entries(body).some(([name, more]) => /(^|_)more$/.test(name) && more);
    if (SHORT.includes(path)) continue;
    assert.ok(isCut, `${path} says that there is more`);
    assert.ok(bytesOf(items) > PAGE_MAX_BYTES / 3, `${path}: ${bytesOf(items)}`);
  }
  assert.ok(countedLists.includes("/feed") && countedLists.includes("/requests"));
});
