import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { publicKeyOf } from "../kernel/nano.ts";
import { accountKey, accountText } from "./account.ts";
import { privateKeyOf, publicKeyFor, ZERO } from "./block.ts";

const keys = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => publicKeyOf(bytes.toHex()))
  .filter((key) => key !== null);

test("the published account of the zero seed", () => {
  const privateKey = privateKeyOf(new Uint8Array(32), 0);
  const secret = "9F0E444C69F77A49BD0BE89DB92C38FE713E0963165CCA12FAF5712D7657120F";
  assert.equal(privateKey.toHex().toUpperCase(), secret);
  const key = publicKeyFor(privateKey);
  assert.equal(key, "C008B814A7D269A1FA3C6528B19201A24D797912DB9996FF02A1FF356E45552B");
  const text = "nano_3i1aq1cchnmbn9x5rsbap8b15akfh7wj7pwskuzi7ahz8oq6cobd99d4r3b7";
  assert.equal(accountText(key), text);
  assert.equal(accountKey(text.replace("nano_", "xrb_")), key);
  const burn = "nano_1111111111111111111111111111111111111111111111111111hifc8npp";
  assert.equal(accountKey(burn), ZERO);
});

test("an account text names its key, with either prefix", () => {
  fc.assert(
    fc.property(keys, (key) => {
      const text = accountText(key);
      assert.match(text, /^nano_[13][13-9a-km-uw-z]{59}$/);
      assert.equal(accountKey(text), key);
      assert.equal(accountKey(text.replace("nano_", "xrb_")), key);
    }),
  );
});

test("one mistyped character is noticed", () => {
  const alphabet = [..."13456789abcdefghijkmnopqrstuwxyz0lv2A _"];
  fc.assert(
    fc.property(keys, fc.nat(64), fc.constantFrom(...alphabet), (key, place, character) => {
      const text = accountText(key);
      const typed = text.slice(0, place) + character + text.slice(place + 1);
      assert.equal(accountKey(typed), typed === text ? key : null);
    }),
  );
});

test("text around an account is no part of it", () => {
  const text = accountText(publicKeyFor(privateKeyOf(new Uint8Array(32), 0)));
  for (const wrong of [
    ` ${text}`,
    `${text}\n`,
    text.toUpperCase(),
    text.slice(5),
    `ban_${text.slice(5)}`,
  ])
    assert.equal(accountKey(wrong), null, wrong);
});
