import { createHash } from "node:crypto";
import { addQuest } from "../src/domains/commons/quests.ts";
import { findAgent } from "../src/domains/identity/agents.ts";
import { newGrant } from "../src/domains/identity/grants/grants.ts";
import { accountText } from "../src/platform/chain/account.ts";
import { days } from "../src/platform/kernel/time.ts";
import { newPair, setKey, toSign } from "./act-keys.ts";
import { dev } from "./chain-service.ts";
import { earn } from "./coin.ts";
import { did } from "./full-sales.ts";
import { away } from "./full-service.ts";
import type { Market } from "./market-service.ts";
import type { TestAgent } from "./service.ts";
import { publishTask } from "./tasks.ts";

/** A write that would be made: by whom, and with which fields. */
export interface Ready {
  readonly by: TestAgent;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What a write of each kind needs first. */
export interface World {
  readonly market: Market;
  /** A new number. */
  next(): number;
}

/** Makes a world in which one write is possible, and says which. */
type Making = (world: World) => Promise<Ready>;

const KEY = new Uint8Array(32);

/** Writes that no trial and no mark can be honoured for, so that declared values of both are refused. */
export const UNTRIED: ReadonlySet<string> = new Set([
  "identity.register",
  "identity.rotateToken",
  "original.invoice",
]);

/** Writes that change a key or a token: a repetition changes nothing, whatever its mark. */
export const UNMARKED: ReadonlySet<string> = new Set(["identity.setKey", "identity.endGrant"]);

const idOf = async (made: ReturnType<typeof did>): Promise<number> => (await made).id;

const request = ({ market: { buyer } }: World, fields: object = {}) =>
  idOf(did(buyer.post("/request", { text: "Who carries?", ...fields })));

async function answered(world: World) {
  const request_id = await request(world, { ends: "accepted" });
  const { seller } = world.market;
  const answer = { request_id, answer: `A stone ${world.next()}.` };
  return { request_id, answer_id: await idOf(did(seller.post("/request/answer", answer))) };
}

/** An offer while the chain is watched, without which nothing is invoiced. */
async function offered(market: Market): Promise<number> {
  await market.watch();
  return market.offer();
}

async function disputed(market: Market): Promise<number> {
  const { id } = await market.delivered(await offered(market));
  await did(market.buyer.post("/market/dispute", { order_id: id, reason: "Empty." }), 201);
  return id;
}

const repository = ({ market: { seller }, next }: World) =>
  idOf(did(seller.post("/repo", { name: `Bridges ${next()}`, mission: "Carry." })));

/** An agent whose key somebody wants to take over. */
async function recovering({ market: { register } }: World) {
  const agent = await register();
  const [key, other] = [newPair(), newPair()];
  await did(setKey(agent, key, { recover_s: days(7) }), 200);
  return { agent, key, other };
}

/** Every write of the registry by its name; a new one needs a row here. */
export const WRITES: Readonly<Record<string, Making>> = {
  "identity.setHandle": async ({ market, next }) => ({
    by: await market.register(),
    fields: { handle: `agent-${next()}` },
  }),
  "identity.setProfile": async ({ market: { seller }, next }) => ({
    by: seller,
    fields: { name: `Ada ${next()}`, capabilities: ["stones"] },
  }),
  "identity.setKey": async ({ market: { register } }) => {
    const by = await register();
    const key = newPair();
    const wanted = { pubkey: key.pubkey, recover_s: 0 };
    const { text, act, not_after } = toSign(await by.post("/key", wanted));
    return { by, fields: { ...wanted, act, not_after, signature: key.sign(text) } };
  },
  "identity.recoverKey": async (world) => {
    const { agent, other } = await recovering(world);
    return { by: agent, fields: { pubkey: other.pubkey } };
  },
  "identity.keepKey": async (world) => {
    const { agent, key, other } = await recovering(world);
    await did(agent.post("/key/recover", { pubkey: other.pubkey }), 200);
    const { text, act, not_after } = toSign(await agent.post("/key/keep", {}));
    return { by: agent, fields: { act, not_after, act_signature: key.sign(text) } };
  },
  "identity.endGrant": async ({ market: { register, context } }) => {
    const by = await register();
    const { id: agent } = await findAgent(context, by.agent_id);
    const asked = { client_name: "host", scope: "write", refreshes: true } as const;
    const { store } = newGrant(context, KEY, { ...asked, client_sha256: KEY });
    await context.write((tx) => store(tx, agent));
    const { grants } = (await by.get("/me/grants")).body;
    return { by, fields: { id: grants[0].id } };
  },
  "feed.post": async ({ market: { seller }, next }) => ({
    by: seller,
    fields: { body: `A stone ${next()} for @bob.`, topic: "ideas" },
  }),
  "feed.retract": async ({ market: { seller }, next }) => {
    const post_id = await idOf(did(seller.post("/post", { body: `No ${next()}.` })));
    return { by: seller, fields: { post_id } };
  },
  "feed.report": async ({ market: { seller, buyer }, next }) => {
    const post_id = await idOf(did(seller.post("/post", { body: `Bad ${next()}.` })));
    return { by: buyer, fields: { post_id, rule: "R1" } };
  },
  "messages.send": async ({ market: { seller, buyer } }) => ({
    by: seller,
    fields: { to: buyer.agent_id, box: "c2VhbGVkYm94MTIzNDU2Nzg5MA" },
  }),
  "messages.block": async ({ market: { seller, register } }) => ({
    by: seller,
    fields: { agent: (await register()).agent_id },
  }),
  "messages.unblock": async ({ market: { seller, register } }) => {
    const agent = (await register()).agent_id;
    await did(seller.post("/dm/block", { agent }), 200);
    return { by: seller, fields: { agent } };
  },
  "repositories.form": async ({ market: { seller }, next }) => ({
    by: seller,
    fields: { name: `Arches ${next()}`, mission: "Carry." },
  }),
  "repositories.writers": async (world) => {
    const { seller, buyer } = world.market;
    const repo_id = await repository(world);
    await did(buyer.post("/repo/join", { repo_id }), 200);
    return { by: seller, fields: { repo_id, agent: buyer.agent_id } };
  },
  "repositories.join": async (world) => ({
    by: world.market.buyer,
    fields: { repo_id: await repository(world) },
  }),
  "repositories.leave": async (world) => {
    const repo_id = await repository(world);
    await did(world.market.buyer.post("/repo/join", { repo_id }), 200);
    return { by: world.market.buyer, fields: { repo_id } };
  },
  "repositories.commit": async (world) => ({
    by: world.market.seller,
    fields: {
      repo_id: await repository(world),
      summary: "An arch.",
      files: [{ path: "src/arch.txt", text: "stone" }],
    },
  }),
  "apps.create": async ({ market: { seller }, next }) => ({
    by: seller,
    fields: { name: `Arch ${next()}`, description: "One.", homepage: "https://example.org/" },
  }),
  "claims.publish": async ({ market: { seller }, next }) => ({
    by: seller,
    fields: { kind: "claim", statement: `Stones carry ${next()}.` },
  }),
  "claims.resolve": async ({ market: { seller, buyer }, next }) => {
    const statement = `Stones carry ${next()}.`;
    const claim_id = await idOf(did(seller.post("/claim", { kind: "claim", statement })));
    return { by: buyer, fields: { claim_id, outcome: "true" } };
  },
  "requests.create": async ({ market: { buyer }, next }) => ({
    by: buyer,
    fields: { text: `Who carries ${next()}?`, reward: 0.01 },
  }),
  "requests.answer": async (world) => ({
    by: world.market.seller,
    fields: { request_id: await request(world), answer: "A stone." },
  }),
  "requests.reply": async (world) => ({
    by: world.market.buyer,
    fields: { request_id: await request(world), text: "By noon." },
  }),
  "requests.accept": async (world) => ({
    by: world.market.buyer,
    fields: { answer_id: (await answered(world)).answer_id },
  }),
  "requests.refuse": async (world) => ({
    by: world.market.buyer,
    fields: { answer_id: (await answered(world)).answer_id, reason: "Too short." },
  }),
  "requests.withdraw": async (world) => ({
    by: world.market.buyer,
    fields: { request_id: await request(world) },
  }),
  "requests.want": async (world) => ({
    by: world.market.buyer,
    fields: { request_id: await request(world), wanted: 0 },
  }),
  "tasks.submit": async ({ market, next }) => {
    const word = `stone ${next()}`;
    const digest = createHash("sha256").update(word).digest("hex");
    const task_id = await publishTask(market, { kind: "sha256", digest });
    return { by: market.seller, fields: { task_id, payload: word } };
  },
  "coin.claim": async ({ market, next }) => {
    await earn(market, market.seller, `commit/${9_000 + next()}`);
    await away(market, 20);
    return { by: market.seller, fields: {} };
  },
  "coin.send": async ({ market: { seller, buyer }, next }) => ({
    by: buyer,
    fields: { to: seller.agent_id, amount: 0.001, memo: `For stone ${next()}.` },
  }),
  "treasury.contribute": async ({ market: { seller }, next }) => ({
    by: seller,
    fields: { currency: "other", txid: `notes ${next()}`, amount: "1" },
  }),
  "market.offer": async ({ market: { seller }, next }) => ({
    by: seller,
    fields: {
      capability: "Summarise",
      title: `Paper ${next()}`,
      description: "Three findings.",
      price_usd: 10,
    },
  }),
  "market.withdraw": async ({ market, next }) => ({
    by: market.seller,
    fields: { offer_id: await market.offer({ title: `Gone ${next()}` }) },
  }),
  "market.order": async ({ market }) => ({
    by: market.buyer,
    fields: { offer_id: await offered(market) },
  }),
  "market.withdrawOrder": async ({ market }) => ({
    by: market.buyer,
    fields: { order_id: (await market.order(await offered(market))).id },
  }),
  "market.deliver": async ({ market }) => ({
    by: market.seller,
    fields: { order_id: (await market.paid(await offered(market))).id, body: "Here it is." },
  }),
  "market.accept": async ({ market }) => ({
    by: market.buyer,
    fields: { order_id: (await market.delivered(await offered(market))).id },
  }),
  "market.dispute": async ({ market }) => ({
    by: market.buyer,
    fields: { order_id: (await market.delivered(await offered(market))).id, reason: "Empty." },
  }),
  "market.withdrawDispute": async ({ market }) => ({
    by: market.buyer,
    fields: { order_id: await disputed(market) },
  }),
  "market.refund": async ({ market }) => ({
    by: market.seller,
    fields: { order_id: await disputed(market) },
  }),
  "market.settle": async ({ market, next }) => {
    const { id, split } = await market.delivered(await offered(market));
    await did(market.buyer.post("/market/accept", { order_id: id }), 200);
    const paid = { amount_raw: split.seller_raw, currency: "other", txid: `cash ${next()}` };
    return { by: market.seller, fields: { order_id: id, debts: "payout", ...paid } };
  },
  "market.address": async ({ market: { seller }, next }) => ({
    by: seller,
    fields: { address: accountText(dev(["alice", "bob", "carol"][next() % 3] ?? "alice").key) },
  }),
  "original.questAnswer": async ({ market: { seller, context }, next }) => {
    const quest = { title: `Quest ${next()}`, description: "Find it.", bounty_days: 1 };
    const quest_id = await addQuest(context, { ...quest, deadline_at: undefined });
    return { by: seller, fields: { quest_id, answer: "Here." } };
  },
};
