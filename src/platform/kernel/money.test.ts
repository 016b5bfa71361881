import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import * as z from "zod";
import { amountIn, amountOut } from "./contract/amounts.ts";
import { inThousands, type Micro, micro, parseMicro, percentOf } from "./money.ts";

const TOTAL = micro<"coin">(100_000_000_000_000n);
const transfer = z.object({ amount: amountIn(micro<"coin">(1), TOTAL) });
const balance = z.object({ balance: amountOut<"coin">() });

const amounts = fc.bigInt(0n, TOTAL).map((amount) => micro<"coin">(amount));
const digits = (min: number, max: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: min, maxLength: max })
    .map((d) => d.join(""));

test("money: a number and its text mean the same", () => {
  const examples: readonly (readonly [number, string, bigint])[] = [
    [0, "0", 0n],
    [0.1, "0.1", 100_000n],
    [0.000001, "0.000001", 1n],
    [0.25, "0.250000", 250_000n],
    [1, "1.0", 1_000_000n],
    [1.1, "1.10", 1_100_000n],
    [4.35, "4.35", 4_350_000n],
    [99_999_999.999999, "99999999.999999", 99_999_999_999_999n],
    [100_000_000, "100000000", 100_000_000_000_000n],
  ];
  for (const [number, text, amount] of examples) {
    assert.equal(parseMicro(number), amount);
    assert.equal(parseMicro(text), amount);
  }
});

test("money: signs, exponents, a seventh decimal and whatever is no decimal are refused", () => {
  const numbers = [
    -1,
    -0.5,
    1e-7,
    1.5e-7,
    1e21,
    0.1 + 0.2,
    0.0000001,
    Number.NaN,
    Infinity,
    -Infinity,
  ];
  const texts = [
    "",
    " ",
    "1 ",
    " 1",
    "+1",
    "-1",
    "-0",
    "1e3",
    "1E3",
    "0.1234567",
    "0.1000000",
    "1.",
    ".5",
  ];
  texts.push(
    "1.2.3",
    "1,5",
    "1_000",
    "01",
    "00.1",
    "0x10",
    "0b1",
    "1n",
    "NaN",
    "Infinity",
    "٣",
    "１",
    "1\n",
  );
  texts.push("1".repeat(16), "null");
  for (const sent of [...numbers, ...texts]) assert.equal(parseMicro(sent), null, `${sent}`);
});

test("money: any decimal text within bounds is read digit by digit", () => {
  const whole = fc.oneof(
    fc.constant("0"),
    fc
      .tuple(fc.integer({ min: 1, max: 9 }), digits(0, 14))
      .map(([first, rest]) => `${first}${rest}`),
  );
  fc.assert(
    fc.property(whole, digits(1, 6), (before, after) => {
      const expected =
        BigInt(before) * 1_000_000n + BigInt(after) * 10n ** BigInt(6 - after.length);
      return parseMicro(`${before}.${after}`) === expected;
    }),
    { numRuns: 3_000 },
  );
});

test("money: no text but a plain decimal is read", () => {
  const near = fc
    .array(fc.constantFrom(..."0123456789.-+eE ,_xn"))
    .map((letters) => letters.join(""));
  fc.assert(
    fc.property(near, (text) => {
      const [whole = "", fraction, ...more] = text.split(".");
      const plain = more.length === 0 && /^\d+$/.test(whole) && String(BigInt(whole)) === whole;
      const precise = fraction === undefined || (/^\d+$/.test(fraction) && fraction.length <= 6);
      return (parseMicro(text) !== null) === (plain && precise && whole.length <= 15);
    }),
    { numRuns: 4_000 },
  );
});

test("money: an amount survives its JSON number", () => {
  fc.assert(
    fc.property(amounts, (amount) => {
      const wire = JSON.stringify(z.encode(balance, { balance: amount }));
      assert.match(wire, /^\{"balance":\d+(?:\.\d{1,6})?\}$/);
      const sent: unknown = JSON.parse(wire);
      return z.decode(balance, sent as z.input<typeof balance>).balance === amount;
    }),
    { numRuns: 3_000 },
  );
});

test("money: a double is read if, and only if, it is an amount", () => {
  const doubles = fc
    .tuple(fc.double({ min: 0, max: 1e8, noNaN: true }), fc.integer({ min: 0, max: 9 }))
    .map(([double, decimals]) => Number(double.toFixed(decimals)));
  fc.assert(
    fc.property(doubles, (double) => {
      const amount = parseMicro(double);
      const rounded = double.toFixed(6);
      if (Number(rounded) !== double) return amount === null;
      return amount === BigInt(rounded.replace(".", ""));
    }),
    { numRuns: 3_000 },
  );
});

test("money: bounds belong to the request", () => {
  for (const amount of [0.000001, "0.000001", 100_000_000, "100000000.000000"])
    assert.equal(transfer.safeParse({ amount }).success, true, `${amount}`);
  for (const amount of [
    0,
    "0.000000",
    100_000_000.000001,
    "100000000.000001",
    "1e2",
    true,
    null,
    {},
  ])
    assert.equal(transfer.safeParse({ amount }).success, false, `${amount}`);
  const { error } = transfer.safeParse({ amount: "0" });
  assert.equal(error?.issues[0]?.message, "must be 0.000001 to 100000000");
});

test("money: a part and the rest are the whole, and the part is never rounded up", () => {
  assert.equal(percentOf(micro<"usd">(1_234_567), 20), 246_913n);
  fc.assert(
    fc.property(amounts, fc.integer({ min: 0, max: 100 }), (amount, percent) => {
      const part = percentOf(amount, percent);
      const exact = amount * BigInt(percent);
      return part * 100n <= exact && exact < (part + 1n) * 100n;
    }),
  );
});

test("money: only whole columns are lifted, and units do not mix", () => {
  assert.equal(micro(12), 12n);
  assert.throws(() => micro(0.5), RangeError);
  const coins = (amount: Micro<"coin">) => amount;
  coins(micro(1));
  // @ts-expect-error Dollars are not coins.
  coins(micro<"usd">(1));
  // @ts-expect-error A bare bigint has no unit.
  coins(1n);
});

test("prose has commas between the thousands, and none behind the point", () => {
  const texts = [0n, 999_000_000n, 1_000_000_000n, 100_000_000_000_000n, 1_234_567_123_456n];
  assert.deepEqual(
    texts.map((amount) => inThousands(amount)),
    ["0", "999", "1,000", "100,000,000", "1,234,567.123456"],
  );
});
