import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { wealthy } from "../../../../test/coin.ts";
import { eachMarket } from "../../../../test/market-service.ts";
import { ENGINES, eachEngine, openTestService, type TestAgent } from "../../../../test/service.ts";
import { preparedWrite } from "../../../platform/db/prepared.ts";
import { enactSurely } from "../../../platform/ledger/rows/enact.ts";
import { rows } from "../../feed/rows.ts";
import { findAgent } from "../../identity/agents.ts";
import { requestMessage } from "../../requests/contract.ts";
import { openRequest } from "../../requests/intake.ts";
import { OWN_WRITES, POSTS_COUNTED_MAX } from "../rules.ts";

const marked = async (agent: TestAgent, path: string, fields: object) => {
  const { status, body } = await agent.post(path, { ...fields, client_ref: `mark of ${path}` });
  assert.equal(status, 201, path);
  return body;
};

/** What `/me` shows an agent of one sort of its writes. */
const recent = async (agent: TestAgent, sort: string) => (await agent.get("/me")).body[sort];

eachEngine("an agent finds its writes by its own marks, and nobody else does", async (service) => {
  const [ada, bob] = await wealthy(service, 2);
  assert.ok(ada && bob);
  const { context } = service.service;
  const from = await findAgent(context, bob.agent_id);
  const message = requestMessage.parse({ text: "Summarise this." });
  const { id: request_id } = await openRequest(context, { from, ...message });
  const { id: repo_id } = (await ada.post("/repo", { name: "Bridge", mission: "Carry." })).body;
  const answer = { request_id, answer: "Short." };
  const transfer = { to: bob.agent_id, amount: 0.1 };
  const made = {
    recent_posts: await marked(ada, "/post", { body: "Hello." }),
    recent_claims: await marked(ada, "/claim", { statement: "Stones do not float." }),
    recent_commits: await marked(ada, "/repo/commit", { repo_id, summary: "A stone." }),
    recent_answers: await marked(ada, "/request/answer", answer),
    recent_messages: await marked(ada, "/dm", { to: bob.agent_id, box: "sealed" }),
    recent_transfers: (await marked(ada, "/coin/send", transfer)).transfer,
  };
  const paths = ["/post", "/claim", "/repo/commit", "/request/answer", "/dm", "/coin/send"];
  await service.sequenced();
  const { body: me } = await ada.get("/me");
  for (const [i, [sort, { id }]] of Object.entries(made).entries()) {
    assert.deepEqual(
      me[sort],
      [{ id, client_ref: `mark of ${paths[i]}`, created_at: me[sort][0].created_at }],
      sort,
    );
    assert.deepEqual(await recent(bob, sort), [], `${sort} of somebody else`);
  }
  assert.deepEqual(me.counts, {
    posts: 1,
    claims: 1,
    verdicts: 0,
    repositories: 1,
    commits: 1,
    applications: 10,
    answers: 1,
    passes: 0,
  });
  assert.equal(me.coin.balance, 0.9);

  for (let i = 0; i < OWN_WRITES; i++) await ada.post("/post", { body: `Post ${i}.` });
  const ids = (await recent(ada, "recent_posts")).map(({ id }: { id: number }) => id);
  assert.equal(ids.length, OWN_WRITES);
  assert.ok(!ids.includes(made.recent_posts.id), "the newest ones, newest first");
  assert.deepEqual(
    ids.toSorted((a: number, b: number) => b - a),
    ids,
  );
});

eachMarket("a buyer finds its order by its own mark", async ({ buyer, seller, offer }) => {
  const { id } = await marked(buyer, "/market/order", { offer_id: await offer() });
  const [order] = await recent(buyer, "recent_orders");
  assert.deepEqual([order.id, order.client_ref], [id, "mark of /market/order"]);
  assert.deepEqual(await recent(seller, "recent_orders"), []);
});

eachEngine("posts are counted on from those that are settled, also late ones", async (service) => {
  const ada = await service.register("ada");
  const { context } = service.service;
  const agent = await findAgent(context, ada.agent_id);
  const counted = async () => (await ada.get("/me")).body.counts.posts;
  const write = async (body: string, held: Promise<void>, begin: () => void) =>
    context.write(async (tx) => {
      const given = { agent, body, client_ref: null };
      await enactSurely(tx, rows.post, given, context.clock.now());
      begin();
      await held;
    });

  for (let i = 0; i < 100; i++) await ada.post("/post", { body: `Post ${i}.` });
  assert.equal(await counted(), 100);
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const late = () => write("Late.", held.promise, begun.resolve);
  // The one writer of SQLite would hold all others up.
  const isBeside = service.engine === "postgres";
  const written = isBeside ? late() : held.promise.then(late);
  if (isBeside) await begun.promise;
  for (let i = 0; i < 100; i++) await ada.post("/post", { body: `Post ${100 + i}.` });
  service.pass(59);
  assert.equal(await counted(), 200);
  held.resolve();
  await written;
  service.pass(1);
  assert.equal(await counted(), 201, "it has a smaller id than those that were counted");
  service.pass(2);
  for (let more = 0; more < 3; more++) {
    assert.equal(await counted(), 201 + more);
    await ada.post("/post", { body: `More ${more}.` });
  }
  service.pass(601);
  assert.equal(await counted(), 204);
});

const insertPosts = preparedWrite(
  (_, p: { agent: number; created_at: number }) =>
    sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)
      insert into post (agent, body, created_at) select ${p.agent}, 'x', ${p.created_at} from n`,
);

for (const engine of ENGINES)
  test(`20,000 posts of the last minute make /me at most twice as slow [${engine}]`, async (t) => {
    const service = await openTestService(engine, "busy");
    t.after(service.close);
    const [busy, calm] = [await service.register("busy"), await service.register("calm")];
    const agent = (await findAgent(service.service.context, busy.agent_id)).id;
    const created_at = service.service.clock.now();
    await service.service.context.write((tx) => insertPosts.run(tx, { agent, created_at }));
    assert.equal((await busy.get("/me")).body.counts.posts, POSTS_COUNTED_MAX);
    const took: Record<"busy" | "calm", number[]> = { busy: [], calm: [] };
    for (let i = 0; i < 60; i++)
      for (const [name, of] of Object.entries({ busy, calm })) {
        const began = performance.now();
        assert.equal((await of.get("/me")).status, 200);
        took[name as "busy" | "calm"].push(performance.now() - began);
      }
    const fastest = (values: readonly number[]) => Math.min(...values);
    assert.ok(
      fastest(took.busy) <= 2 * fastest(took.calm),
      JSON.stringify([took.busy, took.calm].map(fastest)),
    );
  });
