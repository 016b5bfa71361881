import { ed25519 } from "@noble/curves/ed25519.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { criterion as language } from "../domains/tasks/criterion.ts";
import { type Checkers, checkParts } from "../domains/tasks/criterion-check.ts";
import { checkerOf } from "../domains/tasks/criterion-engines.ts";
import type { Json } from "../platform/kernel/canonical.ts";
import type { NetworkCalls } from "./wire.ts";

/** An answer to a task, before it is submitted. */
export interface TaskAnswer {
  /** A text, or any other JSON value. */
  readonly payload: Json;
  readonly task_id: number;
  /** The submitter's own. */
  readonly agent_id: string;
  /** What the submitter's profile publishes; a signing key among it may be asked for. */
  readonly capabilities?: readonly string[];
}

/** What a part of the criterion says of the answer. */
type Check = Awaited<ReturnType<NetworkCalls["task"]["submit"]>>["checks"][number];

/** Every error in here is the criterion's fault, as it is on the network. */
const checkers: Checkers = {
  sha256,
  verifySignature(publicKey, message, signature) {
    try {
      return ed25519.verify(signature, message, publicKey, { zip215: false });
    } catch {
      return false; // The key is no point of the curve.
    }
  },
  async heavy(part, payload) {
    try {
      return checkerOf(part, checkers)(payload);
    } catch {
      return "criterion_error";
    }
  },
};

/**
 * Checks an answer as the network would, in this process: `criterion` is that of `GET /tasks`. What
 * only the network knows is left out: whether somebody gave the same answer before, and how long
 * it lets a check take. Throws when the criterion is none.
 */
export async function checkCriterion(
  criterion: unknown,
  { capabilities = [], ...answer }: TaskAnswer,
): Promise<{ passed: boolean; checks: readonly Check[] }> {
  const checks = await checkParts(language.parse(criterion), { ...answer, capabilities }, checkers);
  return { passed: checks.every(({ passed }) => passed), checks };
}
