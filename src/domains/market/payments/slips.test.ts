import assert from "node:assert/strict";
import { eachMarket, type Market } from "../../../../test/market-service.ts";
import { HOUR_S } from "../../../platform/kernel/time.ts";
import { settleDueOrders } from "../orders/timers.ts";
import { listDue } from "../payouts/payables.ts";
import { recordPayment } from "./received.ts";

const ORDERS = 10;

/** What a payer sends by mistake, where `due` is what each of ten equal orders asks for. */
const SLIPS: Readonly<Record<string, (due: (n: number) => bigint) => readonly bigint[]>> = {
  "two halves": (due) => [due(8) / 2n, due(8) / 2n],
  "one raw too little": (due) => [due(8) - 1n],
  "one raw too much": (due) => [due(8) + 1n],
  "two orders in one transfer": (due) => [due(3) + due(5)],
  "one order twice in one transfer": (due) => [2n * due(4)],
  "a half, and then what is missing": (due) => [due(8) / 2n + 4n, due(8) - (due(8) / 2n + 4n)],
  "six decimals of XNO": (due) => [due(8) - (due(8) % 10n ** 24n)],
  "the number of the order alone": (due) => [due(8) - (due(8) % 10n ** 24n) + 8n],
  "the tag of another network": (due) => [due(8) - (due(8) % 10n ** 8n) + 12_345_678n],
  "the price of another order": (due) => [due(8) + 10n ** 24n - (due(8) % 10n ** 24n)],
};

async function look({ payers, watch }: Market): Promise<void> {
  payers.pass(60_000);
  await watch();
}

for (const [name, amounts] of Object.entries(SLIPS))
  eachMarket(
    `a slip pays no stranger's order, and its money is not lost: ${name}`,
    async (market) => {
      const { context, seen, pass, send } = market;
      const stranger = await market.register("stranger");
      const offer_id = await market.offer();
      const due: bigint[] = [];
      for (let n = 1; n <= ORDERS; n++) {
        const { body } = await stranger.post("/market/order", { offer_id });
        due.push(BigInt(body.order.split.due_raw));
      }
      const sent = amounts((n) => due[n - 1] ?? 0n);
      for (const amount_raw of sent) send(amount_raw, "bob");
      await look(market);
      for (let id = 1; id <= ORDERS; id++)
        assert.equal((await seen(stranger, id)).state, "awaiting_payment", `order ${id}`);
      const { unmatched } = await listDue(context, 10);
      assert.deepEqual(
        unmatched.map(({ amount_raw }) => BigInt(amount_raw)).toSorted(),
        [...sent].toSorted(),
      );
      pass(2 * HOUR_S);
      await look(market);
      await settleDueOrders(context, 100);
      for (let id = 1; id <= ORDERS; id++)
        assert.equal((await seen(stranger, id)).state, "expired", `order ${id}`);
    },
  );

eachMarket(
  "a payer is told what completes a payment, and may send it without the tag",
  async (market) => {
    const { buyer, seen, send } = market;
    const offer_id = await market.offer();
    const first = await market.order(offer_id);
    const unit = 10n ** 24n;
    const due = BigInt(first.split.due_raw);
    assert.equal(first.invoice.to_complete_raw, first.split.due_raw);
    const part = due / 2n - ((due / 2n) % unit) + (due % unit);
    send(part, "bob");
    await look(market);
    const { invoice, payment } = await seen(buyer, first.id);
    assert.equal(payment.received_raw, String(part));
    const rest = BigInt(invoice.to_complete_raw);
    assert.equal(rest % unit, due % unit);
    send(rest, "carol");
    await look(market);
    const paid = await seen(buyer, first.id);
    assert.deepEqual([paid.state, paid.invoice.to_complete_raw], ["paid", null]);

    // A rounded rest from an account that has paid for one open order is that order's.
    const second = await market.order(offer_id);
    const tag = BigInt(second.split.due_raw) % unit;
    send(3n * 10n ** 29n + tag, "bob");
    await look(market);
    send(10n ** 29n, "bob");
    await look(market);
    assert.equal(
      (await seen(buyer, second.id)).payment.received_raw,
      String(4n * 10n ** 29n + tag),
    );
    // With two of them nobody knows whose it is.
    const third = await market.order(offer_id);
    send(10n ** 29n + (BigInt(third.split.due_raw) % unit), "bob");
    await look(market);
    send(2n * 10n ** 29n, "bob");
    await look(market);
    const { unmatched } = await listDue(market.context, 10);
    assert.deepEqual(
      unmatched.map(({ amount_raw }) => amount_raw),
      [String(2n * 10n ** 29n)],
    );
  },
);

eachMarket("a payment that names another order is not given away unsaid", async (market) => {
  const { context, buyer, seen, send } = market;
  const mallory = await market.register("mallory");
  const offer_id = await market.offer();
  const one = (await mallory.post("/market/order", { offer_id })).body.order;
  const two = await market.order(offer_id);
  const txid = send(two.split.due_raw, "bob");
  market.payers.pass(60_000);
  const transfer = { order_id: one.id, currency: "xno", txid } as const;
  await assert.rejects(recordPayment(context, transfer), /name order 2/);
  const although = { ...transfer, although_it_names: two.id };
  await assert.rejects(recordPayment(context, although), { code: "validation_failed" });
  await recordPayment(context, { ...although, reason: "Bob pays for both of them." });
  assert.equal((await seen(mallory, one.id)).state, "paid");
  assert.equal((await seen(buyer, two.id)).state, "awaiting_payment");
});

eachMarket(
  "an order that nobody could pay exactly is not made",
  async (market) => {
    const offer_id = await market.offer({ price_usd: 1 });
    const { status, body } = await market.buyer.post("/market/order", { offer_id });
    assert.deepEqual([status, body.error], [422, "validation_failed"]);
    const dearer = await market.offer({ price_usd: 120 });
    assert.equal((await market.buyer.post("/market/order", { offer_id: dearer })).status, 201);
  },
  { rates: { source: "static", xno_e8: 120_000_000_000n, xmr_e8: null, btc_e8: null } },
);
