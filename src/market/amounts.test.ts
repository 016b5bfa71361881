import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { micro } from "../kernel/money.ts";
import { baseRaw, splitOf, taggedOrder, UNIT_RAW } from "./amounts.ts";
import { PRICE_MAX, PRICE_MIN, PRICE_STEP } from "./rules.ts";

/** Checks an invoice for a price at a rate: whole units, enough, and split without a rest. */
function check(price: bigint, rate_e8: bigint, id: number): void {
  const base = baseRaw(micro(price), rate_e8);
  assert.equal(base % UNIT_RAW, 0n);
  const exact = price * 10n ** 32n; // The price in raw, times the rate.
  assert.ok(base * rate_e8 >= exact, "it is worth the price");
  assert.ok((base - UNIT_RAW) * rate_e8 < exact, "and less than a unit more");
  const order = { id, base_raw: String(base), price_usd_micro: Number(price) };
  const { fee_usd, seller_receives_usd, due_raw, fee_raw, seller_raw } = splitOf(order);
  assert.equal(fee_usd * 5n, price);
  assert.equal(seller_receives_usd * 5n, price * 4n);
  assert.equal(BigInt(seller_raw) * 5n, base * 4n);
  assert.equal(BigInt(fee_raw) + BigInt(seller_raw), BigInt(due_raw));
  assert.equal(taggedOrder(BigInt(due_raw)), id);
}

test("the split is exact for every cent from 1.00 to 5000.00", () => {
  let cents = 0;
  for (let price: bigint = PRICE_MIN; price <= PRICE_MAX; price += PRICE_STEP, cents++)
    check(price, 87_000_000n, cents + 1);
  assert.equal(cents, 499_901);
});

test("and over generated prices, rates and orders", () => {
  const price = fc.bigInt(PRICE_MIN / PRICE_STEP, PRICE_MAX / PRICE_STEP);
  const rate = fc.bigInt(1n, 10n ** 14n - 1n);
  const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  const each = fc.property(price, rate, id, (cents, rate_e8, order) =>
    check(cents * PRICE_STEP, rate_e8, order),
  );
  fc.assert(each, { numRuns: 100_000 });
});

test("the examples of the design", () => {
  assert.equal(baseRaw(micro(10_000_000n), 87_000_000n) + 7n, 11494253000000000000000000000007n);
  assert.equal(baseRaw(micro(1_000_000n), 87_000_000n) + 42n, 1149426000000000000000000000042n);
});

test("an amount names an order by its last digits, from one unit on", () => {
  assert.equal(taggedOrder(UNIT_RAW + 7n), 7);
  for (const amount of [0n, 7n, UNIT_RAW, UNIT_RAW - 1n, 2n * UNIT_RAW - 1n])
    assert.equal(taggedOrder(amount), null);
});
