import assert from "node:assert/strict";
import { dev } from "../../../../test/chain-service.ts";
import { forgetful, heads, lists } from "../../../../test/lying-nodes.ts";
import { eachMarket, type Market } from "../../../../test/market-service.ts";
import { statement } from "../../../../test/statement.ts";
import { accountText } from "../../../platform/chain/account.ts";
import { honest } from "../../../platform/chain/dev/node.ts";
import { HOUR_S } from "../../../platform/kernel/time.ts";
import { settleDueOrders } from "../orders/timers.ts";
import { watched } from "../queries.ts";
import { type Handled, scanAccount } from "./scan.ts";

const ESCROW = accountText(dev("escrow").key);

/** A round of the watcher, by a process that remembers nothing unless the test says so. */
const scan = ({ context, payers }: Market, handled: Handled = new Map()) =>
  scanAccount({ ...context, chain: payers.adapter }, ESCROW, handled);

async function hoursOfScans(market: Market, hours: number): Promise<readonly string[]> {
  const ends: string[] = [];
  for (let hour = 0; hour < hours; hour++) {
    market.pass(HOUR_S);
    market.payers.pass(HOUR_S * 1_000);
    ends.push(await scan(market));
    await settleDueOrders(market.context, 10);
  }
  return ends;
}

const named = ({ payers }: Market) =>
  new Set(payers.alarms.map(({ facts }) => `${Object(facts).what}`));

for (const [quorum, nodes] of [
  [1, 2],
  [2, 3],
  [3, 5],
] as const)
  for (const isNamed of [true, false])
    eachMarket(
      `a transfer that one of ${nodes} invents stops nothing (quorum ${quorum}, ${isNamed ? "it is named" : "it says that it forgets"})`,
      async (market) => {
        const { buyer, seen, payers, send } = market;
        const offer_id = await market.offer();
        const [order, other] = [await market.order(offer_id), await market.order(offer_id)];
        assert.equal(await scan(market), "complete");
        const fault = lists(order.split.due_raw);
        payers.spoil(isNamed ? fault : forgetful(fault), 1);
        const [first, ...later] = await hoursOfScans(market, 30);
        assert.equal(first === "complete" || quorum > 1, true);
        assert.deepEqual([...new Set(later)], ["complete"]);
        assert.equal(named(market).has("told of a block that it cannot show"), isNamed);
        assert.equal((await seen(buyer, other.id)).state, "expired");
        const next = await market.order(offer_id);
        send(next.split.due_raw);
        payers.pass(60_000);
        await scan(market);
        assert.equal((await seen(buyer, next.id)).state, "paid");
      },
      {},
      { quorum, nodes },
    );

eachMarket(
  "a transfer without an amount that one of three invents stops nothing",
  async (market) => {
    await market.order(await market.offer());
    market.payers.spoil(lists(null), 1);
    const [, ...later] = await hoursOfScans(market, 5);
    assert.deepEqual([...new Set(later)], ["complete"]);
  },
  {},
  { quorum: 2, nodes: 3 },
);

for (const [quorum, nodes] of [
  [1, 2],
  [1, 3],
  [2, 3],
] as const)
  eachMarket(
    `a newest block that one of ${nodes} invents is none (quorum ${quorum})`,
    async (market) => {
      const { payers, send, context } = market;
      await market.order(await market.offer());
      send(10n ** 30n);
      payers.chain.wallet.receive(dev("escrow"));
      market.pass(60);
      assert.equal(await scan(market), "complete");
      payers.spoil(heads, 1);
      market.pass(60);
      payers.pass(60_000);
      await scan(market);
      payers.spoil(honest);
      assert.deepEqual([...new Set(await hoursOfScans(market, 3))], ["complete"]);
      const { frontier } = (await watched.first(context.read, { account: ESCROW })) ?? {};
      assert.notEqual(frontier, "E".repeat(64));
      assert.equal(named(market).has("told of a block that it cannot show"), quorum === 1);
    },
    {},
    { quorum, nodes },
  );

eachMarket("a frontier that was invented before this version is forgotten", async (market) => {
  const { context, send, payers } = market;
  send(10n ** 30n);
  payers.chain.wallet.receive(dev("escrow"));
  assert.equal(await scan(market), "complete");
  const sql = `UPDATE market_watch SET frontier = '${"E".repeat(64)}'`;
  await context.write((tx) => tx.run(statement(sql), []));
  market.pass(60);
  const handled = new Map([
    [ESCROW, { known: new Set<string>(), whole_at: context.clock.now() + 90 }],
  ]);
  assert.equal(await scan(market, handled), "incomplete");
  market.pass(60);
  assert.equal(await scan(market, handled), "complete");
});
