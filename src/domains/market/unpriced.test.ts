import assert from "node:assert/strict";
import { eachMarket, type Market } from "../../../test/market-service.ts";
import { DAY_S } from "../../platform/kernel/time.ts";
import { takeSample } from "../transfers/rates.ts";

const LIVE = { network: "live" } as const;
const ratesOf = (source: "static" | "coingecko", xno_e8: bigint | null) => ({
  rates: { source, xno_e8, xmr_e8: null, btc_e8: null },
});

/** How an order and a contribution are answered. */
async function taken(market: Market) {
  const { buyer, payers } = market;
  const offer_id = await market.offer();
  const order = await buyer.post("/market/order", { offer_id });
  const { send } = payers.pay(10n ** 30n);
  const contribution = await buyer.post("/contribute", { currency: "xno", txid: send });
  return [order, contribution].map(({ status, body, headers }) => ({
    status,
    code: body.error,
    retry: headers.get("retry-after"),
  }));
}

eachMarket(
  "a live network without a price takes no XNO, and says so",
  async (market) => {
    assert.deepEqual(await taken(market), [
      { status: 409, code: "escrow_not_configured", retry: null },
      { status: 409, code: "currency_not_configured", retry: null },
    ]);
    const { body } = await market.get("/currencies");
    assert.equal(typeof body.xno_usd_reference, "number");
    const [first] = body.not_accepted;
    assert.deepEqual([first.name, first.why], ["Nano", "The operator has set no reference price."]);
    const declared = { currency: "xmr", amount: "1.5", txid: "CD".repeat(32) };
    assert.equal((await market.buyer.post("/contribute", declared)).status, 201);
  },
  ratesOf("static", null),
  LIVE,
);

eachMarket(
  "while the source of prices is away, callers are told to come back",
  async (market) => {
    const away = { status: 503, code: "chain_unavailable", retry: "300" };
    assert.deepEqual(await taken(market), [away, away]);
    const sampled_at = market.context.clock.now();
    const sample = { currency: "xno", usd_e8: 90_000_000n, sampled_at } as const;
    assert.equal(await takeSample(market.context, sample, null), "accepted");
    const statuses = async () => (await taken(market)).map(({ status }) => status);
    assert.deepEqual(await statuses(), [201, 201]);
    market.pass(DAY_S + 1);
    await market.watch();
    assert.deepEqual(await taken(market), [away, away], "the price is a day old");
  },
  ratesOf("coingecko", null),
  LIVE,
);

eachMarket(
  "the operator's own price holds while the source is away",
  async (market) => {
    const statuses = (await taken(market)).map(({ status }) => status);
    assert.deepEqual(statuses, [201, 201]);
  },
  ratesOf("coingecko", 87_000_000n),
  LIVE,
);
