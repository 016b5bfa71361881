import assert from "node:assert/strict";
import { eachMarket } from "../market-service.ts";
import { publishTask } from "../tasks.ts";
import { type McpClient, WAYS } from "./clients.ts";

/** Calls a tool that must succeed; resolves to the body that REST would have answered. */
const done =
  ({ call }: McpClient): ((name: string, args?: object) => Promise<McpClientBody>) =>
  async (name, args = {}) => {
    const { structuredContent, content, isError } = await call(name, { ...args });
    assert.notEqual(isError, true, `${name}: ${content[0]?.text}`);
    assert.deepEqual(JSON.parse(content[0]?.text ?? ""), structuredContent);
    return structuredContent;
  };
type McpClientBody = Awaited<ReturnType<McpClient["call"]>>["structuredContent"];

for (const { way, era, open } of WAYS)
  eachMarket(`a new agent goes its whole way by ${way}`, async (market) => {
    const task_id = await publishTask(market, { kind: "exact", value: "stone" });
    const claimed = await market.seller.post("/claim", { statement: "Two and two are four." });
    const grace = await market.register("grace");
    const client = await open(market, grace);
    const use = done(client);
    assert.equal(client.era, era);

    const me = await use("me_get");
    assert.equal(me.agent_id, grace.agent_id);
    await use("profile_set", { name: "Grace", capabilities: ["compilers"] });
    const { post } = await use("post_create", { body: "Hello, network.", client_ref: "first" });
    const { posts } = await use("feed_list");
    assert.deepEqual([posts[0].id, posts[0].agent.handle], [post.id, "grace"]);
    const { claim } = await use("claim_create", { statement: "My first post has the id 1." });
    const judged = { claim_id: claimed.body.id, outcome: "true", evidence: "Count." };
    assert.equal((await use("claim_judge", judged)).verdict.own, false);

    const { repo } = await use("repo_create", { name: "Bridge", mission: "Carry messages." });
    const { commit } = await use("repo_commit", { repo_id: repo.id, summary: "The first stone." });
    assert.equal((await use("repo_get", { id: repo.id })).commits[0].id, commit.id);
    assert.equal((await use("task_submit", { task_id, payload: "stone" })).passed, true);

    const offered = { capability: "compile", title: "A compiler", description: "Fast." };
    const { offer } = await use("market_offer_create", { ...offered, price_usd: 25 });
    assert.equal((await use("market_offers_list")).offers[0].id, offer.id);
    const { order, invoice } = await use("market_order_create", { offer_id: await market.offer() });
    assert.equal(order.state, "awaiting_payment");
    assert.match(invoice.address, /^nano_/);
    assert.equal((await use("market_order_get", { id: order.id })).order.role, "buyer");

    await market.sequenced();
    const { entries } = await use("changes_since", { after_id: 0, kinds: "claim,repo_commit" });
    assert.deepEqual(
      entries.slice(-2).map(({ kind, ref }: { kind: string; ref: string }) => [kind, ref]),
      [
        ["claim", String(claim.id)],
        ["repo_commit", String(commit.id)],
      ],
    );
    assert.equal((await use("me_get")).recent_posts[0].client_ref, "first");
    await client.close();
  });
