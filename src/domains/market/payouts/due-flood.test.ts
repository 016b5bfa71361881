import assert from "node:assert/strict";
import { eachMarket } from "../../../../test/market-service.ts";
import { operate } from "../../../../test/operator.ts";
import { DAY_S, HOUR_S } from "../../../platform/kernel/time.ts";
import { settleDueOrders } from "../orders/timers.ts";
import { listDue } from "./payables.ts";

const DUST_RAW = 10n ** 27n;
const ORDERS = 3;
const SENDERS = 40;

eachMarket(
  "dust on old orders hides no refund: the largest debts come first, in pages",
  async (market) => {
    const { context, pass, watch, send } = market;
    const offer_id = await market.offer({ sla_hours: 1 });
    const old = [];
    for (let n = 0; n < ORDERS; n++) old.push(await market.order(offer_id));
    const settle = async () => {
      market.payers.pass(60_000);
      await watch();
      await settleDueOrders(context, 100);
    };
    pass(2 * HOUR_S);
    await settle();
    for (const { id } of old)
      for (let n = 0; n < SENDERS; n++) await market.book(id, DUST_RAW, `nano_dust_${id}_${n}`);
    const real = await market.paid(offer_id);
    pass(DAY_S + 2 * HOUR_S);
    await settle();
    for (let n = 0; n < 12; n++) send(DUST_RAW + BigInt(n), "bob");
    const large = send(7n * 10n ** 30n + 5n, "bob");
    await settle();

    const seen = new Set<string>();
    for (let page = 1; ; page++) {
      const { refunds, unmatched, more } = await listDue(context, 10, page);
      if (page === 1) assert.equal(refunds[0]?.order_id, real.id);
      if (page === 1) assert.equal(unmatched[0]?.txid, large);
      for (const { order_id, debts } of refunds) seen.add(`${order_id}/${debts}`);
      assert.equal(more.refunds, Math.max(0, ORDERS * SENDERS + 1 - 10 * page));
      if (more.refunds === 0) break;
    }
    assert.equal(seen.size, ORDERS * SENDERS + 1);

    const { text } = await operate({ ...market.service, context }, "market due", "--limit", "10");
    assert.match(text.split("\n")[0] ?? "", new RegExp(`^refund  order ${real.id},`));
    assert.match(text, /and 111 more refunds: cairn market due --page 2/);
    assert.match(text, /and 3 more unmatched: cairn market due --page 2/);
  },
);
