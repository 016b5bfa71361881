import assert from "node:assert/strict";
import { dev } from "../../../../test/chain-service.ts";
import { eachMarket, type Market } from "../../../../test/market-service.ts";
import { statement, triggerOf } from "../../../../test/statement.ts";
import { accountText } from "../../../platform/chain/account.ts";
import type { EditedRow } from "../../../platform/context.ts";
import { DAY_S, HOUR_S } from "../../../platform/kernel/time.ts";
import { transferAudit } from "../../transfers/audit.ts";
import { settleDueOrders } from "../orders/timers.ts";
import { watchPayments } from "../payments/payment-watcher.ts";
import type { Handled } from "../payments/scan.ts";
import { listDue } from "../payouts/payables.ts";
import { recordPayout } from "../payouts/settlements.ts";
import { unaskedSends } from "../payouts/unasked.ts";

const yieldToRequests = async () => {};

const run = ({ context }: Market, text: string) =>
  context.write((tx) => tx.run(statement(text), []));

/** Deletes a row of the register, as only somebody can who may change the database's triggers. */
async function takeAway(market: Market, key: string): Promise<void> {
  const [without, back] =
    market.engine === "postgres"
      ? ["alter table chain_tx disable trigger user", "alter table chain_tx enable trigger user"]
      : [`drop trigger ${TRIGGER}`, await triggerOf(market, TRIGGER)];
  for (const text of [without, `delete from chain_tx where key = '${key}'`, back])
    await run(market, text);
}

const TRIGGER = "chain_tx_is_never_deleted";

/** Runs the watcher, and collects what it tells of. */
function watcherOf({ context }: Market) {
  const told: EditedRow[] = [];
  const looking = { ...context, edited: (row: EditedRow) => void told.push(row) };
  const handled: Handled = new Map();
  return { told, watch: () => watchPayments(looking, handled) };
}

eachMarket("a row that claims a payment hides it no longer", async (market) => {
  const { buyer, context } = market;
  const offer_id = await market.offer();
  const [before, order] = [await market.paid(offer_id), await market.order(offer_id)];
  const txid = market.send(order.invoice.due_raw);
  const key = txid.toLowerCase();
  await market.sequenced();
  for (const used_by of [`order_payment/${before.id}/2`, "contribution/77", "payout/1"]) {
    await run(market, `insert into chain_tx values ('${key}', '${used_by}', 1)`);
    const audit = transferAudit();
    assert.deepEqual(await audit.run({ ...context, yieldToRequests }), [
      { invariant: "I13", txid: key },
    ]);
    assert.deepEqual(await audit.run({ ...context, yieldToRequests }), [], "it is told once");
    const { told, watch } = watcherOf(market);
    market.pass(600);
    await watch();
    assert.ok(told.some((row) => "txid" in row && row.txid === key));
    await takeAway(market, key);
  }
  await run(market, `insert into chain_tx values ('${key}', 'order_payment/${before.id}/1', 1)`);
  const { told, watch } = watcherOf(market);
  market.pass(HOUR_S + 700);
  await watch();
  assert.deepEqual([told.length > 0, await settleDueOrders(context, 10)], [true, 0]);
  const { doubts } = await listDue(context, 10);
  assert.deepEqual(
    doubts.map(({ txid: hash, order_id, why }) => [hash, order_id, why]),
    [[txid, order.id, "contradicted"]],
    "and the order waits for its payment",
  );
  await takeAway(market, key);
  market.pass(HOUR_S);
  await watch();
  assert.equal((await market.seen(buyer, order.id)).state, "paid");
  await market.sequenced();
  assert.deepEqual(await transferAudit().run({ ...context, yieldToRequests }), []);
  await takeAway(market, key);
  const gone = await transferAudit().run({ ...context, yieldToRequests });
  assert.deepEqual(gone, [{ invariant: "I13", txid: key }], "nor is a row deleted unseen");
  await run(market, `insert into chain_tx values ('${key}', 'order_payment/${order.id}/1', 1)`);
});

eachMarket("an edited frontier hides a payment for a day at most", async (market) => {
  const { context, payers, buyer } = market;
  const offer_id = await market.offer();
  await market.paid(offer_id);
  const order = await market.order(offer_id);
  const txid = market.send(order.invoice.due_raw);
  const { watch } = watcherOf(market);
  const state = async () => (await market.seen(buyer, order.id)).state;
  const [received] = payers.chain.wallet
    .receive(dev("escrow"))
    .filter(({ block }) => block.link === txid);
  const newest = received?.hash;
  await run(market, `update market_watch set frontier = '${newest}', scanned_at = 1`);
  const handled: Handled = new Map();
  const [account] = await context.read.all(statement("select account from market_watch"), []);
  handled.set(String(Object(account).account), {
    known: new Set(),
    whole_at: context.clock.now() + HOUR_S,
  });
  market.pass(1);
  await watchPayments(context, handled);
  assert.equal(await state(), "awaiting_payment", "its scan reads on from there");
  market.pass(1);
  await watch();
  assert.equal(await state(), "paid", "a process that starts reads the whole history");
});

eachMarket(
  "a scan that an edit dates ahead ends no order, and the next one is told",
  async (market) => {
    const { context, buyer } = market;
    const order = await market.order(await market.offer());
    const { watch } = watcherOf(market);
    market.pass(HOUR_S);
    await watch();
    market.send(order.invoice.due_raw); // In time, and not seen yet.
    await run(market, "update market_watch set scanned_at = 4000000000, next_at = 4000000000");
    market.pass(900);
    assert.equal(await settleDueOrders(context, 10), 0);
    assert.equal((await market.seen(buyer, order.id)).state, "awaiting_payment");
    await watch();
    assert.equal((await market.seen(buyer, order.id)).state, "paid");
    const [row] = await context.read.all(statement("select scanned_at from market_watch"), []);
    assert.ok(Object(row).scanned_at <= context.clock.now(), "a real scan takes its place");
  },
);

const ANSWERS = {
  "claims an answer": "update market_recheck set found = 'ok'",
  "waits for ever": "update market_recheck set next_try_at = 4000000000",
  "has gone": "delete from market_recheck",
};

for (const [name, edit] of Object.entries(ANSWERS))
  eachMarket(
    `the chain is asked of an unchecked payout although its row ${name}`,
    async (market) => {
      const { context, seller, buyer } = market;
      await seller.post("/market/payout-address", { address: accountText(dev("erin").key) });
      const { id } = await market.delivered(await market.offer());
      await buyer.post("/market/accept", { order_id: id });
      market.pass(DAY_S + 1);
      await market.watch();
      const sent = { order_id: id, currency: "xno", txid: "AB".repeat(32) } as const;
      await recordPayout(
        { ...context, chain: null },
        { ...sent, proof: "unchecked", reason: "The node is away." },
      );
      await market.sequenced();
      const look = unaskedSends();
      const looking = { ...context, yieldToRequests };
      assert.deepEqual(await look(looking), []);
      await run(market, edit);
      assert.deepEqual(await look(looking), [{ invariant: "I16", order_id: id }]);
      assert.deepEqual(await look(looking), [], "it is put back");
      market.pass(4 * DAY_S);
      assert.deepEqual(await market.recheck(), [`payout/${id}`]);
      await market.sequenced();
      assert.deepEqual(await look(looking), [], "it is answered");
    },
  );
