import assert from "node:assert/strict";
import { test } from "node:test";
import { findingsOf } from "../../../../test/invariants.ts";
import {
  ENGINES,
  openTestService,
  type TestAgent,
  type TestService,
} from "../../../../test/service.ts";
import { statement } from "../../../../test/statement.ts";
import { days } from "../../../platform/kernel/time.ts";
import { append } from "../../../platform/ledger/append.ts";
import { enactSurely } from "../../../platform/ledger/rows/enact.ts";
import * as apps from "../../apps/entries.ts";
import * as entries from "../entries.ts";
import * as sql from "../queries.ts";
import { rows } from "../rows.ts";
import { dayOf, type RewardWhy } from "../rules.ts";
import { transferEach } from "../transfer-queries.ts";
import { coinAudit } from "./audit.ts";

/** What an operator with the database writes: rows and entries agree, and the chain is sealed. */
interface Forged {
  readonly why?: RewardWhy;
  readonly source?: string;
  readonly amount?: number;
  readonly granted_at?: number;
  readonly matures_at?: number;
  readonly expires_at?: number;
  /** Whether the day's count is raised, as the service does. */
  readonly isCounted?: boolean;
}

const HASH = "a".repeat(64);
let acts = 100;

/** A true act: an application that the ledger has. */
async function act({ service: { context } }: TestService, { agent_id }: TestAgent) {
  const app_id = ++acts;
  const hashes = { name_sha256: HASH, description_sha256: HASH };
  await context.write(async (tx) => append(tx, apps.app, { app_id, agent: agent_id, ...hashes }));
  return `app/${app_id}`;
}

/**
 * Time passes, and an entry of the new time gets its place. Without one, the next entries would count as late:
 * those that waited while the ledger stood still.
 */
async function passAndPlace(service: TestService, agent: TestAgent, seconds: number) {
  service.pass(seconds);
  await act(service, agent);
  await service.sequenced();
}

async function reward(service: TestService, agent: TestAgent, forged: Forged): Promise<number> {
  const { context } = service.service;
  const { agent_id } = agent;
  const source = forged.source ?? (await act(service, agent));
  return context.write(async (tx) => {
    const granted_at = forged.granted_at ?? context.clock.now();
    const terms = {
      granted_at,
      matures_at: forged.matures_at ?? granted_at + days(20),
      expires_at: forged.expires_at ?? granted_at + days(40),
    };
    const { amount = 100_000, why = "app" } = forged;
    if (forged.isCounted !== false)
      await sql.countReward.run(tx, { agent_id, day: dayOf(granted_at) });
    const fields = { agent: agent_id, amount_micro: amount, why, source, ...terms };
    return (await enactSurely(tx, rows.coinReward, fields, granted_at)).id;
  });
}

function collect(
  { service: { context } }: TestService,
  { agent_id }: TestAgent,
  ids: readonly number[],
  amount = 100_000 * ids.length,
): Promise<void> {
  return context.write(async (tx) => {
    const [count, made_at] = [ids.length, context.clock.now()];
    const fields = { agent: agent_id, amount_micro: amount, count, entitlements: ids.join(",") };
    const { id } = await enactSurely(tx, rows.coinClaim, fields, made_at);
    await sql.credit.run(tx, { agent_id, balance: amount });
    const set = `state = 'credited', coin_claim_id = ${id}`;
    await tx.run(statement(`UPDATE coin_entitlement SET ${set} WHERE id IN (${ids.join()})`), []);
  });
}

function expire({ service: { context } }: TestService, { agent_id }: TestAgent, id: number) {
  return context.write(async (tx) => {
    await tx.run(statement(`UPDATE coin_entitlement SET state = 'expired' WHERE id = ${id}`), []);
    append(tx, entries.coinExpire, {
      entitlement_id: id,
      agent: agent_id,
      amount_micro: 100_000,
      made_at: context.clock.now(),
    });
  });
}

const now = ({ service }: TestService): number => service.context.clock.now();

const NOT_DONE = "No entry before it says that the agent has done this, or it has earned already.";
const IN_TIME = "It got its place before it was made, or more than 300 seconds after.";
const TERMS = "A reward matures 20 days after its grant, and expires 20 days later.";
const TODAY = "An agent earns 10 rewards a UTC day.";
const OWN = "Each entitlement is the agent's own, rising, and collected once.";

/** A history that somebody with the database can forge, and the sentences that refuse it, in order. */
type Forgery = readonly [
  name: string,
  forge: (service: TestService, thief: TestAgent) => Promise<unknown>,
  refused: readonly string[],
];

const FORGERIES: readonly Forgery[] = [
  [
    "49,000,000 coins for a commit that does not exist",
    (service, thief) =>
      reward(service, thief, {
        why: "repo_commit",
        source: "commit/424242",
        amount: 49_000_000_000_000,
      }),
    [NOT_DONE],
  ],
  [
    "49,000,000 coins for a true act, collected in the same second",
    async (service, thief) => {
      const id = await reward(service, thief, { amount: 49_000_000_000_000 });
      await collect(service, thief, [id], 49_000_000_000_000);
    },
    ["A reward is 0.1 coin.", "An entitlement has not matured."],
  ],
  [
    "three rewards for one act, with three reasons",
    async (service, thief) => {
      const source = await act(service, thief);
      for (const why of ["app", "repo_commit", "task_pass"] as const)
        await reward(service, thief, { why, source });
    },
    [NOT_DONE, NOT_DONE],
  ],
  [
    "a reason that does not pay the act",
    (service, thief) => reward(service, thief, { why: "task_pass" }),
    ["The act is none that this reason pays."],
  ],
  [
    "ten rewards for commits that do not exist",
    async (service, thief) => {
      for (let n = 5_000; n < 5_010; n++)
        await reward(service, thief, { why: "repo_commit", source: `commit/${n}` });
    },
    Array.from({ length: 10 }, () => NOT_DONE),
  ],
  [
    "a reward for another agent's act",
    async (service, thief) =>
      reward(service, thief, { source: await act(service, await service.register("worker")) }),
    [NOT_DONE],
  ],
  [
    "a reward for an act of 30 days ago",
    async (service, thief) => {
      const source = await act(service, thief);
      await service.sequenced();
      service.pass(days(30));
      await act(service, thief); // Something happens again, as in any network.
      await reward(service, thief, { source });
    },
    [NOT_DONE],
  ],
  [
    "a reward that matures after a second, collected after two",
    async (service, thief) => {
      const id = await reward(service, thief, { matures_at: now(service) + 1 });
      service.pass(2);
      await collect(service, thief, [id]);
    },
    [TERMS],
  ],
  [
    "a true reward, collected 19 days early",
    async (service, thief) => {
      const id = await reward(service, thief, {});
      await service.sequenced();
      service.pass(days(1));
      await collect(service, thief, [id]);
    },
    ["An entitlement has not matured."],
  ],
  [
    "a reward that was collected on day 300",
    async (service, thief) => {
      const id = await reward(service, thief, {});
      await service.sequenced();
      service.pass(days(300));
      await collect(service, thief, [id]);
    },
    ["An entitlement has expired."],
  ],
  [
    "a reward that was collected twice",
    async (service, thief) => {
      const id = await reward(service, thief, {});
      await reward(service, thief, {}); // Without another reward the books themselves refuse it.
      await service.sequenced();
      service.pass(days(20) + 1);
      await collect(service, thief, [id]);
      await collect(service, thief, [id]);
    },
    [OWN],
  ],
  [
    "a victim's reward, collected by the thief",
    async (service, thief) => {
      const id = await reward(service, await service.register("victim"), {});
      await service.sequenced();
      service.pass(days(20) + 1);
      await collect(service, thief, [id]);
    },
    [OWN],
  ],
  [
    "a victim's reward that expired on day 1",
    async (service, victim) => {
      const id = await reward(service, victim, {});
      await service.sequenced();
      service.pass(days(1));
      await expire(service, victim, id);
    },
    ["The reward has not expired."],
  ],
  [
    "200 rewards of one second, dated on 20 past days",
    async (service, thief) => {
      await passAndPlace(service, thief, days(60));
      for (let day = 0; day < 20; day++)
        for (let n = 0; n < 10; n++)
          await reward(service, thief, { granted_at: now(service) - days(day + 21) });
    },
    Array.from({ length: 200 }, () => IN_TIME),
  ],
  [
    "250 rewards of one past day",
    async (service, thief) => {
      await passAndPlace(service, thief, days(60));
      for (let day = 0; day < 4; day++)
        await reward(service, thief, { granted_at: now(service) - days(day) });
      for (let n = 0; n < 250; n++)
        await reward(service, thief, { granted_at: now(service) - days(30) });
    },
    Array.from({ length: 253 }, () => IN_TIME),
  ],
  [
    "11 rewards of one day for true acts",
    async (service, thief) => {
      for (let n = 0; n < 11; n++) await reward(service, thief, { isCounted: n < 10 });
    },
    [TODAY],
  ],
  [
    "a transfer of more than its sender has",
    async ({ service: { context }, register }, thief) => {
      const to = await register("friend");
      await context.write(async (tx) => {
        append(tx, entries.coinTransfer, {
          transfer_id: 7,
          from: thief.agent_id,
          to: to.agent_id,
          amount_micro: 1,
        });
      });
    },
    ["Your balance is lower than the amount; pending and matured entitlements do not count."],
  ],
];

for (const engine of ENGINES) {
  for (const [name, forge, refused] of FORGERIES)
    test(`refused: ${name} [${engine}]`, async () => {
      const service = await openTestService(engine, name);
      try {
        await forge(service, await service.register("thief"));
        const found = await findingsOf(service);
        assert.deepEqual(
          found.map((each) => each.slice(each.indexOf(": ") + 2)),
          refused,
        );
      } finally {
        await service.close();
      }
    });

  test(`coins that nobody had are told, and stop the coins of a node [${engine}]`, async () => {
    const service = await openTestService(engine, "overdrawn");
    const { context } = service.service;
    const [thief, friend] = [await service.register("thief"), await service.register("friend")];
    const move = (transfer_id: number, from: TestAgent, to: TestAgent) => {
      const parties = { from: from.agent_id, to: to.agent_id, amount_micro: 9_000_000_000 };
      const of = { transfer_id, ...parties };
      return context.write(async (tx) => append(tx, entries.coinTransfer, of));
    };
    const broken = async () => {
      await service.sequenced();
      const yieldToRequests = async () => {};
      const found = await coinAudit().run({ ...context, yieldToRequests });
      return found.map(({ invariant }) => invariant);
    };
    const run = (job: string) => service.shared.jobs.find(({ name }) => name === job)?.run();
    try {
      await move(7, thief, friend);
      assert.deepEqual(await broken(), ["I4"], "neither has a row to compare");
      await run("coin_audit");
      await run("rules_audit");
      assert.deepEqual(service.alarms.splice(0), ["coin_violation", "rule_violation"]);
      const sent = await friend.post("/coin/send", { to: thief.agent_id, amount: 1 });
      assert.deepEqual([sent.status, sent.body.error], [503, "storage_unavailable"]);
      await move(8, friend, thief);
      assert.deepEqual(await broken(), [], "the sums hold again, and the rules name the entry");
      assert.equal((await findingsOf(service)).length, 1);
    } finally {
      await service.close();
    }
  });

  test(`allowed: ten true acts, collected after 20 days and sent on [${engine}]`, async () => {
    const service = await openTestService(engine, "honest");
    try {
      const [worker, friend] = [await service.register(), await service.register()];
      for (let n = 0; n < 10; n++) await reward(service, worker, {});
      await service.sequenced();
      service.pass(days(20) + 1);
      assert.equal((await worker.post("/coin/claim")).body.collected, 1);
      const sent = await worker.post("/coin/send", { to: friend.agent_id, amount: "0.5" });
      assert.equal(sent.status, 201);
      assert.deepEqual(await findingsOf(service), []);
    } finally {
      await service.close();
    }
  });

  test(`refused: rows that are edited for a moment, and edited back [${engine}]`, async () => {
    const service = await openTestService(engine, "edit and restore");
    try {
      const mallory = await service.register("mallory");
      for (let n = 0; n < 10; n++) await reward(service, mallory, {});
      await service.sequenced();
      const shift = (by: string) =>
        service.service.context.write((tx) =>
          tx.run(
            statement(`UPDATE coin_entitlement SET matures_at = matures_at ${by},
              granted_at = granted_at ${by}, expires_at = expires_at ${by}`),
            [],
          ),
        );
      await shift("- 1728000");
      assert.equal((await mallory.post("/coin/claim")).body.collected, 1, "in the same second");
      await shift("+ 1728000");
      const found = await findingsOf(service);
      assert.deepEqual(found, ["coin_claim 1: An entitlement has not matured."]);
    } finally {
      await service.close();
    }
  });

  test(`not provable: a transfer that its sender never asked for [${engine}]`, async () => {
    const service = await openTestService(engine, "not provable");
    try {
      const [victim, thief] = [await service.register(), await service.register()];
      await reward(service, victim, {});
      await service.sequenced();
      service.pass(days(20) + 1);
      await victim.post("/coin/claim");
      const { context } = service.service;
      await context.write(async (tx) => {
        const parties = { from_agent: victim.agent_id, to_agent: thief.agent_id };
        const rest = { memo: null, client_ref: null, created_at: context.clock.now() };
        const [made] = await transferEach(tx, [{ ...parties, amount: 100_000, ...rest }]);
        assert.ok(made);
        append(tx, entries.coinTransfer, {
          transfer_id: made.id,
          from: victim.agent_id,
          to: thief.agent_id,
          amount_micro: 100_000,
        });
      });
      assert.deepEqual(await findingsOf(service), [], "until agents sign what they do");
    } finally {
      await service.close();
    }
  });
}
