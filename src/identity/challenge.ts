import { createHmac } from "node:crypto";
import type { Context } from "../context.ts";
import { isSolved, makeChallenge } from "../kernel/puzzle.ts";
import { MINUTE_S } from "../kernel/time.ts";
import { sha256 } from "../ledger/sha256.ts";
import * as sql from "./queries.ts";

/** A challenge can be solved for so long. */
export const CHALLENGE_VALID_S = 15 * MINUTE_S;
const RANDOM_BYTES = 16;
const KEY_BYTES = 32;
const KEY_NAME = "challenge";

const PUZZLE =
  "answer = the first letters of the words sorted by length, then in plain string order, joined, in lower case.";
const POW_RULE =
  "pow = a decimal number n such that SHA-256(pow_prefix followed by n) begins with pow_bits zero bits.";

const hmac = (key: Uint8Array, bytes: Uint8Array): Uint8Array =>
  createHmac("sha256", key).update(bytes).digest();

const primitives = { sha256, hmac };

/** Makes the key that all nodes share, at the first start. */
export async function prepareChallenges({ read, write, random }: Context): Promise<void> {
  if ((await sql.secret.first(read, { name: KEY_NAME })) !== undefined) return;
  const value = random(KEY_BYTES);
  await write((tx) => sql.insertSecret.run(tx, { name: KEY_NAME, value }));
}

async function keyOf({ read, reject }: Pick<Context, "read" | "reject">): Promise<Uint8Array> {
  const row = await sql.secret.first(read, { name: KEY_NAME });
  return row?.value ?? reject("storage_unavailable", "The network is starting. Try again.");
}

/** A fresh challenge. Nothing is stored: its id carries all that is needed to check it. */
export async function newChallenge(context: Context) {
  const { clock, random, settings } = context;
  const expires_at = clock.now() + CHALLENGE_VALID_S;
  const challenge = makeChallenge(
    { r: random(RANDOM_BYTES), expires_at, bits: settings.powBits, key: await keyOf(context) },
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
  const key = await keyOf(context);
  return isSolved({ challenge_id, answer, pow }, context.clock.now(), key, primitives);
}
