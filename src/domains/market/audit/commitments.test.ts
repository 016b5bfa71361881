import assert from "node:assert/strict";
import { dev } from "../../../../test/chain-service.ts";
import { eachMarket, type Market } from "../../../../test/market-service.ts";
import { statement } from "../../../../test/statement.ts";
import { accountText } from "../../../platform/chain/account.ts";
import { DAY_S } from "../../../platform/kernel/time.ts";
import { holdOrder, resolveOrder } from "../orders/operator.ts";
import { listDue } from "../payouts/payables.ts";
import { recordRefund } from "../payouts/refunds.ts";
import { recordPayout } from "../payouts/settlements.ts";
import { marketAudit } from "./audit.ts";

const [BOB, MALLORY] = [accountText(dev("bob").key), accountText(dev("erin").key)];
const REASON = "Both parties have seen it.";

/** Somebody who can write to the database. */
const edit = ({ service }: Market, sql: string) => {
  const plan = statement(sql);
  return service.context.write((tx) => tx.run(plan, []));
};

/** Orders whose money the hourly check finds edited. */
const alarmed = async ({ service: { context } }: Market) =>
  (await marketAudit({ ...context, yieldToRequests: async () => {} })).map(
    ({ invariant, order_id }) => `${invariant} ${order_id}`,
  );

/** A released order whose seller has an address that may be used. */
async function released(market: Market) {
  const { seller, buyer, pass } = market;
  const { id: order_id, split } = await market.delivered(await market.offer());
  await buyer.post("/market/accept", { order_id });
  await seller.post("/market/payout-address", { address: BOB });
  pass(DAY_S);
  await market.sequenced();
  return { order_id, seller_raw: BigInt(split.seller_raw) };
}

eachMarket("a payout address that was edited is neither shown nor paid", async (market) => {
  const { context, payers, seller } = market;
  const { order_id, seller_raw } = await released(market);
  market.send(20n * seller_raw);
  const sentTo = (to: string) =>
    payers.chain.wallet.send(dev("escrow"), dev(to).key, seller_raw).hash;
  const payout = (txid: string, proof: "checked" | "unchecked" = "checked") =>
    recordPayout(context, { order_id, currency: "xno", txid, proof, reason: REASON });
  const right = sentTo("bob");
  assert.deepEqual(await alarmed(market), []);

  for (const [edited, undone] of [
    [`address = '${MALLORY}'`, `address = '${BOB}'`],
    [
      "usable_from = usable_from - 1, set_at = set_at - 1",
      "usable_from = usable_from + 1, set_at = set_at + 1",
    ],
    ["superseded = 1", "superseded = 0"],
  ] as const) {
    await edit(market, `update market_payout_address set ${edited}`);
    const [line] = (await listDue(context, 10)).payouts;
    assert.deepEqual([line?.address, line?.blocked], [null, "address_edited"], edited);
    const wrong = sentTo("erin");
    for (const [txid, proof] of [
      [right, "checked"],
      [wrong, "checked"],
      [right, "unchecked"],
    ] as const)
      await assert.rejects(payout(txid, proof), {
        code: "validation_failed",
        details: [{ field: "address", problem: "address_edited" }],
      });
    assert.deepEqual(await alarmed(market), [`I16 ${order_id}`], edited);
    await edit(market, `update market_payout_address set ${undone}`);
  }
  const made = "insert into market_payout_address select agent, n + 1";
  await edit(
    market,
    `${made}, '${MALLORY}', set_at, usable_from, superseded from market_payout_address`,
  );
  await assert.rejects(payout(sentTo("erin")), { code: "validation_failed" }, "a row too many");
  await edit(market, "delete from market_payout_address where n = 2");
  await seller.post("/market/payout-address", { address: MALLORY });
  await seller.post("/market/payout-address", { address: BOB });
  await market.sequenced();
  assert.deepEqual(await alarmed(market), [], "one that never came into force is no edit");
  await payout(right);
});

eachMarket("a delivery that was edited is paid for with a reason only", async (market) => {
  const { context, payers } = market;
  const { order_id, seller_raw } = await released(market);
  market.send(2n * seller_raw);
  const { hash: txid } = payers.chain.wallet.send(dev("escrow"), dev("bob").key, seller_raw);
  const sent = { order_id, currency: "xno", txid, proof: "checked" } as const;
  await edit(market, "update market_delivery set body = 'Here it iz.'");
  const [line] = (await listDue(context, 10)).payouts;
  assert.deepEqual([line?.address, line?.delivery_edited], [BOB, true]);
  assert.deepEqual(await alarmed(market), [`I16 ${order_id}`]);
  await assert.rejects(recordPayout(context, sent), { code: "validation_failed" });
  await edit(market, "delete from market_delivery");
  await assert.rejects(recordPayout(context, sent), { code: "validation_failed" });
  await recordPayout(context, { ...sent, reason: REASON });
  assert.deepEqual(await alarmed(market), [], "what is paid is no open payout");
});

eachMarket("a debt that was edited is not paid back", async (market) => {
  const { context, payers } = market;
  const { id: order_id, split } = await market.order(await market.offer());
  const due = BigInt(split.due_raw);
  market.send(due, "bob");
  await market.watch();
  await holdOrder(context, { order_id, reason: REASON });
  await resolveOrder(context, { order_id, outcome: "refund", reason: REASON });
  await market.sequenced();
  market.send(5n * due);
  const back = (to: string, amount_raw: bigint) => {
    const { hash: txid } = payers.chain.wallet.send(dev("escrow"), dev(to).key, amount_raw);
    return recordRefund(context, { order_id, currency: "xno", txid, proof: "checked" });
  };
  assert.deepEqual(await alarmed(market), []);
  for (const [edited, undone, sent] of [
    [`to_account = '${MALLORY}'`, `to_account = '${BOB}'`, () => back("erin", due)],
    [`amount_raw = '${2n * due}'`, `amount_raw = '${due}'`, () => back("bob", 2n * due)],
  ] as const) {
    await edit(market, `update market_refund set ${edited}`);
    const [line] = (await listDue(context, 10)).refunds;
    assert.deepEqual([line?.to, line?.edited], [null, true], edited);
    assert.deepEqual(await alarmed(market), [`I16 ${order_id}`], edited);
    await assert.rejects(sent(), { details: [{ field: "n", problem: "debt_edited" }] }, edited);
    await edit(market, `update market_refund set ${undone}`);
  }
  await back("bob", due);
  assert.equal((await market.seen(market.buyer, order_id)).state, "refunded");
});
