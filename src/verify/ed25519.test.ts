import assert from "node:assert/strict";
import { test } from "node:test";
import { ed25519 } from "@noble/curves/ed25519.js";
import fc from "fast-check";
import { verifySignature } from "../platform/ledger/seals/ed25519.ts";
import { verifyEd25519 } from "./ed25519.ts";

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const places = fc.tuple(fc.constantFrom("key", "message", "signature"), fc.nat(), fc.nat(7));

test("a signature fits, or does not after any change, as in the platform's library", () => {
  const check = (
    secret: Uint8Array,
    text: Uint8Array,
    [what, at, bit]: [string, number, number],
  ) => {
    const signed = {
      key: ed25519.getPublicKey(secret),
      message: Uint8Array.from([1, ...text]),
      signature: ed25519.sign(Uint8Array.from([1, ...text]), secret),
    };
    assert.equal(verifyEd25519(signed.key, signed.message, signed.signature), true);
    const part = what === "key" || what === "message" ? signed[what] : signed.signature;
    const place = at % part.length;
    part[place] = (part[place] ?? 0) ^ (1 << bit);
    const { key, message, signature } = signed;
    assert.equal(verifyEd25519(key, message, signature), false);
    assert.equal(verifySignature(key, message, signature), false);
  };
  fc.assert(fc.property(bytes(32), fc.uint8Array(), places, check), { numRuns: 100 });
});

test("S has one spelling, and bytes that are no point are no key", () => {
  const message = new Uint8Array(3);
  const secret = new Uint8Array(32).fill(7);
  const [key, signature] = [ed25519.getPublicKey(secret), ed25519.sign(message, secret)];
  const { ORDER } = ed25519.Point.Fn;
  const s = BigInt(`0x${signature.slice(32).reverse().toHex()}`) + ORDER;
  const shifted = Uint8Array.fromHex(s.toString(16).padStart(64, "0")).reverse();
  const second = Uint8Array.from([...signature.subarray(0, 32), ...shifted]);
  assert.equal(verifyEd25519(key, message, second), false);
  for (const fill of [0xff, 0x02]) {
    const none = new Uint8Array(32).fill(fill);
    assert.equal(verifyEd25519(none, message, signature), false);
    assert.equal(ed25519.utils.isValidPublicKey(none, false), false, String(fill));
  }
});

test("the vectors of RFC 8032 (7.1, tests 1 and 2) verify", () => {
  const vectors = [
    [
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
      "",
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ],
    [
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
      "72",
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ],
  ] as const;
  for (const [key, message, signature] of vectors) {
    const parts = [key, message, signature].map((hex) => Uint8Array.fromHex(hex));
    const [publicKey, text, signed] = parts;
    assert(publicKey && text && signed && verifyEd25519(publicKey, text, signed));
  }
});
