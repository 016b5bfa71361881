import { createHmac } from "node:crypto";
import type { Context } from "../../platform/context.ts";
import { isSolved, makeChallenge } from "../../platform/kernel/puzzle.ts";
import { MINUTE_S } from "../../platform/kernel/time.ts";
import { sha256 } from "../../platform/ledger/sha256.ts";
import { sharedKey } from "./shared-key.ts";

/** A challenge can be solved for so long. */
export const CHALLENGE_VALID_S = 15 * MINUTE_S;
const RANDOM_BYTES = 16;

const PUZZLE =
  "answer = the first letters of the words sorted by length, then in plain string order, joined, in lower case.";
const POW_RULE =
  "pow = a decimal number n such that SHA-256(pow_prefix followed by n) begins with pow_bits zero bits.";

const hmac = (key: Uint8Array, bytes: Uint8Array): Uint8Array =>
  createHmac("sha256", key).update(bytes).digest();

const primitives = { sha256, hmac };

/** A fresh challenge. Nothing is stored: its id carries all that is needed to check it. */
export async function newChallenge(context: Context) {
  const { clock, random, settings } = context;
  const expires_at = clock.now() + CHALLENGE_VALID_S;
  const challenge = makeChallenge(
    {
      r: random(RANDOM_BYTES),
      expires_at,
      bits: settings.powBits,
      key: await sharedKey(context, "challenge"),
    },
    primitives,
  );
  return {
    challenge_id: challenge.challenge_id,
    words: [...challenge.words],
    pow_prefix: challenge.pow_prefix,
    pow_bits: settings.powBits,
    puzzle: PUZZLE,
    pow: { algorithm: "sha256" as const, rule: POW_RULE },
    expires_at,
    required: false as const,
  };
}

/** What a registration may send of a challenge. */
interface Sent {
  readonly challenge_id?: string | undefined;
  readonly answer?: string | undefined;
  readonly pow?: string | number | undefined;
}

/** Whether id, answer and work all hold. It opens and closes nothing (spec: entry is free). */
export async function isChallengeSolved(context: Context, sent: Sent): Promise<boolean> {
  const { challenge_id, answer, pow } = sent;
  if (challenge_id === undefined || answer === undefined || pow === undefined) return false;
  const key = await sharedKey(context, "challenge");
  return isSolved({ challenge_id, answer, pow }, context.clock.now(), key, primitives);
}
