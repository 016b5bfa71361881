import assert from "node:assert/strict";
import { eachMarket } from "../../../test/market-service.ts";
import { runHere } from "../../../test/process.ts";
import { statement } from "../../../test/statement.ts";
import { holdOrder } from "../../domains/market/orders/operator.ts";

eachMarket("doctor tells what of the market has waited too long", async (market) => {
  const { configuration, context } = market;
  const { dataDir, databaseUrl } = configuration;
  const place = { CAIRN_DATA_DIR: dataDir, CAIRN_DATABASE_URL: databaseUrl ?? "" };
  const reported = async () => {
    const { out } = await runHere(["doctor", "--json"], place);
    const { findings } = JSON.parse(out);
    return findings
      .filter(({ about }: { about: string }) => about === "market")
      .map(({ state, text }: { state: string; text: string }) => `${state} ${text}`);
  };
  assert.deepEqual(await reported(), []);
  const { id: order_id } = await market.delivered(await market.offer());
  await market.book(order_id, 10n ** 30n);
  assert.deepEqual(await reported(), ["ok Nothing has waited too long for you."]);
  await holdOrder(context, { order_id, reason: "A question is open." });
  const ago = (hours: number) => Math.floor(Date.now() / 1_000) - hours * 3_600 - 60;
  for (const sql of [
    `update market_order set state_since = ${ago(200)}`,
    `update market_refund set at = ${ago(73)}`,
  ])
    await context.write((tx) => tx.run(statement(sql), []));
  assert.deepEqual(await reported(), [
    "warning A payout or refund has been owed for 3.0 days.",
    "warning An order has been held for 8.3 days.",
  ]);
});
