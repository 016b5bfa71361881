import assert from "node:assert/strict";
import { eachMarket, type Market } from "../../../../test/market-service.ts";
import { times } from "../../../../test/postgres-store.ts";
import { statement } from "../../../../test/statement.ts";
import { marketAudit } from "./audit.ts";

const yieldToRequests = async () => {};
const audit = async ({ service }: Market) =>
  (await marketAudit({ ...service.context, yieldToRequests })).map(({ order_id }) => order_id);

const change = ({ service }: Market, sql: string) => {
  const plan = statement(sql);
  return service.context.write((tx) => tx.run(plan, []));
};

eachMarket("the hourly check finds a book that does not balance, and tells", async (market) => {
  const { service, alarms, shared } = market;
  const offer_id = await market.offer();
  const { id } = await market.paid(offer_id);
  await market.order(offer_id);
  await market.sequenced();
  const hourly = shared.jobs.find(({ name }) => name === "market_audit");
  await hourly?.run();
  assert.deepEqual([service.rewardPool.violations(), alarms], [0, []]);

  const setEscrow = (value: string) =>
    change(market, `update market_book set escrow_raw = ${value} where order_id = ${id}`);
  await setEscrow("'5'");
  await hourly?.run();
  await setEscrow("substr(in_raw, 2)"); // The received amount is all that is held.
  assert.equal(service.rewardPool.violations(), 1);
  assert.deepEqual(alarms.splice(0), ["market_violation"]);
  const { counters } = (await market.get("/protection")).body;
  assert.equal(counters.ledger_violations, 1);
  const { status } = await market.buyer.post("/coin/claim");
  assert.equal(status, 200, "the coin's books are right, so coins move");
});

eachMarket("each order's book is compared with what its entries make", async (market) => {
  const offer_id = await market.offer();
  for (const _ of times(3, (n) => n)) await market.paid(offer_id);
  const { id } = await market.order(offer_id);
  for (const n of times(300, (n) => n)) await market.book(2, `${n + 1}${"0".repeat(24)}`);
  await market.sequenced();
  assert.deepEqual(await audit(market), [], "an order with more entries than one page has");
  for (const [breakage, repair] of [
    ["state = 'held'", "state = 'paid'"],
    ["price_usd_micro = price_usd_micro + 1", "price_usd_micro = price_usd_micro - 1"],
    ["held_from = 'paid'", "held_from = null"],
  ] as const) {
    await change(market, `update market_book set ${breakage} where order_id = 3`);
    assert.deepEqual(await audit(market), [3], breakage);
    await change(market, `update market_book set ${repair} where order_id = 3`);
  }
  await change(market, `update market_entry set order_id = 1 where order_id = ${id}`);
  assert.deepEqual(await audit(market), [1, id], "one has an entry too many, the other none");
  const last =
    "(select max(ledger_id) from ledger_entry e join ledger_kind k on k.id = e.kind where k.kind = 'order')";
  await change(market, `update market_entry set order_id = ${id} where ledger_id = ${last}`);
  assert.deepEqual(await audit(market), []);
});
