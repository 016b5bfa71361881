import { fromBase64url, toBase64url, toHex } from "./bytes.ts";
import type { Seconds } from "./time.ts";
import { PUZZLE_WORDS } from "./words/puzzle-words.ts";

/** SHA-256 and HMAC-SHA-256, 32 bytes each; done with their input when they return. */
export interface PuzzleCrypto {
  readonly sha256: (bytes: Uint8Array) => Uint8Array;
  readonly hmac: (key: Uint8Array, bytes: Uint8Array) => Uint8Array;
}

/** What a challenge id says of itself: 16 random bytes, an end, and how much work is asked. */
interface Terms {
  readonly r: Uint8Array;
  readonly expires_at: Seconds;
  /** 0 to 255. */
  readonly bits: number;
}

interface Challenge {
  readonly challenge_id: string;
  readonly words: readonly string[];
  readonly pow_prefix: string;
}

interface Solution {
  readonly challenge_id: string;
  readonly answer: string;
  readonly pow: string | number;
}

// The id is 0x01 ‖ r ‖ expires_at ‖ bits ‖ the first half of the HMAC of all that.
const VERSION = 1;
const R_AT = 1;
const EXPIRES_AT = 17;
const BITS_AT = 23;
const HMAC_AT = 24;
const ID_BYTES = 40;
const ID = /^[A-Za-z0-9_-]{54}$/;

const WORDS_MIN = 5;
const PREFIX_BYTES = 16;
const POW = /^[0-9]{1,20}$/;

const encoder = new TextEncoder();

function encodeId({ r, expires_at, bits }: Terms, key: Uint8Array, { hmac }: PuzzleCrypto): string {
  const bytes = new Uint8Array(ID_BYTES);
  const view = new DataView(bytes.buffer);
  bytes[0] = VERSION;
  bytes.set(r, R_AT);
  view.setUint16(EXPIRES_AT, expires_at / 2 ** 32);
  view.setUint32(EXPIRES_AT + 2, expires_at);
  bytes[BITS_AT] = bits;
  bytes.set(hmac(key, bytes.subarray(0, HMAC_AT)).subarray(0, ID_BYTES - HMAC_AT), HMAC_AT);
  return toBase64url(bytes);
}

/** Believes everything: only an id that `encodeId` makes of the result is one of ours. */
function decodeId(challenge_id: string): Terms | null {
  const bytes = ID.test(challenge_id) ? fromBase64url(challenge_id) : null;
  if (bytes === null) return null;
  const view = new DataView(bytes.buffer);
  return {
    r: bytes.subarray(R_AT, EXPIRES_AT),
    expires_at: view.getUint16(EXPIRES_AT) * 2 ** 32 + view.getUint32(EXPIRES_AT + 2),
    bits: view.getUint8(BITS_AT),
  };
}

const digestOf = (label: string, r: Uint8Array, { sha256 }: PuzzleCrypto): Uint8Array =>
  sha256(new Uint8Array([...encoder.encode(label), ...r]));

function wordsOf(r: Uint8Array, crypto: PuzzleCrypto): string[] {
  const [first = 0, ...rest] = digestOf("words", r, crypto);
  const distinct = [...new Set(rest)].slice(0, WORDS_MIN + (first % 3));
  return distinct.flatMap((byte) => PUZZLE_WORDS[byte] ?? []);
}

const prefixOf = (r: Uint8Array, crypto: PuzzleCrypto): string =>
  `cairn:${toHex(digestOf("pow", r, crypto).subarray(0, PREFIX_BYTES))}:`;

/** The first letters of the words sorted by length, then in plain string order. */
export const answerTo = (words: readonly string[]): string =>
  words
    .toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
    .map((word) => word.charAt(0))
    .join("");

/** How many bits are zero before the first that is one. */
export function leadingZeroBits(bytes: Uint8Array): number {
  const at = bytes.findIndex((byte) => byte !== 0);
  return at < 0 ? bytes.length * 8 : at * 8 + Math.clz32(bytes[at] ?? 0) - 24;
}

/** A challenge that needs no storage: its id carries what is needed to check it, under an HMAC. */
export function makeChallenge(
  { key, ...terms }: Terms & { readonly key: Uint8Array },
  crypto: PuzzleCrypto,
): Challenge {
  return {
    challenge_id: encodeId(terms, key, crypto),
    words: wordsOf(terms.r, crypto),
    pow_prefix: prefixOf(terms.r, crypto),
  };
}

/** Whether id, answer and work all hold at `now`. Whatever else is sent is false, never an error. */
export function isSolved(
  { challenge_id, answer, pow }: Solution,
  now: Seconds,
  key: Uint8Array,
  crypto: PuzzleCrypto,
): boolean {
  const terms = decodeId(challenge_id);
  if (terms === null || encodeId(terms, key, crypto) !== challenge_id) return false;
  if (now >= terms.expires_at || answer !== answerTo(wordsOf(terms.r, crypto))) return false;
  if (!POW.test(String(pow))) return false;
  const digest = crypto.sha256(encoder.encode(`${prefixOf(terms.r, crypto)}${pow}`));
  return leadingZeroBits(digest) >= terms.bits;
}
