import assert from "node:assert/strict";
import { test } from "node:test";
import { inventAct } from "../../../../test/invented-acts.ts";
import { eachEngine, type TestAgent, type TestService } from "../../../../test/service.ts";
import { statement } from "../../../../test/statement.ts";
import type { Charged } from "../../../platform/context.ts";
import { days, HOUR_S } from "../../../platform/kernel/time.ts";
import { announce } from "../../../platform/ledger/announcements/announce.ts";
import { hourOf } from "../grants.ts";
import { grantReward } from "../rewards.ts";
import { NEWCOMER_SHARE } from "../rules.ts";
import { paceOf } from "./pace.ts";

const NUMBER = 3_000;
const NOW = 500_000 * HOUR_S;

const senderOf = (network: string) => ({ network, site: null, earlier: null });
const newcomer = (network: string): Charged => ({
  share: "newcomers",
  sender: senderOf(network),
});

/** How many of the tries of one second are granted, in turns. */
function granted(
  pace: ReturnType<typeof paceOf>,
  at: number,
  tries: readonly Charged[],
): Charged[] {
  return tries.filter((charged) => {
    if (!pace.allows(charged, at)) return false;
    pace.charge(charged, at);
    return true;
  });
}

/** A pace alone, which hears of its own grants each second as it would from the ledger. */
function hours(perHour: number, tries: readonly Charged[], seconds: number): Charged[] {
  const pace = paceOf();
  const sums = new Map<number, { hour: number; n: number; amount: number; newcomers: number }>();
  const all: Charged[] = [];
  for (let at = NOW; at < NOW + seconds; at++) {
    pace.refresh(perHour, [...sums.values()], at);
    for (const each of granted(pace, at, tries)) {
      all.push(each);
      const hour = hourOf(at);
      const sum = sums.get(hour) ?? { hour, n: 0, amount: 1, newcomers: 0 };
      sums.set(hour, {
        ...sum,
        n: sum.n + 1,
        newcomers: sum.newcomers + (each.share === "newcomers" ? 1 : 0),
      });
    }
  }
  return all;
}

const many = (charged: Charged, n: number): Charged[] => Array.from({ length: n }, () => charged);
const old: Charged = { share: "others", sender: null };
const young: Charged = { share: "newcomers", sender: null };

test("no hour grants more than the number, to any agents, and nearly all of it is granted", () => {
  for (const tries of [many(old, 20), many(young, 20), [...many(old, 9), ...many(young, 9)]]) {
    const n = hours(NUMBER, tries, HOUR_S).length;
    assert.ok(n <= NUMBER && n > NUMBER * 0.7, `${n} rewards`);
  }
  assert.ok(hours(1, many(old, 5), HOUR_S).length >= 1, "also a small number grants");
});

test("the unused part of a share goes to the other, and the used part is its own", () => {
  const both = hours(NUMBER, [...many(young, 50), ...many(old, 50)], HOUR_S);
  const newcomers = both.filter(({ share }) => share === "newcomers").length;
  assert.ok(Math.abs(newcomers / both.length - NEWCOMER_SHARE) < 0.02, `${newcomers} newcomers`);
  const one = hours(NUMBER, [...many(young, 50), old], HOUR_S);
  const others = one.filter(({ share }) => share === "others").length;
  assert.ok(others > NUMBER * 0.6, `one that asks each second is paid ${others} times`);
});

test("four hostile networks leave honest newcomers the most of their share", () => {
  const hostile = ["a", "b", "c", "d"].flatMap((network) => many(newcomer(network), 50));
  const honest = (n: number) => newcomer(`honest ${n}`);
  const tries = [...hostile, ...Array.from({ length: 10 }, (_, n) => honest(n))];
  const all = hours(NUMBER, tries, HOUR_S);
  const taken = all.filter(({ sender }) => (sender?.network.length ?? 0) === 1).length;
  const left = all.length - taken;
  assert.ok(taken <= (4 * NUMBER * NEWCOMER_SHARE) / 20, `${taken} by hostile networks`);
  assert.ok(left > 2 * taken, `${left} by honest newcomers`);
  const unnamed = hours(NUMBER, [...many(young, 200), honest(0)], HOUR_S);
  const control = unnamed.filter(({ sender }) => sender !== null).length;
  assert.ok(control < 5, "without names a flood takes it all");
});

test("a network that is called otherwise from the next hour on does not begin anew", () => {
  const pace = paceOf();
  pace.refresh(NUMBER, [], NOW);
  pace.refresh(NUMBER, [], NOW + HOUR_S);
  const taken = granted(pace, NOW + HOUR_S, many(newcomer("a"), 50)).length;
  assert.ok(taken > 0);
  const earlier = { network: "a", site: null };
  const renamed: Charged = { share: "newcomers", sender: { network: "z", site: null, earlier } };
  assert.equal(granted(pace, NOW + HOUR_S, many(renamed, 50)).length, 0);
  assert.equal(granted(pace, NOW + HOUR_S, many(newcomer("y"), 50)).length, taken, "a new one");
});

/** Announces a number as the operator does, and lets the process hear of it. */
async function pace({ service }: TestService, rewards_per_hour: number): Promise<void> {
  const { context, signer, rewardPool } = service;
  const announcement = { kind: "limit_added" as const, title: "A number", body: "It holds." };
  await context.write((tx) => announce(tx, context, signer, { ...announcement, rewards_per_hour }));
  await rewardPool.refresh(context.read, context.clock.now());
}

let acts = 0;

/** Earns as the domains do, on behalf of a caller. */
function earn({ service }: TestService, { agent_id }: TestAgent, network: string | null) {
  const { context } = service;
  const sender = network === null ? null : senderOf(network);
  const act = { agent: { id: 0, agent_id }, why: "app", source: `app/${++acts}` } as const;
  inventAct(agent_id, act.source);
  return context.write((tx) => grantReward(tx, { ...context, sender }, act));
}

eachEngine(
  "the farm at fifty times the pace: an old agent earns, and no hour has more",
  async (service) => {
    const { context, rewardPool } = service.service;
    const ada = await service.register("ada");
    await service.service.presence.flush(context);
    const age = statement("update presence set days_present = 3");
    await context.write((tx) => tx.run(age, []));
    service.pass(days(8));
    assert.equal((await earn(service, ada, null)).why, null, "no number is in force");
    await service.sequenced();
    await pace(service, 60);
    assert.equal((await service.get("/coin")).body.rules.max_rewards_network_per_hour, 60);
    const farm = await Promise.all(Array.from({ length: 30 }, () => service.register()));
    const [paid, whys]: [number[], Set<string | null>] = [[0, 0], new Set()];
    for (let turn = 0; turn < 72; turn++) {
      service.pass(50); // So the farm's hour takes 72 turns.
      await service.sequenced();
      await rewardPool.refresh(context.read, context.clock.now());
      for (const agent of [...farm.slice(turn % 30), ...farm.slice(0, turn % 30)]) {
        const { why } = await earn(service, agent, null);
        whys.add(why);
        if (why === null) paid[1] = (paid[1] ?? 0) + 1;
      }
      if (turn % 8 === 0 && (await earn(service, ada, null)).why === null)
        paid[0] = (paid[0] ?? 0) + 1;
    }
    const [old = 0, young = 0] = paid;
    assert.equal(old, 9, "the old agent each time, up to its day");
    assert.ok(young + old <= 60 && young > 20, `${young} by the farm`);
    assert.deepEqual(whys, new Set([null, "network_limit"]));
    await service.sequenced();
    const sealed = (await service.get("/since?after_id=0&limit=1000&kinds=coin_reward")).body
      .entries;
    const shares = sealed.filter(
      ({ body }: { body: { share?: string } }) => body.share !== undefined,
    );
    assert.equal(shares.length, young, "whom the number charged is in the entry");

    const { counters, mechanisms } = (await service.get("/protection")).body;
    assert.ok(counters.rewards_braked > 1_000);
    assert.equal(mechanisms.find(({ id }: { id: string }) => id === "reward_pace").on, true);
    await pace(service, 0);
    assert.equal((await service.get("/coin")).body.rules.max_rewards_network_per_hour, null);
    for (const agent of farm.slice(0, 5))
      assert.equal((await earn(service, agent, null)).why, null);
    const numbers = (await service.get("/verify")).body.announcements.map(
      ({ rewards_per_hour }: { rewards_per_hour: number }) => rewards_per_hour,
    );
    assert.deepEqual(numbers, [0, 60], "every change of the number is announced");
  },
);

/** Publishes something by HTTP through a proxy that tells the caller's address; why it earned nothing. */
async function publish({ url }: TestService, { token }: TestAgent, address: string | null) {
  const answer = await fetch(`${url}/api/v1/app`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      ...(address === null ? {} : { "x-forwarded-for": address }),
    },
    body: JSON.stringify({ name: "A", description: "It.", homepage: "https://a.example" }),
  });
  assert.equal(answer.status, 201);
  const { reward } = (await answer.json()) as { reward: { why: string | null } };
  return reward.why;
}

for (const isKnown of [true, false])
  eachEngine(
    `four hostile networks ${isKnown ? "leave the rest to" : "without names take all from"} honest newcomers`,
    async (service) => {
      const { context, rewardPool } = service.service;
      const from = (address: string) => (isKnown ? address : null);
      await pace(service, 1_000);
      service.pass(600); // The newcomers' share is full: a seventh of 200.
      await service.sequenced();
      await rewardPool.refresh(context.read, context.clock.now());
      const paid = { hostile: 0, honest: 0 };
      for (const network of [1, 2, 3, 4]) {
        const farm = await service.register();
        for (let n = 0; n < 10; n++)
          if ((await publish(service, farm, from(`198.51.100.${network}`))) === null)
            paid.hostile++;
      }
      for (let n = 1; n <= 10; n++) {
        const newcomer = await service.register();
        if ((await publish(service, newcomer, from(`203.0.113.${n}`))) === null) paid.honest++;
      }
      if (isKnown) assert.deepEqual([paid.hostile <= 4 * 2, paid.honest], [true, 10]);
      else assert.deepEqual([paid.hostile >= 28, paid.honest], [true, 0]);
    },
  );

eachEngine(
  "a braked act uses up nothing of the day, and says so after the day's limit",
  async (service) => {
    const { context, rewardPool } = service.service;
    const ada = await service.register("ada");
    for (let n = 0; n < 9; n++) assert.equal((await earn(service, ada, "a")).why, null);
    await pace(service, 1);
    const last = await earn(service, ada, "a");
    assert.equal(last.why, null, "at least one grant is held");
    const bob = await service.register("bob");
    assert.equal((await earn(service, bob, "b")).why, "network_limit");
    assert.equal((await bob.get("/coin")).body.you.rewards_today, 0);
    assert.equal((await earn(service, ada, "a")).why, "daily_limit", "which comes first");
    const made = await bob.post("/app", {
      name: "A",
      description: "It.",
      homepage: "https://a.example",
    });
    assert.deepEqual(
      [made.status, made.body.reward],
      [201, { entitlement: null, why: "network_limit" }],
    );
    await pace(service, 0);
    await rewardPool.refresh(context.read, context.clock.now());
    assert.equal((await earn(service, bob, "b")).why, null);
  },
);

eachEngine("the figures of the pool are there without a number, too", async (service) => {
  const ada = await service.register("ada");
  const figures = async () => {
    await service.sequenced();
    const { granted_today, rewards_last_24h, reward_pool_days_left, hour_began_at } = (
      await service.get("/coin")
    ).body;
    return { granted_today, rewards_last_24h, reward_pool_days_left, hour_began_at };
  };
  const began = await figures();
  assert.deepEqual(
    { ...began, hour_began_at: 0 },
    { granted_today: 0, rewards_last_24h: 0, reward_pool_days_left: null, hour_began_at: 0 },
  );
  for (let n = 0; n < 10; n++) await earn(service, ada, null);
  service.pass(1);
  const now = await figures();
  assert.deepEqual([now.granted_today, now.rewards_last_24h], [1, 10]);
  assert.equal(now.reward_pool_days_left, 49_999_999 * 7);
  const { counters, mechanisms } = (await service.get("/protection")).body;
  assert.deepEqual([counters.rewards_this_hour, counters.rewards_last_24h], [10, 10]);
  const pool = mechanisms.find(({ id }: { id: string }) => id === "reward_pool");
  assert.equal(pool.settings.warning, false);
  service.pass(days(1));
  assert.deepEqual((await figures()).rewards_last_24h, 0);
  service.pass(days(7));
  assert.equal((await figures()).reward_pool_days_left, null);
});
