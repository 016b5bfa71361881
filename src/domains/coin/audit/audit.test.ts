import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { APP, publish, wealthy } from "../../../../test/coin.ts";
import { eachEngine, type TestService } from "../../../../test/service.ts";
import { statement } from "../../../../test/statement.ts";
import { coinAudit } from "./audit.ts";
import { replay } from "./replay.ts";

const yieldToRequests = async () => {};
const audit = async ({ service }: TestService) =>
  (await coinAudit().run({ ...service.context, yieldToRequests }))
    .map(({ invariant }) => invariant)
    .sort();

const change = ({ service }: TestService, sql: string) => {
  const plan = statement(sql);
  return service.context.write((tx) => tx.run(plan, []));
};

/** An edit that breaks the books, its reversal, and the finding in between. */
const BREAKAGES: readonly (readonly [string, string, readonly string[]])[] = [
  [
    "update coin_account set balance = balance + 1 where account = 'reward_pool'",
    "update coin_account set balance = balance - 1 where account = 'reward_pool'",
    ["I1", "I3"],
  ],
  [
    "update coin_account set balance = balance + 1 where account = 'reward_reserved'",
    "update coin_account set balance = balance - 1 where account = 'reward_reserved'",
    ["I1", "I3", "I6"],
  ],
  [
    "update coin_balance set balance = balance + 1",
    "update coin_balance set balance = balance - 1",
    ["I3"],
  ],
  [
    "update coin_entitlement set amount = amount + 1 where state = 'live'",
    "update coin_entitlement set amount = amount - 1 where state = 'live'",
    ["I6"],
  ],
];

eachEngine("the check of the books finds every row that was changed", async (service) => {
  const [ada] = await wealthy(service, 1);
  assert.ok(ada);
  await publish(ada);
  await service.sequenced();
  assert.deepEqual(await audit(service), []);
  for (const [breakage, repair, violations] of BREAKAGES) {
    await change(service, breakage);
    assert.deepEqual(await audit(service), violations, breakage);
    await change(service, repair);
  }
});

eachEngine("postings and the supply cannot be changed at all", async (service) => {
  await wealthy(service, 1);
  await service.sequenced();
  for (const sql of [
    "update coin_posting set amount = amount + 1",
    "delete from coin_posting",
    "update coin_account set balance = balance + 1 where account = 'locked'",
    "update coin_account set balance = balance - 1 where account = 'issued'",
    "update coin_balance set balance = -1",
    "insert into coin_account values ('mint', 1)",
    "update coin_reward_day set n = 11",
  ])
    await assert.rejects(change(service, sql), sql);
});

eachEngine("a node whose books do not add up moves no coin, and tells", async (service) => {
  const [ada, bob] = await wealthy(service, 2);
  assert.ok(ada && bob);
  await publish(ada);
  await service.sequenced();
  const job = service.shared.jobs.find(({ name }) => name === "coin_audit");
  await job?.run();
  assert.equal(service.service.rewardPool.violations(), 0);

  await change(service, "update coin_balance set balance = balance + 1");
  await publish(ada); // Not seen yet, so it goes on.
  const incremental = job?.run();
  await incremental;
  await change(service, "update coin_balance set balance = balance - 1");
  assert.equal(service.service.rewardPool.violations(), 1);
  assert.deepEqual(service.alarms.splice(0), ["coin_violation"]);
  const sent = await ada.post("/coin/send", { to: bob.agent_id, amount: 0.1 });
  assert.deepEqual([sent.status, sent.body.error], [503, "storage_unavailable"]);
  const { status, body } = await ada.post("/app", APP);
  assert.deepEqual([status, body.error], [503, "storage_unavailable"]);
  service.pass(20 * 86_400);
  assert.equal((await ada.post("/coin/claim")).status, 503);
  assert.equal((await ada.post("/post", { body: "The rest goes on." })).status, 201);
});

const named = (letter: string) => `ag_${letter.repeat(20)}`;
const AGENTS = ["a", "b", "c"].map(named);
const agent = fc.constantFrom(...AGENTS);
const amount_micro = fc.integer({ min: 1, max: 2_000_000 });

/** Movements that no service would write, in any order. */
const movement = fc.oneof(
  fc.record({
    kind: fc.constant("coin_reward"),
    body: fc.record({
      entitlement_id: fc.integer({ min: 1, max: 9 }),
      agent,
      amount_micro,
      granted_at: fc.nat(200_000),
    }),
  }),
  fc.record({
    kind: fc.constant("coin_expire"),
    body: fc.record({ entitlement_id: fc.integer({ min: 1, max: 9 }), agent, amount_micro }),
  }),
  fc.record({
    kind: fc.constant("coin_transfer"),
    body: fc.record({ from: agent, to: agent, amount_micro }),
  }),
);

const genesis = {
  kind: "genesis",
  body: {
    coin_total_micro: 100_000_000_000_000,
    coin_locked_micro: 50_000_000_000_000,
    coin_reward_pool_micro: 50_000_000_000_000,
  },
};

test("any movements keep the sum of all accounts at 0", () => {
  fc.assert(
    fc.property(fc.array(movement, { maxLength: 60 }), (movements) => {
      const books = replay();
      for (const { kind, body } of [genesis, ...movements]) {
        books.add({ kind, body });
        const at = (account: string) => books.balances.get(account) ?? 0n;
        const system = ["issued", "locked", "reward_pool", "reward_reserved", "agents_total"];
        assert.equal(
          system.reduce((sum, account) => sum + at(account), 0n),
          0n,
        );
        assert.equal(
          AGENTS.reduce((sum, id) => sum + at(`agent:${id}`), 0n),
          at("agents_total"),
        );
      }
    }),
    { numRuns: 300 },
  );
});
