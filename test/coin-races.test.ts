import assert from "node:assert/strict";
import { collect } from "../src/domains/coin/collect.ts";
import { expireOverdue } from "../src/domains/coin/expiry.ts";
import { days } from "../src/platform/kernel/time.ts";
import { earn, publish, wealthy } from "./coin.ts";
import { times } from "./postgres-store.ts";
import { eachEngine, type Reply, type TestAgent, type TestService } from "./service.ts";

/** More rounds find rarer orders of events. */
const ROUNDS = Number(process.env["TEST_ROUNDS"] ?? 12);
const CALLERS = 8;

const collected = ({ status, body }: Reply): number => {
  assert.equal(status, 200, JSON.stringify(body));
  return body.collected;
};

async function two(service: TestService): Promise<{ ada: TestAgent; bob: TestAgent }> {
  const [ada, bob] = await wealthy(service, 2);
  assert.ok(ada && bob);
  return { ada, bob };
}

const balanceOf = async (agent: TestAgent): Promise<number> =>
  (await agent.get("/me")).body.coin.balance;

eachEngine("of claims at once exactly one collects", async (service) => {
  const ada = await service.register();
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(times(3, () => publish(ada)));
    service.pass(days(20));
    const answers = await Promise.all(times(CALLERS, () => ada.post("/coin/claim")));
    const amounts = answers.map(collected).sort();
    assert.deepEqual(amounts, [...times(CALLERS - 1, () => 0), 0.3], `round ${round}`);
  }
  assert.equal(Math.round((await balanceOf(ada)) * 10), 3 * ROUNDS);
});

eachEngine("of a claim and the expiry exactly one wins", async (service) => {
  const { context } = service.service;
  const ada = await service.register();
  // Another node, whose clock is a second ahead: for it day 40 has come.
  const ahead = { ...context, clock: { now: () => context.clock.now() + 1, mayEnd: () => true } };
  const agent = { id: 0, agent_id: ada.agent_id, handle: null };
  const won = { claims: 0, expiries: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    await publish(ada);
    service.pass(days(40) - 1);
    // Both begin at once, or one of them when another caller has done the other: so each wins at times.
    const [claimed, expired] = times(2, () => Promise.withResolvers<void>());
    const claim = async () => {
      if (round % 3 === 1) await expired?.promise;
      const { entitlements } = await collect(context, agent);
      claimed?.resolve();
      return ["claim", entitlements.length] as const;
    };
    const expire = async () => {
      if (round % 3 === 2) await claimed?.promise;
      const count = await expireOverdue(ahead);
      expired?.resolve();
      return ["expiry", count] as const;
    };
    const callers = times(CALLERS, (n) => (n % 2 === 0 ? claim : expire));
    const outcomes = await Promise.all(callers.map((call) => call()));
    const winners = outcomes.filter(([, count]) => count > 0);
    assert.deepEqual(winners, [[winners[0]?.[0], 1]], `round ${round}`);
    won[winners[0]?.[0] === "claim" ? "claims" : "expiries"]++;
  }
  assert.ok(won.claims > 0 && won.expiries > 0, "each wins at times");
  const { you } = (await ada.get("/coin")).body;
  assert.equal(Math.round(you.credited_total * 10), won.claims);
  assert.equal(Math.round(you.expired_total * 10), won.expiries);
});

eachEngine("sends at once never spend the same coins twice", async (service) => {
  const { ada, bob } = await two(service);
  for (let round = 0; round < ROUNDS; round++) {
    const order = { to: bob.agent_id, amount: 0.3 };
    const answers = await Promise.all(times(CALLERS, () => ada.post("/coin/send", order)));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [201, 201, 201, ...times(CALLERS - 3, () => 409)], `round ${round}`);
    for (const { status, body } of answers)
      if (status === 409) assert.equal(body.error, "insufficient_balance");
    assert.deepEqual([await balanceOf(ada), await balanceOf(bob)], [0.1, 1.9]);
    await bob.post("/coin/send", { to: ada.agent_id, amount: 0.9 });
  }
});

eachEngine("transfers that cross each other all arrive", async (service) => {
  const { ada, bob } = await two(service);
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await Promise.all(
      times(CALLERS, (n) => {
        const [from, to] = n % 2 === 0 ? [ada, bob] : [bob, ada];
        return from.post("/coin/send", { to: to.agent_id, amount: "0.2" });
      }),
    );
    for (const { status, body } of answers) assert.equal(status, 201, JSON.stringify(body));
  }
  assert.deepEqual([await balanceOf(ada), await balanceOf(bob)], [1, 1]);
});

eachEngine("an eleventh reward of a day slips through no gap", async (service) => {
  const ada = await service.register();
  for (let round = 0; round < ROUNDS; round++) {
    const acts = times(CALLERS * 2, () => publish(ada));
    const whys = (await Promise.all(acts)).map(({ why }) => why);
    assert.equal(whys.filter((why) => why === null).length, 10, `round ${round}`);
    assert.equal(whys.filter((why) => why === "daily_limit").length, CALLERS * 2 - 10);
    service.pass(days(1));
  }
});

eachEngine("one act is paid once, however often it is reported at once", async (service) => {
  const ada = await service.register();
  for (let round = 0; round < ROUNDS; round++) {
    const acts = times(CALLERS, () => earn(service, ada, `task/${round}`, "task_pass"));
    const whys = (await Promise.all(acts)).map(({ why }) => why).sort();
    const refusals = times(CALLERS - 1, () => "already_rewarded");
    assert.deepEqual(whys, [...refusals, null], `round ${round}`);
    assert.equal((await ada.get("/coin")).body.you.rewards_today, (round % 10) + 1);
    if (round % 10 === 9) service.pass(days(1));
  }
});
