import assert from "node:assert/strict";
import { test } from "node:test";
import { dev } from "../../../../test/chain-service.ts";
import { readLedger } from "../../../../test/invariants.ts";
import { eachMarket, type Market } from "../../../../test/market-service.ts";
import { accountText } from "../../../platform/chain/account.ts";
import { DAY_S } from "../../../platform/kernel/time.ts";
import { sha256Hex } from "../../../platform/ledger/sha256.ts";
import { holdOrder, resolveOrder } from "../orders/operator.ts";
import { recordPayment } from "../payments/received.ts";
import { recordRefund } from "../payouts/refunds.ts";
import { recordPayout } from "../payouts/settlements.ts";
import { type Book, bookAfter } from "./order-accounts.ts";

const account = (name: string) => accountText(dev(name).key);
const hashed = (name: string) => sha256Hex(account(name));
const REASON = "The parties asked for it.";

/** The bodies of an order's entries of one kind. */
async function bodies(market: Market, kind: string) {
  await market.sequenced();
  const entries = await readLedger(market);
  return entries.filter((entry) => entry.kind === kind).map(({ body }) => body);
}

eachMarket("what is paid and paid back is sealed with its accounts", async (market) => {
  const { context, payers, buyer, seen } = market;
  const { id: order_id, split } = await market.order(await market.offer());
  market.send(split.due_raw, "carol");
  payers.chain.wallet.receive(dev("escrow"));
  await market.watch();
  market.send(split.due_raw, "bob");
  await market.watch();
  await holdOrder(context, { order_id, reason: REASON });
  await resolveOrder(context, { order_id, outcome: "refund", reason: REASON });
  market.send(split.due_raw);
  const back = (to: string) =>
    payers.chain.wallet.send(dev("escrow"), dev(to).key, BigInt(split.due_raw)).hash;
  const sent = { order_id, currency: "xno", proof: "checked" } as const;
  const to = account("erin");
  await recordRefund(context, { ...sent, n: 1, txid: back("erin"), to, reason: REASON });
  await recordRefund(context, { ...sent, n: 2, txid: back("carol") });
  assert.equal((await seen(buyer, order_id)).state, "refunded");

  const [order] = await bodies(market, "order");
  assert.equal(order?.["escrow"], account("escrow"));
  const [first, second] = await bodies(market, "order_payment");
  assert.equal(first?.["from_sha256"], hashed("carol"));
  assert.match(String(first?.["receive_txid"]), /^[0-9A-F]{64}$/);
  assert.deepEqual([second?.["from_sha256"], second?.["receive_txid"]], [hashed("bob"), undefined]);
  const owed = (await bodies(market, "refund_due")).map((body) => body["to_sha256"]);
  assert.deepEqual(owed, [hashed("bob"), hashed("carol")]);
  const reported = ["redirected", "ends", "reason_sha256"];
  const refunds = (await bodies(market, "refund")).map((body) =>
    reported.map((name) => body[name]),
  );
  assert.deepEqual(refunds, [
    [1, undefined, sha256Hex(REASON)],
    [undefined, 1, undefined],
  ]);
  const [resolved] = await bodies(market, "order_resolved");
  assert.equal(resolved?.["by"], "operator");
  const { entries } = (await market.get(`/market/ledger?order_id=${order_id}`)).body;
  const shown = entries.find(({ kind }: { kind: string }) => kind === "refund");
  assert.deepEqual([shown.ends, shown.redirected, shown.reason], [true, undefined, undefined]);
});

eachMarket("why the operator's word is taken is sealed as a hash", async (market) => {
  const { context, seller, buyer, pass } = market;
  const { id: order_id } = await market.order(await market.offer());
  const word = { order_id, currency: "other", reason: REASON } as const;
  await recordPayment(context, { ...word, txid: "A parcel" });
  await seller.post("/market/deliver", { order_id, body: "Here it is." });
  await buyer.post("/market/accept", { order_id });
  await seller.post("/market/payout-address", { address: account("bob") });
  pass(DAY_S);
  const letter = { ...word, txid: "A letter", proof: "unchecked" } as const;
  await assert.rejects(recordPayout(context, letter), { code: "validation_failed" });
  const { split } = await market.seen(seller, order_id);
  const said = { order_id, debts: "payout", amount_raw: split.seller_raw, currency: "other" };
  const settled = await seller.post("/market/settle", { ...said, txid: "A letter" });
  assert.equal(settled.body.order.state, "paid_out", JSON.stringify(settled.body));
  const [body] = await bodies(market, "order_payment");
  assert.equal(body?.["reason_sha256"], sha256Hex(REASON));
  assert.equal(body["from_sha256"], undefined);
  const { entries } = (await market.get(`/market/ledger?order_id=${order_id}`)).body;
  const kinds = entries.map(({ kind }: { kind: string }) => kind);
  assert.deepEqual(kinds.slice(0, 2), ["payout", "debt_settled"]);
});

test("an order is refunded by the entry that says so, or when nothing is owed", () => {
  const due_raw = "101";
  const steps = (ends: object) =>
    [
      ["order", { order_id: 1, price_usd_micro: 1, due_raw, seller_raw: "80" }],
      ["order_payment", { amount_raw: due_raw }],
      ["refund_due", { amount_raw: "100", why: "operator" }],
      ["refund_due", { amount_raw: "1", why: "operator" }],
      ["refund", { amount_raw: "100", ...ends }],
    ] as const;
  const after = (entries: ReturnType<typeof steps>) =>
    entries.reduce((book: Book | null, [kind, body]) => bookAfter(book, kind, body), null);
  assert.equal(after(steps({}))?.state, "refund_due");
  assert.equal(after(steps({ ends: 1 }))?.state, "refunded");
  const last = bookAfter(after(steps({})), "refund", { amount_raw: "1" });
  assert.equal(last?.state, "refunded", "as entries without it had it");
});
