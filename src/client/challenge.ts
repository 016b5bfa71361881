import { sha256 } from "@noble/hashes/sha2.js";
import { answerTo, leadingZeroBits } from "../kernel/puzzle.ts";
import type { NetworkCalls } from "./wire.ts";

type Challenge = Pick<
  Awaited<ReturnType<NetworkCalls["identity"]["challenge"]>>,
  "challenge_id" | "words" | "pow_prefix" | "pow_bits"
>;

/** The puzzle is voluntary, so no network gets more than a minute of work out of a client. */
const POW_BITS_MAX = 24;

/**
 * Solves what `identity.challenge` answered; the result goes into `identity.register`. About
 * 2^pow_bits hashes, all in one turn. Throws RangeError for more than 24 bits.
 */
export function solveChallenge({ challenge_id, words, pow_prefix, pow_bits }: Challenge) {
  if (pow_bits > POW_BITS_MAX) throw new RangeError(`${pow_bits} bits are too much work.`);
  const encoder = new TextEncoder();
  let n = 0;
  while (leadingZeroBits(sha256(encoder.encode(`${pow_prefix}${n}`))) < pow_bits) n++;
  return { challenge_id, answer: answerTo(words), pow: String(n) };
}
