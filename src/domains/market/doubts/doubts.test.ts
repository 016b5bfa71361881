import assert from "node:assert/strict";
import { FAULTS } from "../../../../test/chain-faults.ts";
import { dev } from "../../../../test/chain-service.ts";
import { eachMarket, type Market, tagOf } from "../../../../test/market-service.ts";
import { operate } from "../../../../test/operator.ts";
import { accountText } from "../../../platform/chain/account.ts";
import { honest } from "../../../platform/chain/dev/node.ts";
import { DAY_S, HOUR_S, MINUTE_S } from "../../../platform/kernel/time.ts";
import { PAYMENT_MIN_RAW } from "../amounts.ts";
import { settleDueOrders } from "../orders/timers.ts";
import { dismissDoubt, rescan } from "../payments/doubt-acts.ts";
import { recordPayment } from "../payments/received.ts";
import { scanAccount } from "../payments/scan.ts";
import { listDue, marketCounters } from "../payouts/payables.ts";

/** `npm run test:long` has a thousand. */
const ROUNDS = Number(process.env["TEST_ROUNDS"] ?? 8);

/** One scan of the escrow account, as a process makes it that has just begun. */
const scan = ({ context, payers }: Market) =>
  scanAccount({ ...context, chain: payers.adapter }, accountText(dev("escrow").key), new Map());

for (const fault of ["editedBalance", "badSignature", "neverConfirmed"] as const) {
  eachMarket(`a transfer that is in doubt by ${fault} holds its own order only`, async (market) => {
    const { context, buyer, seen, payers, pass } = market;
    const offer_id = await market.offer();
    const [paid, unpaid] = [await market.order(offer_id), await market.order(offer_id)];
    payers.spoil(FAULTS[fault]);
    const txid = market.send(paid.split.due_raw);
    pass(HOUR_S + 11 * MINUTE_S);
    assert.equal(await scan(market), "complete");
    await settleDueOrders(context, 10);
    assert.equal((await seen(buyer, unpaid.id)).state, "expired");
    const waiting = await seen(buyer, paid.id);
    assert.equal(waiting.state, "awaiting_payment");
    assert.deepEqual(
      waiting.unproven.map(({ txid: hash, amount_raw }: Record<string, string>) => [
        hash,
        amount_raw,
      ]),
      [[txid, paid.split.due_raw]],
    );
    await market.order(offer_id);

    pass(6 * DAY_S);
    assert.equal(await scan(market), "complete");
    assert.equal((await seen(buyer, paid.id)).state, "awaiting_payment");
    payers.spoil(honest);
    payers.pass(600_000);
    pass(HOUR_S);
    assert.equal(await scan(market), "complete");
    const { state, unproven } = await seen(buyer, paid.id);
    assert.deepEqual([state, unproven], ["paid", []]);
  });
}

eachMarket(
  "a doubt of seven days lets its order expire, and a later proof is late",
  async (market) => {
    const { context, buyer, seen, payers, pass } = market;
    const { id, split } = await market.order(await market.offer());
    payers.spoil(FAULTS.badSignature);
    market.send(split.due_raw);
    pass(HOUR_S + 11 * MINUTE_S);
    assert.equal(await scan(market), "complete");
    pass(7 * DAY_S + 1);
    assert.equal(await scan(market), "complete");
    await settleDueOrders(context, 10);
    assert.equal((await seen(buyer, id)).state, "expired");
    payers.spoil(honest);
    payers.pass(600_000);
    pass(HOUR_S);
    await scan(market);
    const { state, refunds } = await seen(buyer, id);
    assert.deepEqual([state, refunds[0].why], ["refund_due", "late"]);
  },
);

eachMarket("a look-up that always contradicts stops nobody else's order", async (market) => {
  const { context, buyer, seen, payers, pass } = market;
  const offer_id = await market.offer();
  const cursed = market.send(PAYMENT_MIN_RAW * 5n, "carol");
  payers.spoil((action, answer, request) =>
    (request.includes(cursed) ? FAULTS.badSignature : honest)(action, answer, request),
  );
  for (let round = 0; round < ROUNDS; round++) {
    const [paid, unpaid] = [await market.order(offer_id), await market.order(offer_id)];
    market.send(paid.split.due_raw);
    if (round % 2 === 0) payers.chain.wallet.receive(dev("escrow"));
    await market.watch();
    assert.equal((await seen(buyer, paid.id)).state, "paid");
    pass(HOUR_S + 11 * MINUTE_S);
    await market.watch();
    await settleDueOrders(context, 10);
    assert.equal((await seen(buyer, unpaid.id)).state, "expired");
  }
  const counters = await marketCounters(context.read, context);
  assert.equal(counters.market_doubtful_transfers, 1);
  const { doubts } = await listDue(context, 10);
  assert.deepEqual([doubts[0]?.txid, doubts[0]?.why], [cursed, "contradicted"]);

  await dismissDoubt(context, { txid: cursed, reason: "The sender has confirmed the mistake." });
  assert.equal((await listDue(context, 10)).doubts.length, 0);
  await rescan(context);
  await market.watch();
  assert.equal((await marketCounters(context.read, context)).market_doubtful_transfers, 0);
});

eachMarket("the operator books a transfer that nobody can prove", async (market) => {
  const { context, buyer, seen, payers, pass } = market;
  const { id, split } = await market.order(await market.offer());
  payers.spoil(FAULTS.badSignature);
  const txid = market.send(split.due_raw);
  await scan(market);
  const unproven = { order_id: id, currency: "xno", txid, proof: "unproven" } as const;
  await assert.rejects(recordPayment(context, { ...unproven, reason: "Seen elsewhere." }), {
    code: "invalid_state",
  });
  pass(11 * MINUTE_S);
  await assert.rejects(recordPayment(context, unproven), { code: "validation_failed" });
  await recordPayment(context, { ...unproven, reason: "Seen elsewhere." });
  const { state, payment } = await seen(buyer, id);
  assert.deepEqual([state, payment.checked, payment.received_raw], ["paid", false, split.due_raw]);
  assert.equal((await marketCounters(context.read, context)).market_doubtful_transfers, 0);
});

eachMarket("a hundred small payments are booked, and then only larger ones", async (market) => {
  const { context, buyer, seen } = market;
  const { id, split } = await market.order(await market.offer());
  const small = PAYMENT_MIN_RAW + tagOf(split);
  for (let n = 0; n < 100; n++) await market.book(id, small);
  for (let n = 0; n < 3; n++) market.send(small);
  await market.watch();
  const held = await seen(buyer, id);
  assert.equal(held.payment.payments.length, 100);
  assert.equal((await marketCounters(context.read, context)).market_doubtful_transfers, 3);
  market.pass(11 * MINUTE_S);
  const { text } = await operate({ ...market.service, context }, "market due");
  assert.match(text, new RegExp(`^too many small payments for order ${id}: 3, ${3n * small} raw`));
  assert.equal(text.split("\n").length, 1, text);
  market.send(BigInt(split.due_raw) - 100n * PAYMENT_MIN_RAW);
  await market.watch();
  assert.equal((await seen(buyer, id)).state, "paid", "a larger one is always booked");
});
