import assert from "node:assert/strict";
import * as z from "zod";
import { FAULTS } from "../../../../test/chain-faults.ts";
import { dev } from "../../../../test/chain-service.ts";
import { readLedger } from "../../../../test/invariants.ts";
import { eachMarket, type Market, tagOf } from "../../../../test/market-service.ts";
import { statement } from "../../../../test/statement.ts";
import { accountText } from "../../../platform/chain/account.ts";
import { honest } from "../../../platform/chain/dev/node.ts";
import type { Db } from "../../../platform/db/engine.ts";
import { DAY_S, HOUR_S, MINUTE_S } from "../../../platform/kernel/time.ts";
import { PAYMENT_MIN_RAW } from "../amounts.ts";
import { settleDueOrders } from "../orders/timers.ts";
import { listDue, marketCounters } from "../payouts/payables.ts";
import { watchPayments } from "./payment-watcher.ts";
import { recordPayment } from "./received.ts";
import { scanAccount } from "./scan.ts";

const ALICE = accountText(dev("alice").key);

eachMarket("what names no order waits for the operator, who gives it to one", async (market) => {
  const { context, buyer, seen } = market;
  const { id, split } = await market.order(await market.offer());
  const rounded = BigInt(split.due_raw) - tagOf(split);
  const [txid, strange] = [market.send(rounded), market.send(PAYMENT_MIN_RAW + 99n)];
  market.send(PAYMENT_MIN_RAW - 1n); // Dust is not looked at.
  await market.watch();
  await market.watch();
  const { unmatched } = await listDue(context, 10);
  assert.deepEqual(
    unmatched.map(({ txid, from, amount_raw }) => [txid, from, amount_raw]).sort(),
    [
      [txid, ALICE, String(rounded)],
      [strange, ALICE, String(PAYMENT_MIN_RAW + 99n)],
    ].sort(),
  );
  assert.equal((await seen(buyer, id)).state, "awaiting_payment");
  await recordPayment(context, { order_id: id, currency: "xno", txid });
  const { state, payment } = await seen(buyer, id);
  assert.deepEqual([state, payment.payments[0].role], ["paid", "manual"]);
  const counters = await marketCounters(context.read, context);
  assert.equal(counters.market_unmatched_payments, 1);
  assert.equal(counters.market_scan_age_s, 0);
  assert.equal(counters.market_unreceived_transfers, 2);
  await assert.rejects(recordPayment(context, { order_id: id, currency: "xno", txid }), {
    code: "already_recorded",
  });
  const other = { order_id: id, currency: "xno", txid: "1".repeat(64) } as const;
  await assert.rejects(recordPayment(context, other), { code: "transaction_not_found" });
});

eachMarket(
  "a payment counts once, also when declared before and however often it is seen",
  async (market) => {
    const { context, buyer, seen, payers } = market;
    const { id, split } = await market.order(await market.offer());
    const txid = market.send(split.due_raw);
    const declared = { currency: "other", txid, amount: 1 };
    assert.equal((await buyer.post("/contribute", declared)).body.id, 1);
    await market.watch();
    assert.equal((await seen(buyer, id)).state, "paid", "a declaration makes way");
    payers.chain.wallet.receive(dev("escrow"));
    for (let n = 0; n < 3; n++) await market.watch();
    assert.equal((await seen(buyer, id)).payment.payments.length, 1);
    for (const currency of ["xno", "xmr"]) {
      const { status, body } = await buyer.post("/contribute", { ...declared, currency });
      assert.deepEqual([status, body.error, body.details], [409, "already_recorded", undefined]);
    }
    await market.sequenced();
    const gone = (await readLedger(market)).find(({ kind }) => kind === "contribution_superseded");
    assert.deepEqual(gone?.body, { contribution_id: 1, by: `order_payment/${id}/1` });
    assert.equal((await listDue(context, 10)).unmatched.length, 0);
  },
);

eachMarket("what a wallet received before anybody looked is found all the same", async (market) => {
  const { buyer, seen, payers } = market;
  const offer_id = await market.offer();
  const orders = [await market.order(offer_id), await market.order(offer_id)];
  for (const { split } of orders) {
    market.send(split.due_raw);
    payers.chain.wallet.receive(dev("escrow"));
  }
  await market.watch();
  for (const { id } of orders) assert.equal((await seen(buyer, id)).state, "paid");
});

eachMarket("a payment that a node kept back is found behind a later one", async (market) => {
  const { buyer, seen, payers } = market;
  const offer_id = await market.offer();
  const [first, second] = [await market.order(offer_id), await market.order(offer_id)];
  const hidden = market.send(first.split.due_raw);
  market.send(second.split.due_raw, "carol");
  payers.spoil((action, answer, request) =>
    (request.includes(hidden) ? FAULTS.knowsNothing : honest)(action, answer, request),
  );
  await market.watch();
  assert.equal((await seen(buyer, first.id)).state, "awaiting_payment");
  assert.equal((await seen(buyer, second.id)).state, "paid");
  payers.spoil(honest);
  payers.pass(600_000);
  assert.equal(payers.chain.wallet.receive(dev("escrow")).length, 2);
  market.pass(10);
  await market.watch();
  assert.equal((await seen(buyer, first.id)).state, "paid");
});

eachMarket("a signature that only strict libraries refuse stops no scan", async (market) => {
  const { context, buyer, seen, payers } = market;
  const { id, split } = await market.order(await market.offer());
  payers.spoil(FAULTS.shiftedSignature);
  market.send(PAYMENT_MIN_RAW, "carol");
  market.send(split.due_raw);
  await market.watch();
  assert.equal((await seen(buyer, id)).state, "paid");
  assert.equal((await marketCounters(context.read, context)).market_scan_age_s, 0);
});

/** One scan of the escrow account, as a process makes it that has just begun. */
const scan = ({ context, payers }: Market) =>
  scanAccount({ ...context, chain: payers.adapter }, accountText(dev("escrow").key), new Map());

eachMarket(
  "while nodes tell no list nothing expires, and nobody is asked to pay",
  async (market) => {
    const { context, buyer, seen, payers, pass } = market;
    const offer_id = await market.offer();
    for (const fault of ["brokenProxy", "noJson"] as const) {
      const [paid, unpaid] = [await market.order(offer_id), await market.order(offer_id)];
      payers.spoil(FAULTS[fault]);
      market.send(paid.split.due_raw);
      pass(HOUR_S + 11 * MINUTE_S);
      assert.equal(await scan(market), "incomplete", fault);
      assert.equal(await settleDueOrders(context, 10), 0);
      const waiting = await seen(buyer, unpaid.id);
      assert.deepEqual(
        [waiting.state, waiting.allowed_actions],
        ["awaiting_payment", ["withdraw"]],
      );
      const refused = await buyer.post("/market/order", { offer_id });
      assert.deepEqual([refused.status, refused.body.error], [503, "chain_unavailable"]);
      assert.ok(Number(refused.headers.get("retry-after")) > 0);
      payers.spoil(honest);
      payers.pass(600_000);
      assert.equal(await scan(market), "complete");
      assert.equal((await seen(buyer, paid.id)).state, "paid", "it was found in time");
      assert.equal((await seen(buyer, unpaid.id)).state, "expired");
    }
  },
);

eachMarket("a transfer to the escrow account is no contribution", async (market) => {
  const txid = market.send(10n ** 30n);
  const { status, body } = await market.buyer.post("/contribute", { currency: "xno", txid });
  assert.deepEqual([status, body.error], [422, "transaction_not_to_project"]);
});

eachMarket("a round costs the same with 10,000 open invoices as with one", async (market) => {
  const { context, engine } = market;
  const { id } = await market.order(await market.offer());
  await market.watch();
  const round = async () => {
    let asked = 0;
    const read: Db = {
      ...context.read,
      all: (plan, values) => {
        asked++;
        return context.read.all(plan, values);
      },
    };
    market.pass(10);
    await watchPayments({ ...context, read }, new Map());
    return asked;
  };
  const few = await round();
  const numbers =
    engine === "sqlite"
      ? "with recursive g (i) as (select 1 union all select i + 1 from g where i < 10000)"
      : "with g (i) as (select generate_series(1, 10000))";
  const [columns] = await context.read.all(
    statement(`select * from market_order where id = ${id}`),
    [],
  );
  const names = Object.keys(z.record(z.string(), z.unknown()).parse(columns)).filter(
    (name) => name !== "id",
  );
  const copy = `insert into market_order (${names.join()}) ${numbers} select ${names.map((name) => `o.${name}`).join()} from market_order o, g where o.id = ${id}`;
  await context.write((tx) => tx.run(statement(copy), []));
  assert.equal(await round(), few);
  await context.write((tx) => tx.run(statement(`delete from market_order where id > ${id}`), []));
});

for (const forgotten of ["account", "subtype"]) {
  eachMarket(`a payment of which the node forgot the ${forgotten} is still one`, async (market) => {
    const { buyer, seen } = market;
    const { id, split } = await market.order(await market.offer());
    const txid = market.send(split.due_raw);
    market.payers.chain.wallet.receive(dev("escrow"));
    market.payers.spoil((action, answer, request) => {
      const edited = JSON.parse(JSON.stringify(answer));
      if (action === "block_count") edited.pruned = "1";
      for (const entry of edited.history ?? [])
        if (entry.link === txid) entry[forgotten] = forgotten === "subtype" ? "unknown" : undefined;
      const isGone = action === "blocks_info" && request.includes(txid);
      return honest(action, isGone ? { blocks: "", blocks_not_found: [txid] } : edited, request);
    });
    market.pass(2 * DAY_S); // The service was away meanwhile.
    await market.watch();
    await settleDueOrders(market.context, 500);
    const { state, payment } = await seen(buyer, id);
    assert.deepEqual([state, payment?.payments[0].from], ["paid", ALICE]);
  });
}
