import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RAW_MAX } from "../../platform/kernel/nano.ts";
import { hashOf, judgeSample, parseUsd, rateText, transferKey, unitsOf, worth } from "./rules.ts";

const RATE_E8_MAX = 10n ** 14n - 1n;
const rate = fc.bigInt(1n, RATE_E8_MAX);

test("a value is the exact product rounded down, for any amount and rate", () => {
  assert.equal(worth(10n ** 30n, 30, 87_000_000n), 870_000n);
  const property = fc.property(fc.bigInt(0n, RAW_MAX), rate, (raw, rate_e8) => {
    const micro = worth(raw, 30, rate_e8);
    const exact = raw * rate_e8;
    assert.ok(micro * 10n ** 32n <= exact && exact < (micro + 1n) * 10n ** 32n);
  });
  fc.assert(property, { numRuns: 2_000 });
});

test("a rate's text says the same rate, as briefly as it can", () => {
  assert.equal(rateText(87_000_000n), "0.87");
  assert.equal(rateText(30_000_000_000n), "300");
  assert.equal(rateText(1n), "0.00000001");
  fc.assert(fc.property(rate, (rate_e8) => parseUsd(rateText(rate_e8)) === rate_e8));
});

test("prices are decimal, above 0 and below a million", () => {
  for (const text of [
    "0",
    "0.000000001",
    "1000000",
    "1e3",
    "-1",
    "+1",
    "",
    ".5",
    "1.",
    "01",
    "0x1",
    " 1",
  ])
    assert.equal(parseUsd(text), null, text);
  assert.equal(parseUsd("999999.99999999"), RATE_E8_MAX);
});

test("an amount has no more decimals than its currency", () => {
  assert.equal(unitsOf("1.5", 12), 1_500_000_000_000n);
  assert.equal(unitsOf("0.000000000001", 12), 1n);
  assert.equal(unitsOf("0.0000000000001", 12), null);
});

test("one hash has one name, whatever its notation; other names stay as they are", () => {
  const hash = "0123456789abcdef".repeat(4);
  for (const name of [hash, hash.toUpperCase(), `0x${hash}`, `0X${hash}`, ` \t${hash}\r\n`])
    assert.equal(transferKey(name), hash);
  for (const name of ["A parcel", `${hash}0`, `0x0x${hash}`, `x${hash}`]) {
    assert.equal(hashOf(name), null);
    assert.equal(transferKey(name), name);
  }
  assert.equal(hashOf("0".repeat(64)), null, "no transaction has this hash");
});

test("a sample is believed near what is known, or when the next one says the same", () => {
  const judge = (sample_e8: bigint, last_e8: bigint | null, doubted_e8: bigint | null = null) =>
    judgeSample(sample_e8, { reference_e8: 100n, last_e8, doubted_e8 });
  assert.equal(judge(500n, null), "accepted");
  assert.equal(judge(20n, null), "accepted");
  assert.equal(judge(501n, null), "refused", "over 5 times the reference");
  assert.equal(judge(19n, null), "refused", "under a fifth of it");
  assert.equal(judge(0n, null), "refused");
  assert.equal(judge(130n, 100n), "accepted");
  assert.equal(judge(70n, 100n), "accepted");
  assert.equal(judge(131n, 100n), "doubted");
  assert.equal(judge(69n, 100n), "doubted");
  assert.equal(judge(210n, 100n, 200n), "accepted", "two in a row agree within 5 %");
  assert.equal(judge(211n, 100n, 200n), "doubted");
  assert.equal(judge(501n, 100n, 501n), "refused", "nothing leads beyond the reference's bounds");
});
