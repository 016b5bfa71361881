import assert from "node:assert/strict";
import { dev } from "../../../../test/chain-service.ts";
import { eachMarket, type Market } from "../../../../test/market-service.ts";
import { statement } from "../../../../test/statement.ts";
import { accountText } from "../../../platform/chain/account.ts";
import { returnUnmatched } from "../payouts/returns.ts";
import { recordPayment } from "./received.ts";
import { noteUnmatched } from "./unmatched.ts";

const XNO = 10n ** 30n;

const owed = async ({ sequenced, get }: Market): Promise<string> => {
  await sequenced();
  return (await get("/market/ledger")).body.reserves.owed_raw;
};

/** Entries of these kinds, as `/since` shows them. */
const entriesOf = async ({ sequenced, get }: Market, kinds: string) => {
  await sequenced();
  return (await get(`/since?after_id=0&limit=500&kinds=${kinds}`)).body.entries;
};

/** Sends money from the escrow account; the hash. */
const sendBack = ({ payers }: Market, to: string, amount_raw: bigint): string =>
  payers.chain.wallet.send(dev("escrow"), dev(to).key, amount_raw).hash;

eachMarket(
  "a payment that names no order is sealed, owed, and goes back to its sender",
  async (market) => {
    const { context } = market;
    const other = 20n * XNO + 1n;
    market.send(other);
    const payment = market.send(3n * XNO + 7n, "carol");
    await market.watch();
    const found = await entriesOf(market, "payment_unmatched");
    const [entry, ...others] = found.filter(({ ref }: { ref: string }) => ref === payment);
    const from = accountText(dev("carol").key);
    assert.deepEqual([entry.ref, entry.body.from, others.length], [payment, from, 0]);
    assert.equal(await owed(market), `${other + 3n * XNO + 7n}`);

    const returned = (txid: string, more = {}) =>
      returnUnmatched(context, { payment, txid, ...more });
    await assert.rejects(returned(sendBack(market, "bob", 3n * XNO + 7n)), {
      code: "validation_failed",
    });
    await assert.rejects(returned(sendBack(market, "carol", 3n * XNO)), {
      code: "validation_failed",
    });
    await assert.rejects(returned("AB".repeat(32)), { code: "transaction_not_found" });
    const to = accountText(dev("bob").key);
    const sent = sendBack(market, "bob", 3n * XNO + 7n);
    await assert.rejects(returned(sent, { to }), { code: "validation_failed" }, "a reason");
    const right = sendBack(market, "carol", 3n * XNO + 7n);
    await returned(right);
    await assert.rejects(returned(right), { code: "validation_failed" }, "once");
    const [back] = await entriesOf(market, "payment_refunded");
    assert.deepEqual([back.body.sent_txid, back.body.to], [right, from]);
    assert.equal(await owed(market), `${other}`);
    await market.watch();
    assert.equal((await entriesOf(market, "payment_unmatched")).length, 2);
  },
);

eachMarket(
  "a payment without an order may be given to one, and is owed no more",
  async (market) => {
    const offer_id = await market.offer();
    const { id, split } = await market.order(offer_id);
    const txid = market.send(BigInt(split.due_raw) + 3n, "carol");
    await market.watch();
    assert.equal(await owed(market), `${BigInt(split.due_raw) + 3n}`);
    const given = { order_id: id, currency: "xno", txid } as const;
    await recordPayment(market.context, { ...given, reason: "It is bob's." });
    const [payment] = await entriesOf(market, "order_payment");
    assert.equal(payment.body.unmatched, 1);
    assert.equal((await market.seen(market.buyer, id)).state, "paid");
    assert.equal(await owed(market), `${BigInt(split.due_raw) + 3n}`, "now as the order's");
  },
);

eachMarket("a deleted row comes back once, and what went back stays so", async (market) => {
  const { service, context } = market;
  market.send(20n * XNO + 1n);
  const [kept, gone] = [market.send(2n * XNO + 5n, "carol"), market.send(3n * XNO + 5n, "carol")];
  await market.watch();
  const returned = (payment: string, amount_raw: bigint) =>
    returnUnmatched(context, { payment, txid: sendBack(market, "carol", amount_raw) });
  await returned(gone, 3n * XNO + 5n);
  await market.sequenced();
  const edit = (text: string) => service.store.write((tx) => tx.run(statement(text), []));
  await edit(`UPDATE market_unmatched SET sent_at = NULL WHERE txid = '${gone}'`);
  await assert.rejects(returned(gone, 3n * XNO + 5n), { code: "validation_failed" });
  const rows = "SELECT txid, sent_txid, sent_to, sent_at FROM market_unmatched";
  const before = await service.store.read.all(statement(rows), []);
  await edit("DELETE FROM market_unmatched");
  for (const [hash, amountRaw] of [
    [kept, 2n * XNO + 5n],
    [gone, 3n * XNO + 5n],
  ] as const)
    await noteUnmatched(context, {
      kind: "credited",
      sendHash: hash,
      receiveHash: null,
      amountRaw,
      from: accountText(dev("carol").key),
      state: "receivable",
      proof: "send_chain",
      endpoints: 1,
    });
  const after = await service.store.read.all(statement(rows), []);
  assert.deepEqual([before.length, after.length], [3, 1]);
  assert.equal((await entriesOf(market, "payment_unmatched")).length, 3);
});

eachMarket("a row that nobody has sealed hides no payment", async (market) => {
  const { service, context } = market;
  const offer_id = await market.offer();
  const { id, split } = await market.order(offer_id);
  const txid = market.send(split.due_raw);
  const stray = market.send(2n * XNO + 5n, "carol");
  const row = (hash: string) =>
    `INSERT INTO market_unmatched (txid, from_account, amount_raw, first_seen_at) VALUES ('${hash}', 'nano_thief', '5', 1)`;
  await service.store.write(async (tx) => {
    await tx.run(statement(row(txid)), []);
    await tx.run(statement(row(stray)), []);
  });
  await market.watch();
  assert.equal((await market.seen(market.buyer, id)).state, "paid");
  const [entry] = await entriesOf(market, "payment_unmatched");
  assert.deepEqual([entry.ref, entry.body.from], [stray, accountText(dev("carol").key)]);
  await service.store.write((tx) =>
    tx.run(
      statement("UPDATE market_unmatched SET from_account = 'nano_thief', amount_raw = '1'"),
      [],
    ),
  );
  await returnUnmatched(context, {
    payment: stray,
    txid: sendBack(market, "carol", 2n * XNO + 5n),
  });
  await service.store.write(async (tx) => {
    await tx.run(statement(`DELETE FROM market_unmatched WHERE txid = '${txid}'`), []);
    const set = `from_account = '${accountText(dev("carol").key)}', amount_raw = '${2n * XNO + 5n}'`;
    await tx.run(statement(`UPDATE market_unmatched SET ${set}`), []);
  });
});
