import { fromBase64, fromHex, toHex } from "../bytes.ts";
import { demand, faultOf } from "./unproven.ts";

export interface SignatureCheck {
  /** Ed25519 (RFC 8032): key of 32 bytes, signature of 64. False also when the key is no point. */
  readonly verifySignature: (
    publicKey: Uint8Array,
    message: Uint8Array,
    signature: Uint8Array,
  ) => boolean;
}

/** A hash or a key: one spelling only. */
export const HEX_32_BYTES = /^[0-9a-f]{64}$/;

// 64 bytes in standard base64; the last character carries two bits, so only four are canonical.
const BASE64_64_BYTES = /^[A-Za-z0-9+/]{85}[AQgw]==$/;

/** Every encoding of a point of small order, canonical or not: anybody can sign for these. */
const LOW_ORDER: ReadonlySet<string> = new Set([
  "0100000000000000000000000000000000000000000000000000000000000000",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0100000000000000000000000000000000000000000000000000000000000080",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "0000000000000000000000000000000000000000000000000000000000000000",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "0000000000000000000000000000000000000000000000000000000000000080",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
]);

/** Whether a key may be pinned, held or introduced at all. */
export const isPublicKey = (key: string): boolean => HEX_32_BYTES.test(key) && !LOW_ORDER.has(key);

/** 2^252 + 27742317777372353535851937790883648493, the order of the base point. */
const GROUP_ORDER = 0x1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3edn;

/** S is little-endian; at or above the order it would be a second spelling of one signature. */
const isCanonical = (signature: Uint8Array): boolean =>
  BigInt(`0x${toHex(signature.slice(32).reverse())}`) < GROUP_ORDER;

const encoder = new TextEncoder();

/** Whether a key has signed a text. */
export const hasSigned = (
  check: SignatureCheck,
  { pubkey, text, signature }: Record<"pubkey" | "text" | "signature", string>,
): boolean => faultOf(() => demandSignature(check, pubkey, text, signature)) === null;

/** Unproven unless `signature` (standard base64) is one of `key` (hex) over `message`. */
export function demandSignature(
  { verifySignature }: SignatureCheck,
  key: string,
  message: string,
  signature: string,
): void {
  demand(isPublicKey(key), "the key is malformed or of low order");
  demand(BASE64_64_BYTES.test(signature), "the signature is not 88 characters of standard base64");
  const bytes = fromBase64(signature);
  demand(isCanonical(bytes), "the signature is not canonical (RFC 8032, 5.1.7)");
  const isRight = verifySignature(fromHex(key), encoder.encode(message), bytes);
  demand(isRight, "the signature does not fit");
}
