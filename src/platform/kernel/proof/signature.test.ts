import assert from "node:assert/strict";
import { test } from "node:test";
import vectors from "../../../../test/vectors/seal.json" with { type: "json" };
import { verifySignature } from "../../ledger/seals/ed25519.ts";
import { demandSignature, isPublicKey } from "./signature.ts";
import { Unproven } from "./unproven.ts";

/** A library that finds every signature right: what is left to refuse are our own rules. */
const credulous = { verifySignature: () => true };

const key = vectors.keys[0]?.pubkey ?? "";

/** 32 bytes of R, then S as RFC 8032 writes it. */
const signatureWith = (s: bigint): string =>
  Buffer.from(
    `${"00".repeat(32)}${s.toString(16).padStart(64, "0").match(/../g)?.reverse().join("")}`,
    "hex",
  ).toString("base64");

const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

test("S is below the group order, whatever the library thinks of it", () => {
  demandSignature(credulous, key, "", signatureWith(GROUP_ORDER - 1n));
  for (const s of [GROUP_ORDER, GROUP_ORDER + 1n, 2n ** 256n - 1n])
    assert.throws(() => demandSignature(credulous, key, "", signatureWith(s)), Unproven);
});

test("a signature has one spelling: 88 characters of standard base64", () => {
  const good = signatureWith(1n);
  const another = good.replace(/A==$/, "B==");
  assert.deepEqual(Buffer.from(another, "base64"), Buffer.from(good, "base64"));
  const short = Buffer.alloc(63).toString("base64");
  for (const text of [
    another,
    good.slice(0, -2),
    `${good}\n`,
    ` ${good}`,
    short,
    "",
    good.replaceAll("A", "-"),
  ])
    assert.throws(() => demandSignature(credulous, key, "", text), Unproven, text);
});

test("a key is 64 lower-case hex characters and not of low order", () => {
  assert(isPublicKey(key));
  const refused = [key.toUpperCase(), key.slice(2), `${key}\n`, "", ...vectors.low_order_pubkeys];
  for (const other of refused)
    assert.throws(() => demandSignature(credulous, other, "", signatureWith(1n)), Unproven, other);
});

test("a key that is no point of the curve has no right signature", () => {
  const none = "02".padEnd(64, "0");
  assert.throws(() => demandSignature({ verifySignature }, none, "", signatureWith(1n)), Unproven);
});

test("vectors: both signatures of the key rotation are right, each for its own key", () => {
  const { signed_message, old_pubkey, new_pubkey, signature_old, signature_new } =
    vectors.key_rotation;
  demandSignature({ verifySignature }, old_pubkey, signed_message, signature_old);
  demandSignature({ verifySignature }, new_pubkey, signed_message, signature_new);
  assert.throws(
    () => demandSignature({ verifySignature }, old_pubkey, signed_message, signature_new),
    Unproven,
  );
});
