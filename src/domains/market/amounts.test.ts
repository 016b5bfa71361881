import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { micro } from "../../platform/kernel/money.ts";
import { sha256Hex } from "../../platform/ledger/sha256.ts";
import {
  baseOf,
  baseRaw,
  isTagged,
  PAYMENT_MIN_RAW,
  splitOf,
  taggedDue,
  taggedId,
  toCompleteRaw,
  UNIT_RAW,
} from "./amounts.ts";
import { PRICE_MAX, PRICE_MIN, PRICE_STEP } from "./rules.ts";

const GENESIS = "ab".repeat(32);

/** Checks an invoice for a price at a rate: whole units, enough, and split without a rest. */
function check(price: bigint, rate_e8: bigint, id: number): void {
  const base = baseRaw(micro(price), rate_e8);
  assert.equal(base % UNIT_RAW, 0n);
  const exact = price * 10n ** 32n; // The price in raw, times the rate.
  assert.ok(base * rate_e8 >= exact, "it is worth the price");
  assert.ok((base - UNIT_RAW) * rate_e8 < exact, "and less than a unit more");
  const base_raw = String(base);
  const asked = taggedDue({ genesis: GENESIS, id, base_raw }, sha256Hex);
  const order = { id, base_raw, due_raw: asked, price_usd_micro: Number(price) };
  const { fee_usd, seller_receives_usd, due_raw, fee_raw, seller_raw } = splitOf(order);
  assert.equal(fee_usd * 5n, price);
  assert.equal(seller_receives_usd * 5n, price * 4n);
  assert.equal(BigInt(seller_raw) * 5n, base * 4n);
  assert.equal(BigInt(fee_raw) + BigInt(seller_raw), BigInt(due_raw));
  assert.equal(BigInt(due_raw) / UNIT_RAW, base / UNIT_RAW, "the tag is below the unit");
  assert.equal(taggedId(BigInt(due_raw)), id);
  assert.equal(baseOf(seller_raw), base_raw);
}

/** Every cent in the long run, else every 29th. */
const CENTS = process.env["TEST_ROUNDS"] === undefined ? 29n : 1n;

test("the split is exact for the cents from 1.00 to 5000.00", () => {
  let prices = 0;
  for (let price: bigint = PRICE_MIN; price <= PRICE_MAX; price += CENTS * PRICE_STEP, prices++)
    check(price, 87_000_000n, prices + 1);
  assert.equal(prices, Math.ceil(499_901 / Number(CENTS)));
});

test("and over generated prices, rates and orders", () => {
  const price = fc.bigInt(PRICE_MIN / PRICE_STEP, PRICE_MAX / PRICE_STEP);
  const rate = fc.bigInt(1n, 10n ** 14n - 1n);
  const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  const each = fc.property(price, rate, id, (cents, rate_e8, order) =>
    check(cents * PRICE_STEP, rate_e8, order),
  );
  fc.assert(each, { numRuns: 20_000 });
});

test("the examples of the design", () => {
  assert.equal(baseRaw(micro(10_000_000n), 87_000_000n) + 7n, 11494253000000000000000000000007n);
  assert.equal(baseRaw(micro(1_000_000n), 87_000_000n) + 42n, 1149426000000000000000000000042n);
});

const invoice = (id: number, base: bigint) => {
  const of = { genesis: GENESIS, id, base_raw: String(base) };
  return { ...of, due_raw: taggedDue(of, sha256Hex) };
};

test("a tag is 16 digits of the order and 8 that check them", () => {
  const { due_raw } = invoice(42, 1_149_426n * UNIT_RAW);
  assert.equal(due_raw, `1149426${"42".padStart(16, "0")}${due_raw.slice(-8)}`);
  const hash = sha256Hex(`${GENESIS} 42 ${1_149_426n * UNIT_RAW}`).slice(0, 15);
  assert.equal(due_raw.slice(-8), String(BigInt(`0x${hash}`) % 10n ** 8n).padStart(8, "0"));
});

test("no slip of a payer names another order", () => {
  const base = 1_149_426n * UNIT_RAW;
  const orders = Array.from({ length: 1_000 }, (_, i) => invoice(i + 1, base));
  const due = (n: number) => BigInt(orders[n - 1]?.due_raw ?? 0);
  const named = (amount: bigint) =>
    [taggedId(amount)].filter((id) => {
      const order = orders[(id ?? 0) - 1];
      return order !== undefined && isTagged(amount, order);
    });
  for (let n = 1; n <= 500; n++) {
    assert.deepEqual(named(due(n)), [n]);
    const slips = [due(n) / 2n, due(n) + 1n, due(n) - 1n, 2n * due(n), due(n) + due(n + 1)];
    for (const slip of [...slips, due(n) - BigInt(n), base]) assert.deepEqual(named(slip), []);
  }
  for (const amount of [0n, 7n, UNIT_RAW - 1n]) assert.equal(taggedId(amount), null);
});

test("what completes a payment has the tag, is seen, and is a unit too much at most", () => {
  const amounts = fc.bigInt(0n, 10n ** 32n);
  const each = fc.property(amounts, fc.integer({ min: 1, max: 1e15 }), (received, id) => {
    const order = { ...invoice(id, 11_494_253n * UNIT_RAW), received_raw: String(received) };
    const more = toCompleteRaw(order);
    assert.ok(isTagged(more, order));
    const left = BigInt(order.due_raw) - received;
    assert.ok(more >= left && more >= PAYMENT_MIN_RAW);
    assert.ok(more < UNIT_RAW + (left > PAYMENT_MIN_RAW ? left : PAYMENT_MIN_RAW));
  });
  fc.assert(each, { numRuns: 10_000 });
});
