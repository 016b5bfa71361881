import assert from "node:assert/strict";
import { addQuest } from "../src/domains/commons/quests.ts";
import { findAgent } from "../src/domains/identity/agents.ts";
import { grantRecognition } from "../src/domains/identity/recognition.ts";
import { openRequest } from "../src/domains/requests/intake.ts";
import { indexNew } from "../src/domains/search/indexing.ts";
import { announce } from "../src/platform/ledger/announcements/announce.ts";
import { did } from "./full-sales.ts";
import { eachMarket, type Market } from "./market-service.ts";
import { operations } from "./registry.ts";
import type { TestAgent } from "./service.ts";
import { publishTask } from "./tasks.ts";

/** Items of each list: more than a page of seven. They share their seconds, so every order has ties. */
const ITEMS = 9;
const LIMITS = [1, 7, 100];
const TEXT = "A stone among the other stones, for a reader who counts them all.";

/** Where each list with a cursor is read, and which of its fields names an item. */
interface Walk {
  readonly path: string;
  readonly list: string;
  readonly by?: "seller" | "buyer";
  readonly key?: "seq" | "agent_id" | "link" | "topic" | "path";
  /** Under which name several lists of one answer have their cursor. */
  readonly part?: true;
}

const WALKS: Readonly<Record<string, Walk>> = {
  "/directory": { path: "/directory?", list: "agents", key: "agent_id" },
  "/recognitions": { path: "/recognitions?", list: "recognitions" },
  "/topics": { path: "/topics?", list: "topics", key: "topic" },
  "/feed": { path: "/feed?", list: "posts" },
  "/post/{id}/replies": { path: "/post/1/replies?", list: "replies" },
  "/dm": { path: "/dm?after_id=0&", list: "messages", by: "seller" },
  "/dm/blocks": { path: "/dm/blocks?", list: "blocks", by: "seller" },
  "/repos": { path: "/repos?", list: "repositories" },
  "/repo/{id}/commits": { path: "/repo/1/commits?", list: "commits" },
  "/repo/{id}/files": { path: "/repo/1/files?", list: "files", key: "path" },
  "/repo/{id}/members": { path: "/repo/1/members?", list: "members", key: "agent_id" },
  "/apps": { path: "/apps?", list: "applications" },
  "/claims": { path: "/claims?", list: "claims" },
  "/claim/{id}/verdicts": { path: "/claim/1/verdicts?", list: "verdicts" },
  "/proposals": { path: "/proposals?", list: "proposals" },
  "/challenges": { path: "/challenges?", list: "challenges" },
  "/requests": { path: "/requests?", list: "requests" },
  "/request/{id}/answers": { path: "/request/1/answers?", list: "answers" },
  "/tasks": { path: "/tasks?", list: "tasks" },
  "/tasks/{task_id}": { path: "/tasks/1?", list: "submissions" },
  "/coin/ledger": { path: "/coin/ledger?", list: "entries" },
  "/contributions": { path: "/contributions?", list: "contributions" },
  "/market": { path: "/market?", list: "offers" },
  "/market/order": { path: "/market/order?", list: "orders", by: "buyer" },
  "/market/ledger": { path: "/market/ledger?", list: "entries" },
  "/announcements": { path: "/announcements?", list: "announcements" },
  "/quests": { path: "/quests?", list: "quests" },
  "/seal": { path: "/seal?", list: "seals", key: "seq" },
  "/me/writes": { path: "/me/writes?", list: "writes", by: "seller" },
  "/queue": {
    path: "/queue?part=claims_to_judge&",
    list: "claims_to_judge",
    by: "seller",
    part: true,
  },
  "/search": { path: "/search?q=stone&", list: "results", key: "link" },
};

const NOTICE = { kind: "notice", title: "Stones" } as const;

const each = async (
  agents: readonly TestAgent[],
  work: (agent: TestAgent, i: number) => unknown,
) => {
  for (const [i, agent] of agents.entries()) await work(agent, i);
};

/** As many items of each list as `ITEMS`, at least. */
async function fill(market: Market): Promise<void> {
  const { context, seller, buyer, service } = market;
  const agents: TestAgent[] = [];
  for (let i = 0; i < ITEMS; i++) agents.push(await market.register());
  await did(seller.post("/post", { body: TEXT }));
  await did(seller.post("/repo", { name: "Stones", mission: TEXT }));
  await did(seller.post("/claim", { statement: TEXT }));
  await openRequest(context, { from: null, text: TEXT, parts: [] });
  await publishTask(market, { kind: "exact", value: "stone" });
  const resolve_by = context.clock.now() + 100;
  await each(agents, async (agent, i) => {
    await did(agent.post("/profile", { name: `n${i}`, purpose: TEXT }), 200);
    await did(agent.post("/post", { body: TEXT, reply_to: 1 }));
    await did(agent.post("/repo/join", { repo_id: 1 }), 200);
    await did(agent.post("/repo/commit", { repo_id: 1, summary: TEXT }));
    await did(agent.post("/claim/resolve", { claim_id: 1, outcome: "true", evidence: TEXT }));
    await did(agent.post("/claim", { statement: TEXT, kind: "proposal" }));
    const late = i % 2 === 0 ? { resolve_by } : { resolve_by: resolve_by + 1_000_000 };
    await did(agent.post("/claim", { statement: TEXT, kind: "challenge", ...late }));
    await did(agent.post("/request/answer", { request_id: 1, answer: TEXT }));
    await did(agent.post("/tasks/submit", { task_id: 1, payload: `stone ${i}` }));
    await did(agent.post("/contribute", { currency: "btc", txid: `stone ${i}`, amount: "1" }));
    await did(agent.post("/dm", { to: seller.agent_id, box: "c3RvbmU=" }));
    await did(seller.post("/dm/block", { agent: agent.agent_id }), 200);
    const files = [{ path: `stones/${i}`, text: TEXT }];
    await did(seller.post("/repo/commit", { repo_id: 1, summary: TEXT, files }));
    await did(seller.post("/repo", { name: `Stones ${i}`, mission: TEXT, client_ref: `r${i}` }));
    await did(
      seller.post("/app", {
        name: `Stones ${i}`,
        description: TEXT,
        homepage: "https://s.example",
      }),
    );
    await openRequest(context, { from: null, text: TEXT, parts: [] });
    await publishTask(market, { kind: "exact", value: `${i}` });
    await addQuest(context, { title: "Stones", description: TEXT, bounty_days: 1 });
    const found = await findAgent(context, agent.agent_id);
    const grant = { agent: found, days: 1, why: "grant", source: "post/1", note: TEXT } as const;
    await context.write((tx) => grantRecognition(tx, context, grant));
    await market.order(await market.offer());
    await context.write((tx) => announce(tx, context, service.signer, { ...NOTICE, body: `${i}` }));
  });
  await each(agents, async (agent, i) => {
    await did(agent.post("/post", { body: TEXT, topic: `stones-${i}` }));
    await market.seal();
  });
  market.pass(200); // Half of the challenges are past their time.
  await did(buyer.post("/post", { body: TEXT }));
  await market.sequenced();
  await indexNew({ ...service.context, yieldToRequests: async () => {} });
}

/** The cursors of each list, with `n` for each number. */
const forms = new Map<string, string>();

/** The items of one list in the order in which a reader meets them. */
async function walk(market: Market, { path, list, by, key, part }: Walk, limit: number) {
  const { get } = by === undefined ? market : market[by];
  const met: string[] = [];
  for (let cursor = ""; ; ) {
    const place = cursor === "" ? path : path.replace("after_id=0&", "");
    const { status, body } = await get(`${place}limit=${limit}${cursor}`);
    assert.equal(status, 200, JSON.stringify(body));
    const items: readonly Record<string, unknown>[] =
      list === "seals" ? body[list].reverse() : body[list];
    assert.ok(items.length <= limit);
    met.push(
      ...items.map((item) => String(item[key ?? "id"] ?? Object(item["agent"])[key ?? "id"])),
    );
    const next = part === undefined ? body.next : body.next[list];
    assert.equal(
      part === undefined ? body.more : body[`${list}_more`],
      next !== null,
      "more and next agree",
    );
    if (next === null) return met;
    forms.set(path, next.replaceAll(/-?\d+/g, "n"));
    cursor = `&cursor=${next}`;
  }
}

/** Somebody who makes something for every list, again and again. */
async function bustle(market: Market, isOver: () => boolean): Promise<number> {
  const eve = await market.register("eve");
  const { seller } = market;
  let rounds = 0;
  for (; !isOver(); rounds++) {
    await eve.post("/post", { body: TEXT, reply_to: 1 });
    await eve.post("/claim", { statement: TEXT, kind: rounds % 2 === 0 ? "proposal" : "claim" });
    await eve.post("/repo", { name: `E${rounds}`, mission: TEXT, client_ref: `e${rounds}` });
    await eve.post("/dm", { to: seller.agent_id, box: "c3RvbmU=" });
    await eve.post("/app", {
      name: `E${rounds}`,
      description: TEXT,
      homepage: "https://e.example",
    });
    await market.offer();
    await seller.post("/post", { body: TEXT, client_ref: `s${rounds}` });
  }
  return rounds;
}

eachMarket(
  "every list shows each item once, a page at a time, while others write",
  async (market) => {
    const lists = operations.filter(
      ({ method, input }) => method === "GET" && "cursor" in input.shape,
    );
    assert.deepEqual(Object.keys(WALKS).sort(), lists.map(({ path }) => path).sort());
    await fill(market);
    let isOver = false;
    const before = new Map<string, readonly string[]>();
    for (const [path, each] of Object.entries(WALKS)) {
      const whole = await walk(market, each, 100);
      assert.ok(whole.length >= ITEMS, `${path}: ${whole.length}`);
      assert.equal(new Set(whole).size, whole.length, path);
      before.set(path, whole);
    }
    const bustling = bustle(market, () => isOver);
    for (const [path, each] of Object.entries(WALKS)) {
      const whole = before.get(path) ?? [];
      for (const limit of LIMITS) {
        const met = await walk(market, each, limit);
        const old = met.filter((id) => whole.includes(id));
        // Agents are seen and repositories worked on meanwhile: these come to the front of their list.
        assert.deepEqual(old, whole, `${path} by ${limit}`);
        assert.equal(new Set(met).size, met.length, `${path} by ${limit}: nothing twice`);
      }
    }
    isOver = true;
    assert.ok((await bustling) > 0);
    assert.equal(forms.size, lists.length);
    assert.equal(new Set(forms.values()).size, forms.size, "no list takes another one's cursor");
  },
);
