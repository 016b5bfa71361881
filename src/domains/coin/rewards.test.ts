import assert from "node:assert/strict";
import { earn } from "../../../test/coin.ts";
import { readLedger } from "../../../test/invariants.ts";
import { eachEngine, START, type TestService } from "../../../test/service.ts";
import { statement } from "../../../test/statement.ts";
import { perProcessJobs } from "../../main/jobs/per-process.ts";
import { micro } from "../../platform/kernel/money.ts";
import { DAY_S, days } from "../../platform/kernel/time.ts";
import { grantReward, noReward } from "./rewards.ts";

const rewardsIn = async (service: TestService) => {
  await service.sequenced();
  return (await readLedger(service)).filter(({ kind }) => kind === "coin_reward");
};

eachEngine("an act earns an entitlement, and its entry seals the times", async (service) => {
  const ada = await service.register("ada");
  const times = { granted_at: START, matures_at: START + days(20), expires_at: START + days(40) };
  const act = { why: "repo_commit", source: "commit/88" };
  assert.deepEqual(await earn(service, ada, "commit/88"), {
    entitlement: { id: 1, amount: micro(100_000), ...act, state: "pending", ...times },
    why: null,
  });
  const [entry] = await rewardsIn(service);
  assert.equal(entry?.ref, "1");
  assert.deepEqual(entry.body, {
    entitlement_id: 1,
    agent: ada.agent_id,
    amount_micro: 100_000,
    ...act,
    ...times,
  });
});

eachEngine("one act earns once, and a repeat uses up nothing", async (service) => {
  const [ada, bob] = [await service.register(), await service.register()];
  await earn(service, ada, "claim/1", "claim_judged");
  for (let i = 0; i < 12; i++)
    assert.equal((await earn(service, ada, "claim/1", "claim_judged")).why, "already_rewarded");
  assert.equal((await ada.get("/coin")).body.you.rewards_today, 1);
  const others = [
    await earn(service, ada, "verdict/1", "claim_judged"),
    await earn(service, ada, "task/1", "task_pass"),
    await earn(service, bob, "claim/1", "claim_judged"),
  ];
  assert.deepEqual(
    others.map(({ entitlement }) => entitlement?.id),
    [2, 3, 4],
    "another source, another kind and another agent earn, and refusals draw no id",
  );
});

eachEngine("ten rewards a UTC day, and the eleventh act goes on without", async (service) => {
  const ada = await service.register("ada");
  const midnight = START - (START % DAY_S) + DAY_S;
  service.pass(midnight - 1 - START);
  for (let n = 1; n <= 10; n++)
    assert.equal((await earn(service, ada, `app/${n}`, "app")).entitlement?.id, n);
  assert.deepEqual(await earn(service, ada, "app/11", "app"), noReward("daily_limit"));
  assert.equal((await earn(service, ada, "app/3", "app")).why, "already_rewarded", "comes first");
  const { you } = (await ada.get("/coin")).body;
  assert.deepEqual([you.rewards_left_today, you.day_ends_at], [0, midnight]);
  service.pass(1);
  assert.equal((await earn(service, ada, "app/11", "app")).entitlement?.id, 11, "a new day");
  assert.equal((await ada.get("/coin")).body.you.rewards_left_today, 9);
  assert.equal((await rewardsIn(service)).length, 11);
});

eachEngine("an act that is undone takes its reward with it", async (service) => {
  const ada = await service.register("ada");
  const { context } = service.service;
  const agent = { id: 0, agent_id: ada.agent_id };
  const act = context.write(async (tx) => {
    await grantReward(tx, context, { agent, why: "app", source: "app/1" });
    throw new Error("undone");
  });
  await assert.rejects(act, /undone/);
  const { you } = (await ada.get("/coin")).body;
  assert.deepEqual([you.rewards_today, you.pending, you.entitlements], [0, 0, []]);
  assert.deepEqual(await rewardsIn(service), []);
});

eachEngine("a pool below its reserve grants nothing, whatever else is true", async (service) => {
  const ada = await service.register("ada");
  const { rewardPool, context } = service.service;
  await earn(service, ada, "app/1", "app");
  const row = "update coin_account set balance = balance - 49999000000000";
  const drain = statement(`${row} where account = 'reward_pool'`);
  const refill = statement(`${row.replace(" - ", " + ")} where account = 'reward_pool'`);
  await context.write((tx) => tx.run(drain, []));
  assert.equal((await earn(service, ada, "app/2", "app")).why, null, "nobody has looked yet");
  await service.sequenced();
  for (const { name, run } of perProcessJobs(service.service))
    if (name === "coin_pool") await run();
  assert.ok(rewardPool.balance() < 1_000_000_000n);
  assert.deepEqual(await earn(service, ada, "app/1", "app"), noReward("pool_low"));
  await context.write((tx) => tx.run(refill, []));
  await rewardPool.refresh(context.read, context.clock.now());
  assert.equal((await earn(service, ada, "app/3", "app")).entitlement?.id, 3);
});
