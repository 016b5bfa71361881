import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import * as bytes from "./bytes.ts";

const anyBytes = fc.uint8Array({ maxLength: 200 });

test("bytes have the texts that the platform gives them, and come back", () => {
  const check = (given: Uint8Array) => {
    const own = Buffer.from(given);
    assert.equal(bytes.toHex(given), own.toString("hex"));
    assert.equal(bytes.toBase64(given), own.toString("base64"));
    assert.equal(bytes.toBase64url(given), own.toString("base64url"));
    assert.deepEqual(bytes.fromHex(bytes.toHex(given).toUpperCase()), given);
    assert.deepEqual(bytes.fromBase64(bytes.toBase64(given)), given);
    assert.deepEqual(bytes.fromBase64url(bytes.toBase64url(given)), given);
  };
  fc.assert(fc.property(anyBytes, check));
  check(new Uint8Array(100_001).fill(251));
});

test("each text of bytes has one spelling", () => {
  for (const text of [
    "A",
    "AA",
    "AA=",
    "AB==",
    "AAB=",
    "AAAA=",
    "A A=",
    "-_==",
    "AA==AA==",
    "é===",
  ])
    assert.throws(() => bytes.fromBase64(text), RangeError, text);
  for (const text of ["A", "AB", "AAB", "AA==", "+/", "AAAAA", " AA", "AA\n"])
    assert.equal(bytes.fromBase64url(text), null, text);
  for (const text of ["a", "0g", "0x", " 00", "é0"])
    assert.throws(() => bytes.fromHex(text), RangeError, text);
});

test("a text is decoded as the platform decodes it strictly", () => {
  const texts = fc.string({ unit: fc.constantFrom(..."AQg+/-_= \n"), maxLength: 9 });
  fc.assert(
    fc.property(texts, (text) => {
      const isStrict = !/\s/.test(text) && Buffer.from(text, "base64").toString("base64") === text;
      const isRead = () => {
        try {
          return bytes.fromBase64(text).length >= 0;
        } catch {
          return false;
        }
      };
      assert.equal(isRead(), isStrict && !/[-_]/.test(text));
    }),
  );
});
