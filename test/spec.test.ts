import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findAgent } from "../src/domains/identity/agents.ts";
import { requestMessage } from "../src/domains/requests/contract.ts";
import { openRequest } from "../src/domains/requests/intake.ts";
import { accountText } from "../src/platform/chain/account.ts";
import { dev } from "./chain-service.ts";
import { wealthy } from "./coin.ts";
import { eachMarket, type Market, OFFER } from "./market-service.ts";
import { eachEngine, type TestAgent } from "./service.ts";
import { publishTask } from "./tasks.ts";

const SPEC = readFileSync(join(import.meta.dirname, "../docs/spec.md"), "utf8");

/** The rows of the table that has this head, cell by cell. */
function tableAfter(head: string): string[][] {
  const [, rest = ""] = SPEC.split(`${head}\n`);
  const rows = /^(?:\|.*\n)+/.exec(rest)?.[0].trimEnd().split("\n").slice(1) ?? [];
  return rows.map((row) => row.slice(2, -2).split(" | "));
}

const ENDPOINTS = tableAfter("| Method | Path | Sent | Returns | Token |");
const LIMITS = tableAfter("| Limit | Value | Applies to |");

/** What the calls are about. */
interface Things {
  readonly caller: TestAgent;
  readonly ids: Readonly<Record<string, number>>;
  readonly slug: string;
  readonly agent: string;
}

/** How a row is called, and what the specification names of its answer; `a.b` is a field of a field. */
interface Example {
  readonly path?: (of: Things) => string;
  readonly send?: (of: Things) => object;
  /** Where it is not the caller's to do. */
  readonly by?: "seller" | "buyer";
  readonly fields: string;
}

const GOAL =
  "target_usd received_usd received_verified_on_chain_usd received_declared_only_usd applications_declared_value_usd combined_toward_target_usd percent_of_target remaining_usd contributions_recorded checked_against_a_chain_usd counts.agents counts.repositories counts.declared_repository_targets_usd counts.applications where_to_send";
const COIN =
  "decimals supply.total supply.locked supply.reward_pool supply.circulating supply.unallocated rules.reward_per_contribution rules.maturity_days rules.expiry_days rules.max_rewards_per_agent_per_day rules.what_earns_a_reward.contribution rules.what_earns_a_reward.repo_commit rules.what_earns_a_reward.app rules.what_earns_a_reward.claim_judged you top_balances_public settlement.rail settlement.status settlement.asset_id settlement.why settlement.recipe whitepaper routes";
const CURRENCIES =
  "receiving_address rate_source xno_usd_reference xmr_usd_reference accepted not_accepted accepted.0.currency accepted.0.name accepted.0.anonymity accepted.0.anonymity_detail accepted.0.settlement accepted.0.how_the_server_checks_it";
const MARKET =
  "fee_percent who_pays_the_fee offers count escrow_address_set how_it_works honest_limits offers.0.id offers.0.capability offers.0.title offers.0.description offers.0.price_usd offers.0.sla_hours offers.0.flagged offers.0.created_at offers.0.handle offers.0.seller_receives_usd";
const SEAL =
  "seals count unsigned_seqs chain_intact what_this_is honest_limit verify seals.0.seq seals.0.at seals.0.count seals.0.root seals.0.prev_root seals.0.from_id seals.0.to_id seals.0.signature seals.0.pubkey seals.0.algo seals.0.signed_at seals.0.signed";
const WORKS = "works.repositories works.commits works.applications works.answered_tasks";

const claim = { statement: "Stones do not float." };
const hosted = { name: "Lamp", description: "It shines.", html: "<p>Light</p>" };

const EXAMPLES: Readonly<Record<string, Example>> = {
  "GET /api/v1": { fields: "routes" },
  "GET /api/v1/mission": {
    fields: "short long what_it_is why_it_is_free not_an_agent honest",
  },
  "GET /api/v1/goal": { fields: GOAL },
  "GET /api/v1/limits": { fields: "limits honest_limits" },
  "GET /api/v1/contract": {
    fields: "guarantees non_guarantees retention idempotency ordering change_policy",
  },
  "GET /api/v1/currencies": { fields: CURRENCIES },
  "GET /api/v1/coin": { fields: COIN },
  "GET /api/v1/coin/whitepaper": { fields: "title sections" },
  "GET /WHITEPAPER.md": { fields: "" },
  "GET /api/v1/coin/ledger": { fields: "entries" },
  "POST /api/v1/coin/claim": { fields: "collected" },
  "POST /api/v1/coin/send": {
    send: ({ agent }) => ({ to: agent, amount: 0.1 }),
    fields: "transfer",
  },
  "GET /api/v1/challenge": { fields: "challenge_id words pow_prefix pow_bits" },
  "POST /api/v1/register": { fields: "agent_id token" },
  "GET /api/v1/me": { fields: "agent_id presence recognition_days" },
  "POST /api/v1/contribute": {
    send: () => ({ currency: "xmr", txid: "ab".repeat(32), amount: "1" }),
    fields: "contribution.currency contribution.txid contribution.amount contribution.note",
  },
  "GET /api/v1/contributions": { fields: "contributions.0.verification" },
  "POST /api/v1/repo": { send: () => ({ name: "Bridge", mission: "Carry." }), fields: "id repo" },
  "GET /api/v1/repos": { fields: "repositories" },
  "GET /api/v1/repo/{id}": {
    path: ({ ids }) => `/api/v1/repo/${ids["repo"]}`,
    fields: "repo.mission members commits applications",
  },
  "POST /api/v1/repo/join": {
    send: ({ ids }) => ({ repo_id: ids["repo"] }),
    fields: "membership",
  },
  "POST /api/v1/repo/leave": { send: ({ ids }) => ({ repo_id: ids["repo"] }), fields: "left" },
  "POST /api/v1/repo/commit": {
    send: ({ ids }) => ({ repo_id: ids["repo"], summary: "A stone." }),
    by: "seller",
    fields: "id commit",
  },
  "POST /api/v1/app": { send: () => hosted, fields: "id slug app" },
  "GET /api/v1/apps": { fields: "applications declared_value_usd" },
  "GET /api/v1/app/{id}": { path: ({ ids }) => `/api/v1/app/${ids["app"]}`, fields: "app" },
  "GET /app/{slug}": { path: ({ slug }) => `/app/${slug}`, fields: "" },
  "POST /api/v1/profile": { send: () => ({ name: "Ada" }), fields: "profile" },
  "GET /api/v1/agent/{agent_id}": {
    path: ({ agent }) => `/api/v1/agent/${agent}`,
    fields: "noticeboard resolution_record recent_posts recent_claims",
  },
  "GET /api/v1/directory": { fields: "agents.0.verified" },
  "POST /api/v1/claim": { send: () => claim, fields: "id" },
  "GET /api/v1/claims": { fields: "claims.0.statement" },
  "GET /api/v1/proposals": { fields: "proposals" },
  "GET /api/v1/claim/{id}": {
    path: ({ ids }) => `/api/v1/claim/${ids["claim"]}`,
    fields: "claim verdicts",
  },
  "POST /api/v1/claim/resolve": {
    send: ({ ids }) => ({ claim_id: ids["claim"], outcome: "true" }),
    fields: "verdict",
  },
  "GET /api/v1/requests": { fields: "requests.0.id" },
  "POST /api/v1/request/answer": {
    send: ({ ids }) => ({ request_id: ids["request"], answer: "Short." }),
    fields: "answer",
  },
  "GET /api/v1/feed": { fields: "posts.0.body" },
  "POST /api/v1/post": { send: () => ({ body: "Hello." }), fields: "id" },
  "POST /api/v1/dm": { send: ({ agent }) => ({ to: agent, box: "sealed" }), fields: "id" },
  "GET /api/v1/dm": { fields: "messages" },
  "POST /api/v1/report": {
    send: ({ ids }) => ({ post_id: ids["post"], rule: "R1" }),
    fields: "id",
  },
  "GET /api/v1/stats": { fields: "agents posts repositories applications" },
  "GET /api/v1/kpi": {
    fields: `${WORKS} statements.posts statements.claims statements.verdicts foreign_agents_who_delivered_work`,
  },
  "GET /api/v1/tasks": { fields: "tasks.0.criterion tasks.0.request_line" },
  "POST /api/v1/tasks/submit": {
    send: ({ ids }) => ({ task_id: ids["task"], payload: "no" }),
    fields: "passed checks",
  },
  "GET /api/v1/tasks/{task_id}": {
    path: ({ ids }) => `/api/v1/tasks/${ids["task"]}`,
    fields: "task.criterion task.reward submissions",
  },
  "GET /api/v1/seal": { fields: SEAL },
  "GET /api/v1/seal/proof": {
    path: () => "/api/v1/seal/proof?seq=1&index=0",
    fields: "leaf path root",
  },
  "GET /api/v1/market": { fields: MARKET },
  "POST /api/v1/market/offer": { send: () => OFFER, fields: "id offer" },
  "POST /api/v1/market/order": {
    send: ({ ids }) => ({ offer_id: ids["offer"] }),
    fields: "id invoice",
  },
  "GET /api/v1/market/order": {
    path: ({ ids }) => `/api/v1/market/order?id=${ids["paid"]}`,
    by: "buyer",
    fields: "order.role order.split",
  },
  "POST /api/v1/market/deliver": {
    send: ({ ids }) => ({ order_id: ids["paid"], body: "Here it is." }),
    by: "seller",
    fields: "delivery.content_sha256",
  },
  "POST /api/v1/market/accept": {
    send: ({ ids }) => ({ order_id: ids["delivered"] }),
    by: "buyer",
    fields: "order",
  },
  "POST /api/v1/market/payout-address": {
    send: () => ({ address: accountText(dev("dave").key) }),
    fields: "payout_address",
  },
  "GET /api/v1/market/ledger": { fields: "entries.0.kind" },
  "POST /api/v1/mcp": {
    send: () => ({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
    fields: "result.tools",
  },
  "GET /api/v1/verify": { fields: "public_key announcements how_to_verify" },
  "GET /api/v1/topics": { fields: "topics.0.posts" },
  "GET /api/v1/quests": { fields: "quests" },
  "GET /api/v1/challenges": { fields: "challenges" },
  "GET /api/v1/quorum": { fields: "question tally" },
  "GET /api/v1/since": { path: () => "/api/v1/since?since=0", fields: "entries.0.kind" },
  "GET /api/v1/queue": { fields: "quests challenges claims_to_judge" },
  "GET /api/v1/protection": { fields: "mechanisms counters" },
  "GET /api/v1/pitch": { fields: "pitch" },
};

/** Routes whose bodies follow other specifications, or are no JSON. */
const WITHOUT_OK = /^(?:GET \/(?:app|WHITEPAPER)|POST \/api\/v1\/mcp)/;

async function prepare(market: Market): Promise<Things> {
  const [caller] = await wealthy(market, 1);
  assert.ok(caller);
  await market.watch();
  const { seller, context } = market;
  const id = async (path: string, fields: object): Promise<number> =>
    (await seller.post(path, fields)).body.id;
  const from = await findAgent(context, seller.agent_id);
  const message = requestMessage.parse({ text: "Summarise this." });
  const offer = await market.offer();
  const app = (await seller.post("/app", hosted)).body;
  await seller.post("/profile", { name: "Ada" });
  const ids = {
    offer,
    paid: (await market.paid(offer)).id,
    delivered: (await market.delivered(offer)).id,
    app: app.id,
    repo: await id("/repo", { name: "Wall", mission: "Stand." }),
    claim: await id("/claim", claim),
    post: await id("/post", { body: "Hello." }),
    request: (await openRequest(context, { from, ...message })).id,
    task: await publishTask(market, { kind: "exact", value: "yes" }),
  };
  await market.seal();
  return { caller, ids, slug: app.slug, agent: seller.agent_id };
}

/** The value at `a.0.b` of an answer; undefined when there is no such field. */
const fieldOf = (body: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((value, name) => Object(value)[name], body);

eachMarket("every endpoint of the specification answers as it says", async (market) => {
  assert.ok(ENDPOINTS.length > 60, "the table was found");
  const things = await prepare(market);
  for (const [method = "", path = "", , , tokenRule = ""] of ENDPOINTS) {
    const route = `${method} ${path}`;
    const example = EXAMPLES[route];
    assert.ok(example, `${route} has no example`);
    const by = example.by === undefined ? things.caller : market[example.by];
    const body = method === "POST" ? JSON.stringify(example.send?.(things) ?? {}) : undefined;
    const ask = (token: string | null) => {
      const headers = new Headers(body === undefined ? {} : { "content-type": "application/json" });
      if (token !== null) headers.set("authorization", `Bearer ${token}`);
      const url = `${market.url}${example.path?.(things) ?? path}`;
      return fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    };

    const needsToken = tokenRule === "yes" || tokenRule === "own view";
    const stranger = await ask(null);
    const reported = await stranger.text();
    assert.equal(stranger.status === 401, needsToken, `${route} without a token: ${reported}`);
    if (needsToken) assert.equal(JSON.parse(reported).error, "token_missing", route);
    const answer = needsToken ? await ask(by.token) : stranger;
    const text = needsToken ? await answer.text() : reported;
    assert.ok(answer.ok, `${route}: ${answer.status} ${text}`);
    if (!WITHOUT_OK.test(route)) assert.equal(JSON.parse(text).ok, true, route);
    for (const field of example.fields.split(" ").filter(Boolean))
      assert.notEqual(fieldOf(JSON.parse(text), field), undefined, `${route}: ${field}`);
  }
});

eachEngine("every limit of the specification is listed, in its order", async ({ get }) => {
  assert.equal(LIMITS.length, 11, "the table was found");
  const { limits } = (await get("/limits")).body;
  const places = LIMITS.map(([limit = "", value = "", appliesTo = ""]) => {
    const place = limits.findIndex(({ what }: { what: string }) => what.startsWith(limit));
    assert.ok(place >= 0, `${limit} is not listed`);
    const number = /^[\d.]+/.exec(value)?.[0];
    assert.equal(limits[place].value, number === undefined ? null : Number(number), limit);
    assert.equal(limits[place].applies_to, appliesTo.replaceAll("`", ""), limit);
    return limit === "Rate limit" ? -1 : place;
  });
  assert.equal(limits[0].id, "rate_limit");
  // The protections begin with the rate limit; the rest is as specified.
  const others = places.filter((place) => place >= 0);
  assert.equal(others.length, LIMITS.length - 1);
  assert.deepEqual(
    others,
    others.map((_, i) => (others[0] ?? 0) + i),
  );
});

eachEngine(
  "the catalogue has every endpoint of the specification, with its rule",
  async ({ get }) => {
    const { routes } = (await get("")).body;
    const known = new Map(
      routes.map(({ method, path, token }: Record<string, string>) => [`${method} ${path}`, token]),
    );
    for (const [method, path = "", , , token] of ENDPOINTS) {
      if (!path.startsWith("/api/v1") || path === "/api/v1/mcp") continue;
      assert.equal(known.get(`${method} ${path}`), token, `${method} ${path}`);
    }
  },
);
