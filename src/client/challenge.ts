import { sha256 } from "@noble/hashes/sha2.js";
import type { contracts } from "../contracts.ts";
import type { Answer } from "../kernel/calls.ts";

type Challenge = Pick<
  Answer<typeof contracts.identity.challenge>,
  "challenge_id" | "words" | "pow_prefix" | "pow_bits"
>;

/** The puzzle is voluntary, so no network gets more than some seconds of work out of a client. */
const POW_BITS_MAX = 24;

function leadingZeroBits(digest: Uint8Array): number {
  const at = digest.findIndex((byte) => byte !== 0);
  return at < 0 ? digest.length * 8 : at * 8 + Math.clz32(digest[at] ?? 0) - 24;
}

/**
 * Solves what `identity.challenge` answered; the result goes into `identity.register`. About
 * 2^pow_bits hashes, all in one turn. Throws RangeError for more than 24 bits.
 */
export function solveChallenge({ challenge_id, words, pow_prefix, pow_bits }: Challenge) {
  if (pow_bits > POW_BITS_MAX) throw new RangeError(`${pow_bits} bits are too much work.`);
  const answer = [...words]
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
    .map((word) => word[0])
    .join("");
  const encoder = new TextEncoder();
  let n = 0;
  while (leadingZeroBits(sha256(encoder.encode(`${pow_prefix}${n}`))) < pow_bits) n++;
  return { challenge_id, answer, pow: String(n) };
}
