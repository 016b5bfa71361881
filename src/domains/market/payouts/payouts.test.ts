import assert from "node:assert/strict";
import { FAULTS } from "../../../../test/chain-faults.ts";
import { dev } from "../../../../test/chain-service.ts";
import { readLedger } from "../../../../test/invariants.ts";
import { eachMarket, type Market } from "../../../../test/market-service.ts";
import { accountText } from "../../../platform/chain/account.ts";
import { honest } from "../../../platform/chain/dev/node.ts";
import { DAY_S, HOUR_S, MINUTE_S } from "../../../platform/kernel/time.ts";
import { holdOrder, resolveOrder } from "../orders/operator.ts";
import { recordRefund } from "./refunds.ts";
import { recordPayout } from "./settlements.ts";

const [BOB, CAROL, ERIN] = ["bob", "carol", "erin"].map((name) => accountText(dev(name).key));
const reason = "The node was away.";

interface Owed {
  readonly order_id: number;
  readonly amount_raw: bigint;
}

const released = async (market: Market): Promise<Owed> => {
  const { id: order_id, split } = await market.delivered(await market.offer());
  assert.equal((await market.buyer.post("/market/accept", { order_id })).status, 200);
  return { order_id, amount_raw: BigInt(split.seller_raw) };
};

const setAddress = async ({ seller }: Market, address: string | undefined) =>
  assert.equal((await seller.post("/market/payout-address", { address })).status, 200);

/** Sends from the escrow account, which has enough; the hash. */
function sendTo(market: Market, name: string, amount_raw: bigint): string {
  market.send(3n * amount_raw);
  return market.payers.chain.wallet.send(dev("escrow"), dev(name).key, amount_raw).hash;
}

const payout = ({ context }: Market, { order_id }: Owed, txid: string, fields: object = {}) =>
  recordPayout(context, { order_id, currency: "xno", txid, proof: "checked", ...fields });

/** The whole of a market's ledger, of some kinds. */
async function entries(market: Market, ...kinds: string[]) {
  await market.sequenced();
  return (await readLedger(market)).filter(({ kind }) => kinds.includes(kind));
}

const silence = ({ payers }: Market) => payers.spoil(FAULTS.brokenProxy);

/** The node answers again, and the adapter's pauses are over. */
function heal({ payers }: Market): void {
  payers.spoil(honest);
  payers.pass(HOUR_S * 1_000);
}

eachMarket("a payout may go to any address in force since the release", async (market) => {
  const { pass, seen, seller } = market;
  await setAddress(market, BOB);
  pass(DAY_S);
  await setAddress(market, CAROL);
  pass(DAY_S); // Carol is in force before the release, so Bob is not any more.
  await market.watch();
  const owed = await released(market);
  const toBob = sendTo(market, "bob", owed.amount_raw);
  const toErin = sendTo(market, "erin", owed.amount_raw);
  const toCarol = sendTo(market, "carol", owed.amount_raw);
  await setAddress(market, ERIN);
  pass(HOUR_S);
  await assert.rejects(payout(market, owed, toErin), { code: "validation_failed" }, "too new");
  await setAddress(market, BOB); // Erin never comes into force.
  pass(DAY_S);
  await assert.rejects(payout(market, owed, toErin), { code: "validation_failed" }, "superseded");
  assert.equal((await seen(seller, owed.order_id)).payout.address, BOB);
  await payout(market, owed, toCarol);
  const { txid, address } = (await seen(seller, owed.order_id)).payout;
  assert.deepEqual([txid, address], [toCarol, CAROL], "the chain's target, not the address of now");
  const [entry] = await entries(market, "payout");
  assert.deepEqual([entry?.body["to"], entry?.body["checked"]], [CAROL, 1]);
  await market.watch();
  const next = await released(market);
  await payout(market, next, toBob);
});

eachMarket("an address that was replaced before the release is none to pay to", async (market) => {
  const { pass } = market;
  await setAddress(market, BOB);
  pass(DAY_S);
  await setAddress(market, CAROL);
  pass(DAY_S);
  await market.watch();
  const owed = await released(market);
  const txid = sendTo(market, "bob", owed.amount_raw);
  await assert.rejects(payout(market, owed, txid), { code: "validation_failed" });
});

eachMarket("the operator's word counts only where no node says anything", async (market) => {
  const { pass, seen, seller } = market;
  await setAddress(market, BOB);
  pass(DAY_S);
  await market.watch();
  const owed = await released(market);
  const right = sendTo(market, "bob", owed.amount_raw);
  const wrong = sendTo(market, "carol", owed.amount_raw);
  const word = { proof: "unchecked", reason };
  await assert.rejects(payout(market, owed, "AB".repeat(32), word), {
    code: "transaction_not_found",
  });
  await assert.rejects(payout(market, owed, wrong, word), { code: "validation_failed" });
  market.payers.spoil(FAULTS.neverConfirmed);
  await assert.rejects(payout(market, owed, right, word), { code: "transaction_unconfirmed" });
  heal(market);
  assert.equal((await seen(seller, owed.order_id)).state, "released");
  await payout(market, owed, right, word);
  const [entry] = await entries(market, "payout");
  assert.deepEqual([entry?.body["to"], entry?.body["checked"]], [BOB, 1], "the chain has said it");

  await market.watch();
  const next = await released(market);
  silence(market);
  await assert.rejects(payout(market, next, wrong, { ...word, to: CAROL }), {
    code: "validation_failed",
  });
  await payout(market, next, "CD".repeat(32), { ...word, to: BOB });
  const [, second] = await entries(market, "payout");
  assert.deepEqual([second?.body["to"], second?.body["checked"]], [BOB, 0]);
});

eachMarket(
  "an unchecked settlement is looked up until the chain has confirmed it",
  async (market) => {
    const { pass, payers } = market;
    await setAddress(market, BOB);
    pass(DAY_S);
    await market.watch();
    const [first, second] = [await released(market), await released(market)];
    const right = sendTo(market, "bob", first.amount_raw);
    const wrong = sendTo(market, "carol", second.amount_raw);
    silence(market);
    const word = { proof: "unchecked", reason };
    await payout(market, first, right, word);
    await payout(market, second, wrong, word);
    pass(10 * MINUTE_S);
    assert.deepEqual(await market.recheck(), [], "still silence");
    heal(market);
    pass(HOUR_S - 1);
    const calls = payers.calls.length;
    assert.deepEqual(await market.recheck(), []);
    assert.equal(payers.calls.length, calls, "an hour is not over");
    pass(1);
    assert.deepEqual(await market.recheck(), [`payout/${second.order_id}`]);
    pass(HOUR_S);
    assert.deepEqual(await market.recheck(), [], "each is answered once");
    const checked = await entries(market, "transfer_checked");
    assert.deepEqual(
      checked.map(({ ref, body }) => [ref, body["found"], body["to"]]),
      [
        [`payout/${first.order_id}`, "ok", BOB],
        [`payout/${second.order_id}`, "mismatch", CAROL],
      ],
    );
    await paidAgain(market, second);
  },
);

/** A payout that the chain did not show is owed again, and paid under a number of its own. */
async function paidAgain(market: Market, owed: Owed): Promise<void> {
  const { seen, seller } = market;
  const view = await seen(seller, owed.order_id);
  assert.deepEqual([view.state, view.payout.state, view.payout.txid], ["released", "due", null]);
  const { totals } = (await market.get("/market/ledger")).body;
  assert.deepEqual([totals.payouts_due_usd, totals.payouts_sent_usd], [8, 8]);
  const txid = sendTo(market, "bob", owed.amount_raw);
  await payout(market, owed, txid);
  assert.equal((await seen(seller, owed.order_id)).payout.txid, txid);
  const paid = await entries(market, "payout", "payout_reopened");
  assert.deepEqual(paid.map(({ kind, ref }) => [kind, ref]).slice(-2), [
    ["payout_reopened", `${owed.order_id}`],
    ["payout", `${owed.order_id}/2`],
  ]);
}

eachMarket("a refund that the chain does not know is owed again", async (market) => {
  const { context, pass, buyer, seen } = market;
  const { id: order_id, split } = await market.order(await market.offer());
  market.send(split.due_raw, "carol");
  await market.watch();
  await holdOrder(context, { order_id, reason });
  await resolveOrder(context, { order_id, outcome: "refund", reason });
  silence(market);
  const word = { currency: "xno", proof: "unchecked", reason } as const;
  await recordRefund(context, { order_id, ...word, txid: "EF".repeat(32) });
  assert.equal((await seen(buyer, order_id)).state, "refunded");
  heal(market);
  pass(3 * DAY_S - 1);
  assert.deepEqual(await market.recheck(), [], "it may still appear");
  pass(HOUR_S);
  assert.deepEqual(await market.recheck(), [`refund/${order_id}/1`]);
  const { state, refunds } = await seen(buyer, order_id);
  assert.equal(state, "refund_due");
  assert.deepEqual(
    refunds.map((debt: { n: number; state: string; to: string }) => [debt.n, debt.state, debt.to]),
    [
      [1, "reopened", CAROL],
      [2, "due", CAROL],
    ],
  );
  const txid = sendTo(market, "carol", BigInt(split.due_raw));
  await recordRefund(context, { order_id, currency: "xno", txid, proof: "checked" });
  assert.equal((await seen(buyer, order_id)).state, "refunded");
  await market.sequenced();
  const { totals } = (await market.get("/market/ledger")).body;
  assert.deepEqual([totals.refunds_due_usd, totals.refunds_sent_usd], [0, 10]);
});

eachMarket("after a month of silence the operator's word stands alone", async (market) => {
  const { pass } = market;
  await setAddress(market, BOB);
  pass(DAY_S);
  await market.watch();
  const owed = await released(market);
  silence(market);
  await payout(market, owed, "AB".repeat(32), { proof: "unchecked", reason });
  pass(30 * DAY_S);
  assert.deepEqual(await market.recheck(), []);
  heal(market);
  pass(HOUR_S);
  assert.deepEqual(await market.recheck(), []);
  const checked = await entries(market, "transfer_checked");
  assert.deepEqual(
    checked.map(({ body }) => body["found"]),
    ["silence"],
    "and the ledger says so",
  );
});
