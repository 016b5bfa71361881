import { fromHex, toHex } from "./bytes.ts";

/** 32 bytes in upper-case hex, the chain's notation: a block's hash is plain text, an account's key is not mixed up with it. */
export type PublicKey = string & { readonly [key]: true };
declare const key: unique symbol;

/** The digest of a key that its account text carries: BLAKE2b of 5 bytes. */
export type AccountDigest = (key: Uint8Array) => Uint8Array;

/** 1 XNO in raw, the chain's smallest unit. */
export const RAW_PER_XNO = 10n ** 30n;
/** Amounts are unsigned numbers of 128 bits. */
export const RAW_MAX = 2n ** 128n - 1n;

const XNO_DECIMALS = 30;
const XNO = /^(0|[1-9][0-9]{0,8})(?:\.([0-9]{1,30}))?$/;
const RAW = /^(0|[1-9][0-9]{0,38})$/;

const KEY_HEX = /^[0-9A-F]{64}$/;
const ALPHABET = "13456789abcdefghijkmnopqrstuwxyz";
const KEY_CHARACTERS = 52;
const DIGEST_CHARACTERS = 8;
const ACCOUNT =
  /^(?:nano|xrb)_([13][13456789abcdefghijkmnopqrstuwxyz]{51})([13456789abcdefghijkmnopqrstuwxyz]{8})$/;

/** A key from 64 hex characters of any case; null for anything else. */
export function publicKeyOf(hex: string): PublicKey | null {
  const upper = hex.toUpperCase();
  return KEY_HEX.test(upper) ? (upper as PublicKey) : null;
}

/** The account text of a key: `nano_`, 52 characters of the key and 8 of its digest. */
export function accountOf(of: PublicKey, digest: AccountDigest): string {
  const bytes = fromHex(of);
  const check = digest(bytes).toReversed();
  return `nano_${characters(bytes, KEY_CHARACTERS)}${characters(check, DIGEST_CHARACTERS)}`;
}

/** The key that an account text names; null when it is malformed or mistyped. `xrb_` is the same account. */
export function keyOfAccount(text: string, digest: AccountDigest): PublicKey | null {
  const [, body, check] = ACCOUNT.exec(text) ?? [];
  if (body === undefined) return null;
  const hex = numberOf(body).toString(16).padStart(64, "0");
  const found = publicKeyOf(hex);
  if (found === null) return null;
  return characters(digest(fromHex(found)).toReversed(), DIGEST_CHARACTERS) === check
    ? found
    : null;
}

/** Base 32 of a big-endian number, with leading ones for zeros. */
function characters(bytes: Uint8Array, count: number): string {
  let rest = BigInt(`0x${toHex(bytes)}`);
  let text = "";
  for (let i = 0; i < count; i++, rest >>= 5n) text = ALPHABET.charAt(Number(rest & 31n)) + text;
  return text;
}

const numberOf = (text: string): bigint =>
  [...text].reduce((sum, character) => (sum << 5n) | BigInt(ALPHABET.indexOf(character)), 0n);

/** An amount in raw from decimal text; null when it is malformed or above 2^128 - 1. */
export function parseRaw(text: string): bigint | null {
  const raw = RAW.test(text) ? BigInt(text) : null;
  return raw === null || raw > RAW_MAX ? null : raw;
}

/** An amount in XNO, as decimal text without sign or exponent and with at most 30 decimals, in raw. */
export function parseXno(text: string): bigint | null {
  const [, whole, fraction = ""] = XNO.exec(text) ?? [];
  return whole === undefined
    ? null
    : parseRaw(String(BigInt(whole + fraction.padEnd(XNO_DECIMALS, "0"))));
}

/** An amount in XNO: decimal text with as few decimals as it needs, 30 at most. */
export function xnoOf(raw: bigint): string {
  const fraction = String(raw % RAW_PER_XNO)
    .padStart(XNO_DECIMALS, "0")
    .replace(/0+$/, "");
  return `${raw / RAW_PER_XNO}${fraction && `.${fraction}`}`;
}
