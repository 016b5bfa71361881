import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { wealthy } from "../../../test/coin.ts";
import { eventually, openStore, times, withStore } from "../../../test/postgres-store.ts";
import { eachEngine, type TestAgent } from "../../../test/service.ts";
import { roundsOf, transferIn } from "./transfers.ts";

const NAMES = ["ada", "bob", "cleo", "dan", "eve"];

const wanted = (from_agent: string, to_agent: string, amount: number) => ({
  ...{ from_agent, to_agent, amount },
  ...{ memo: null, client_ref: null, created_at: 1_800_000_000 },
});

test("in no round an agent is twice, and each sees its transfers in their order", () => {
  const transfer = fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...NAMES));
  fc.assert(
    fc.property(fc.array(transfer, { maxLength: 40 }), (pairs) => {
      const all = pairs
        .filter(([from, to]) => from !== to)
        .map(([from_agent, to_agent], place) => ({ from_agent, to_agent, place }));
      const rounds = roundsOf(all);
      for (const round of rounds) {
        const parties = round.flatMap(({ from_agent, to_agent }) => [from_agent, to_agent]);
        assert.equal(new Set(parties).size, parties.length);
      }
      const made = rounds.flat();
      assert.equal(made.length, all.length);
      for (const name of NAMES) {
        const places = made
          .filter(({ from_agent, to_agent }) => from_agent === name || to_agent === name)
          .map(({ place }) => place);
        assert.deepEqual(
          places,
          places.toSorted((a, b) => a - b),
        );
      }
    }),
  );
});

eachEngine("of transfers in one group each sees what the ones before it left", async (service) => {
  const [ada, bob, cleo] = await wealthy(service, 3);
  assert.ok(ada && bob && cleo);
  const newcomer = await service.register();
  const names = [ada, bob, cleo, newcomer].map(({ agent_id }) => agent_id);
  const by = (from: number, to: number, amount: number) =>
    wanted(names[from] ?? "", names[to] ?? "", amount);
  const orders = [
    by(0, 1, 600_000),
    by(0, 2, 600_000), // There are 400,000 left.
    by(1, 3, 1_600_000), // With what has just come.
    by(3, 0, 1_600_001),
    by(3, 0, 1_600_000),
    by(2, 1, 1),
  ];
  const { write } = service.service.context;
  const outcomes = await Promise.all(
    orders.map((order) => write((tx) => transferIn(tx, order), "grouped")),
  );
  assert.deepEqual(
    outcomes.map((made) => made?.balance ?? null),
    [400_000, null, 0, null, 0, 999_999],
  );
  const balanceOf = async (agent: TestAgent) => (await agent.get("/me")).body.coin.balance;
  assert.deepEqual(
    await Promise.all([ada, bob, cleo, newcomer].map(balanceOf)),
    [2, 0.000001, 0.999999, 0],
  );
  await service.sequenced();
  const { entries } = (await service.get("/coin/ledger?limit=4")).body;
  assert.deepEqual(
    entries.map(({ amount }: { amount: number }) => amount).sort(),
    [0.000001, 0.6, 1.6, 1.6],
  );
});

test("groups of two nodes never wait for each other in a circle [postgres]", () =>
  withStore(async ({ store, url, other }) => {
    await other.query("alter table coin_balance disable trigger all");
    for (const name of NAMES)
      await other.query("insert into coin_balance (agent_id, balance) values ($1, 1000)", [name]);
    const second = await openStore(url);
    const nodes = [store, second];
    const parties = times(NAMES.length, (i) => [NAMES[i], NAMES[(i + 1) % NAMES.length]]);
    const callers = times(20, async (caller) => {
      const node = nodes[caller % 2] ?? store;
      for (let i = 0; i < 20; i++) {
        const [one = "", two = ""] = parties[(caller + i) % parties.length] ?? [];
        const order = caller % 4 < 2 ? wanted(one, two, 1) : wanted(two, one, 1);
        assert.ok(await node.write((tx) => transferIn(tx, order), "grouped"));
      }
    });
    await Promise.all(callers);
    await second.close();
    const { rows } = await other.query("select sum(balance)::text as sum from coin_balance");
    assert.deepEqual(rows, [{ sum: "5000" }]);
    const figures = () =>
      other.query(
        "select deadlocks::text, xact_commit > 50 as reported from pg_stat_database where datname = current_database()",
      );
    await eventually(async () => (await figures()).rows[0].reported);
    assert.deepEqual((await figures()).rows, [{ deadlocks: "0", reported: true }]);
  }));

test("a group that the server refuses is told to its callers, and to nobody else [postgres]", () =>
  withStore(async ({ store, other }) => {
    await other.query("alter table coin_balance rename to away");
    const outcomes = await Promise.allSettled([
      store.write((tx) => transferIn(tx, wanted("ada", "bob", 1)), "grouped"),
      store.write((tx) => transferIn(tx, wanted("cleo", "dan", 1)), "grouped"),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["rejected", "rejected"],
    );
  }));
