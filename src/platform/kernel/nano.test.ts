import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseRaw, parseXno, publicKeyOf, RAW_MAX, RAW_PER_XNO, xnoOf } from "./nano.ts";

test("an amount in XNO is the same amount again", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: RAW_MAX }), (raw) => {
      assert.equal(parseXno(xnoOf(raw)), raw);
      assert.equal(parseRaw(String(raw)), raw);
      assert.ok(!/[.0]$/.test(xnoOf(raw)) || !xnoOf(raw).includes("."));
    }),
  );
});

test("amounts are read to the last raw", () => {
  assert.equal(parseXno("1.5"), (RAW_PER_XNO * 3n) / 2n);
  assert.equal(parseXno("0.000000000000000000000000000001"), 1n);
  assert.equal(parseXno("340282366.920938463463374607431768211455"), RAW_MAX);
  assert.equal(xnoOf(RAW_MAX), "340282366.920938463463374607431768211455");
  assert.equal(xnoOf(0n), "0");
  assert.equal(xnoOf(5n * RAW_PER_XNO), "5");
});

test("a text that is no amount is refused", () => {
  const bad = ["", "01", "1.", ".5", "-1", "+1", "1e3", " 1", "1 ", "0x1", "1,5", "NaN", "٣"];
  const finer = `0.${"0".repeat(30)}1`;
  for (const text of [...bad, finer, "340282366.920938463463374607431768211456", "9999999999"])
    assert.equal(parseXno(text), null, text);
  for (const text of [...bad, "1.5", String(RAW_MAX + 1n)])
    assert.equal(parseRaw(text), null, text);
});

test("a key is 64 hex characters of any case", () => {
  assert.equal(publicKeyOf("ab".repeat(32)), "AB".repeat(32));
  for (const text of ["", "ab", "ab".repeat(33), "g".repeat(64), ` ${"a".repeat(63)}`])
    assert.equal(publicKeyOf(text), null);
});
