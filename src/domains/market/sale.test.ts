import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { dev } from "../../../test/chain-service.ts";
import { readLedger } from "../../../test/invariants.ts";
import { eachMarket, type Market } from "../../../test/market-service.ts";
import { accountText } from "../../platform/chain/account.ts";
import { entryUnder } from "../../platform/kernel/proof/inclusion.ts";
import { DAY_S, HOUR_S } from "../../platform/kernel/time.ts";
import { sha256 } from "../../platform/ledger/sha256.ts";
import { recordPayout } from "./payouts/settlements.ts";

const BOB = accountText(dev("bob").key);
const ESCROW = accountText(dev("escrow").key);

eachMarket("a sale, from the offer to the payout, each step in the ledger", async (market) => {
  const { seller, pass } = market;
  const { body: set } = await seller.post("/market/payout-address", { address: BOB });
  const { set_at } = set.payout_address;
  assert.deepEqual(set.payout_address, {
    address: BOB,
    set_at,
    usable_from: set_at + DAY_S,
    in_force_until_then: null,
  });
  const { id, split } = await invoiced(market, await market.offer());
  await delivered(market, await paid(market, id, split.due_raw));
  pass(DAY_S);
  await paidOut(market, id, split.seller_raw);
  await checkLedger(market, await market.seen(seller, id));
});

/** The buyer orders; the invoice is for the full price. */
async function invoiced(market: Market, offer_id: number) {
  const { buyer } = market;
  const made = await buyer.post("/market/order", { offer_id, client_ref: "mine" });
  assert.equal(made.status, 201);
  const { id, invoice, order } = made.body;
  // 10 USD at 0.80, the order's id, and eight digits that check it.
  const { due_raw } = order.split;
  assert.match(due_raw, /^125000000000000000000001[0-9]{8}$/);
  const price = { fee_percent: 20, fee_usd: 2, price_usd: 10, seller_receives_usd: 8 };
  assert.deepEqual(order.split, {
    ...price,
    due_raw,
    fee_raw: `2${due_raw.slice(2)}`,
    seller_raw: "10000000000000000000000000000000",
  });
  assert.deepEqual(invoice, {
    currency: "xno",
    address: ESCROW,
    due_raw,
    refund_address: null,
    to_complete_raw: due_raw,
    due_xno: `12.${due_raw.slice(2)}`.replace(/0+$/, ""),
    uri: `nano:${ESCROW}?amount=${due_raw}`,
    rate: "0.8",
    rate_source: "static:default",
    expires_at: order.created_at + HOUR_S,
    exact: invoice.exact,
  });
  assert.deepEqual(order.invoice, invoice);
  assert.deepEqual(
    [order.state, order.payment, order.deliveries, order.allowed_actions, order.on_deadline],
    ["awaiting_payment", null, [], ["pay", "withdraw"], "expired"],
  );
  assert.deepEqual(await market.seen(buyer, id), order, "a later look shows the same");
  return order;
}

/** The chain shows the payment, and the seller is to deliver. */
async function paid(market: Market, id: number, due_raw: string) {
  const { seller } = market;
  const txid = market.send(due_raw);
  await market.watch();
  const paid = await market.seen(seller, id);
  assert.deepEqual([paid.state, paid.role, paid.on_deadline], ["paid", "seller", "refund_due"]);
  assert.deepEqual(paid.allowed_actions, ["deliver"]);
  assert.equal(paid.invoice, undefined);
  assert.equal(paid.client_ref, undefined);
  const alice = accountText(dev("alice").key);
  assert.deepEqual(paid.payment, {
    paid_at: paid.state_since,
    received_raw: due_raw,
    currency: "xno",
    checked: true,
    payments: [
      { n: 1, txid, amount_raw: due_raw, role: "payment", from: alice, at: paid.state_since },
    ],
    payments_count: 1,
  });
  assert.equal(paid.deliver_by, paid.state_since + 72 * HOUR_S);
  assert.equal(paid.refund_at, paid.deliver_by + DAY_S);
  assert.deepEqual([paid.payout.state, paid.payout.blocked], ["none", "address_too_new"]);
  return id;
}

/** The seller delivers, the buyer sees it and accepts, which it can do once. */
async function delivered(market: Market, id: number) {
  const { seller, buyer } = market;
  const body = "Summary: three findings, see below.";
  const delivered = await seller.post("/market/deliver", { order_id: id, body });
  assert.equal(delivered.status, 201);
  const { delivery } = delivered.body;
  const content_sha256 = createHash("sha256").update(body).digest("hex");
  const salted = Buffer.concat([Buffer.from(delivery.content_salt, "hex"), Buffer.from(body)]);
  const content_commitment = createHash("sha256").update(salted).digest("hex");
  const { at, content_salt } = delivery;
  const reported = { n: 1, at, late: false, bytes: 35, content_sha256 };
  assert.deepEqual(delivery, { ...reported, content_salt, content_commitment });
  const seen = await market.seen(buyer, id);
  assert.deepEqual(seen.deliveries, [{ ...delivery, body, verified: false }]);
  assert.deepEqual([seen.allowed_actions, seen.on_deadline], [["accept", "dispute"], "released"]);

  const accepted = await buyer.post("/market/accept", { order_id: id });
  assert.deepEqual([accepted.status, accepted.body.already_released], [200, false]);
  assert.equal(accepted.body.order.state, "released");
  const again = await buyer.post("/market/accept", { order_id: id });
  assert.deepEqual([again.status, again.body.already_released], [200, true]);
}

/** The operator sends the seller its part, a day after it said where to. */
async function paidOut(market: Market, id: number, seller_raw: string) {
  const { seller, context, payers } = market;
  const { wallet } = payers.chain;
  const payout = wallet.send(dev("escrow"), dev("bob").key, BigInt(seller_raw)).hash;
  await recordPayout(context, { order_id: id, currency: "xno", txid: payout, proof: "checked" });
  const done = await market.seen(seller, id);
  assert.equal(done.state, "paid_out");
  assert.deepEqual(done.payout, {
    state: "sent",
    amount_raw: seller_raw,
    address: BOB,
    blocked: null,
    txid: payout,
    paid_at: done.state_since,
  });
}

/** Every step is in the ledger, in the market's and in the seals. */
async function checkLedger(market: Market, done: { history: { kind: string; ref: string }[] }) {
  const steps = done.history.map(({ kind, ref }) => `${kind} ${ref}`);
  assert.deepEqual(steps, [
    "order 1",
    "order_payment 1/1",
    "order_paid 1",
    "order_delivered 1/1",
    "order_released 1",
    "fee 1",
    "payout_due 1",
    "payout 1",
  ]);
  await market.sequenced();
  const { body: ledger } = await market.get("/market/ledger");
  assert.equal(ledger.reserves.owed_raw, "0");
  assert.deepEqual(ledger.totals, {
    offers_open: 1,
    orders: 1,
    orders_by_state: { paid_out: 1 },
    released_usd: 10,
    fees_usd: 2,
    payouts_due_usd: 0,
    payouts_sent_usd: 8,
    refunds_due_usd: 0,
    refunds_sent_usd: 0,
  });
  const entries = (await readLedger(market)).filter(({ body: { order_id } }) => order_id === 1);
  assert.deepEqual(
    entries.map(({ kind, ref }) => `${kind} ${ref}`),
    steps,
  );
  assert.ok(
    entries.every(({ entry }) => !entry.includes("findings")),
    "no content is in the ledger",
  );
  await market.seal();
  const kinds = { order: "order", fee: "fee", payout: "payout" };
  const older = { market_order: "order", market_payout: "payout" };
  for (const [asked, kind] of Object.entries({ ...kinds, ...older })) {
    const { body: proof } = await market.get(`/seal/proof?kind=${asked}&id=1`);
    assert.equal(proof.seal.signed, true);
    const entry = entryUnder(proof.seal, proof, sha256);
    assert.deepEqual([entry.kind, entry.body["order_id"]], [kind, 1]);
  }
}
