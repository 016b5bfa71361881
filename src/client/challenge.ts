import { sha256 } from "@noble/hashes/sha2.js";
import { answerTo, leadingZeroBits } from "../platform/kernel/puzzle.ts";
import type { NetworkCalls } from "./wire.ts";

type Challenge = Pick<
  Awaited<ReturnType<NetworkCalls["identity"]["challenge"]>>,
  "challenge_id" | "words" | "pow_prefix" | "pow_bits"
>;

export interface SolveOptions {
  /** Ends the work; the promise rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The puzzle is voluntary, so no network gets more work out of a client than this. */
const POW_BITS_MAX = 24;
const WORK_MAX_MS = 60_000;
const PREFIX_MAX_CHARS = 128;
const WORDS_MAX = 64;
const WORD_MAX_CHARS = 64;
/** After so long other work gets its turn. */
const SLICE_MS = 20;
/** Hashes between two looks at the time. */
const LOOK_EVERY = 256;

const isShort = (text: unknown, max: number): boolean =>
  typeof text === "string" && text.length <= max;

/** Why a puzzle is none of a network's; undefined where it is one. */
function faultIn({ words, pow_prefix, pow_bits }: Challenge): string | undefined {
  if (!Array.isArray(words) || words.length > WORDS_MAX) return "has no list of a few words";
  if (!words.every((word) => isShort(word, WORD_MAX_CHARS))) return "has a word that is none";
  if (!isShort(pow_prefix, PREFIX_MAX_CHARS))
    return `has a prefix of over ${PREFIX_MAX_CHARS} characters`;
  if (!Number.isInteger(pow_bits) || pow_bits < 0) return "asks for no whole number of bits";
  return pow_bits > POW_BITS_MAX ? `asks for over ${POW_BITS_MAX} bits of work` : undefined;
}

/**
 * Solves what `identity.challenge` answered; the result goes into `identity.register`. About 2^pow_bits hashes, in
 * slices of 20 ms. Rejects with RangeError for a puzzle that asks for too much: over 24 bits, a prefix of over 128
 * characters, or over 60 s of work.
 */
export async function solveChallenge(challenge: Challenge, { signal }: SolveOptions = {}) {
  const { challenge_id, words, pow_prefix, pow_bits } = challenge;
  const fault = faultIn(challenge);
  if (fault !== undefined) throw new RangeError(`The puzzle ${fault}. Nothing was sent.`);
  const encoder = new TextEncoder();
  const began = performance.now();
  let slice = began;
  for (let n = 0; ; n++) {
    if (leadingZeroBits(sha256(encoder.encode(`${pow_prefix}${n}`))) >= pow_bits)
      return { challenge_id, answer: answerTo(words), pow: String(n) };
    if (n % LOOK_EVERY !== 0 || performance.now() - slice < SLICE_MS) continue;
    await new Promise((resolve) => setTimeout(resolve, 0));
    signal?.throwIfAborted();
    slice = performance.now();
    if (slice - began > WORK_MAX_MS)
      throw new RangeError("The puzzle takes over 60 seconds. Nothing was sent.");
  }
}
