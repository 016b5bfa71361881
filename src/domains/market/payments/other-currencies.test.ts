import assert from "node:assert/strict";
import { dev } from "../../../../test/chain-service.ts";
import { readLedger } from "../../../../test/invariants.ts";
import { eachMarket } from "../../../../test/market-service.ts";
import { accountText } from "../../../platform/chain/account.ts";
import { sha256Hex } from "../../../platform/ledger/sha256.ts";
import { holdOrder, resolveOrder } from "../orders/operator.ts";
import { recordRefund } from "../payouts/refunds.ts";
import { recordPayment } from "./received.ts";

const CAROL = accountText(dev("carol").key);
const REASON = "The parties asked for it.";

eachMarket("a debt ends in another currency only by its creditor's word", async (market) => {
  const { context, buyer, seller, seen } = market;
  const { id: order_id, split } = await market.order(await market.offer());
  market.send(split.due_raw, "carol");
  await market.watch();
  await holdOrder(context, { order_id, reason: REASON });
  await resolveOrder(context, { order_id, outcome: "refund", reason: REASON });
  assert.equal((await seen(buyer, order_id)).refunds[0].to, CAROL, "what is due goes back");
  const cash = { order_id, n: 1, currency: "other", txid: "by letter", proof: "checked" } as const;
  await assert.rejects(recordRefund(context, { ...cash, reason: REASON }), {
    code: "validation_failed",
  });
  const said = { order_id, debts: "1", amount_raw: split.due_raw, currency: "other" };
  const settle = async (agent: typeof buyer, fields: object) =>
    (await agent.post("/market/settle", { ...said, ...fields })).body;
  assert.equal((await settle(seller, {})).error, "wrong_role");
  assert.equal((await settle(seller, { debts: "payout" })).error, "invalid_state");
  assert.equal((await settle(buyer, { debts: "2" })).error, "validation_failed");
  assert.equal((await settle(buyer, { amount_raw: "1" })).error, "validation_failed");
  const { order } = await settle(buyer, { txid: "by letter" });
  assert.equal(order.state, "refunded");
  const [refund] = (await seen(buyer, order_id)).refunds;
  assert.deepEqual([refund.state, refund.to, refund.txid], ["sent", null, "by letter"]);
});

eachMarket(
  "a creditor names debts in any order, and their refund is of the oldest",
  async (market) => {
    const { buyer, seen } = market;
    const { id: order_id, split } = await market.paid(await market.offer());
    for (const _ of [1, 2]) await market.book(order_id, split.due_raw, CAROL);
    const amount_raw = `${2n * BigInt(split.due_raw)}`;
    const said = { order_id, debts: "2,1", amount_raw, currency: "other" };
    for (const debts of ["01,2", "1,1", "1,2,3"]) {
      const refused = await buyer.post("/market/settle", { ...said, debts });
      assert.equal(refused.body.error, "validation_failed", debts);
    }
    assert.equal((await buyer.post("/market/settle", said)).status, 200);
    const { state, refunds } = await seen(buyer, order_id);
    assert.equal(state, "paid", "what came too much ends no order");
    assert.deepEqual(
      refunds.map((debt: { state: string }) => debt.state),
      ["sent", "sent"],
    );
    await market.sequenced();
    const settled = (await readLedger(market)).slice(-2);
    assert.deepEqual(
      settled.map(({ ref, body }) => [ref, body["debts"]]),
      [
        [`${order_id}/1`, "2,1"],
        [`${order_id}/1`, "1,2"],
      ],
    );
  },
);

eachMarket("other currencies are the operator's word, and marked so", async (market) => {
  const { context, buyer, seen } = market;
  const offer_id = await market.offer();
  const named = [
    ["other", "A parcel"],
    ["btc", "lightning:7"],
    ["xmr", "a subaddress of ours"],
    ["btc", "AB".repeat(32)],
    ["other", "CD".repeat(32)],
  ] as const;
  for (const [currency, txid] of named) {
    const { id: order_id, split } = await market.order(offer_id);
    const word = { order_id, currency, txid };
    await assert.rejects(recordPayment(context, word), { code: "validation_failed" });
    await recordPayment(context, { ...word, reason: REASON });
    const { state, payment } = await seen(buyer, order_id);
    assert.deepEqual([state, payment.currency, payment.checked], ["paid", currency, false]);
    assert.equal(payment.received_raw, split.due_raw);
  }
  const { id: order_id } = await market.order(offer_id);
  const again = { order_id, currency: "btc", txid: named[2][1], reason: REASON } as const;
  await assert.rejects(recordPayment(context, again), { code: "already_recorded" });
  await market.sequenced();
  const entries = (await readLedger(market)).filter(({ kind }) => kind === "order_payment");
  assert.deepEqual(
    entries.map(({ body, text }) => [body["txid_sha256"], body["txid"], text]),
    named.map(([, txid]) =>
      txid.length === 64
        ? [undefined, txid.toLowerCase(), {}]
        : [sha256Hex(txid), undefined, { txid }],
    ),
  );
});
