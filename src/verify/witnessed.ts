import { toHex } from "../platform/kernel/bytes.ts";
import type { Finding } from "../platform/kernel/proof/chain.ts";
import { ledgerOfLog } from "../platform/kernel/proof/origin.ts";
import type { Seal } from "../platform/kernel/proof/seal-text.ts";
import { parseCheckpoint, type SignedCheckpoint } from "../platform/kernel/tlog/checkpoint.ts";
import {
  faultBy,
  type Policy,
  parsePolicy,
  witnessedAt,
  witnessesOf,
} from "../platform/kernel/tlog/policy.ts";
import { CHECKPOINT_BYTES_MAX } from "./log/source.ts";
import { platformHere, smallFile } from "./platform.ts";
import { messageOf, Stop, UNREADABLE, USAGE } from "./stop.ts";
import { textAt } from "./transport.ts";

/** Up to where witnesses have seen a chain. */
export interface Witnessed {
  /** The seal that ends where the checkpoint does. */
  readonly through_seq: number;
  readonly through_id: number;
  /** Unix seconds at which the quorum was complete; 0 where the policy asks for no witness. */
  readonly at: number;
  /** What the policy calls those who have cosigned. */
  readonly by: readonly string[];
}

/** Compares the seals of a walk with the newest checkpoint that a policy accepts. */
export interface WitnessCheck {
  /** Told of each seal, in order. */
  seal(seal: Seal): void;
  end(): { readonly witnessed: Witnessed | null; readonly findings: readonly Finding[] };
}

/** The check by the policy in a file, of the log of the service at an address. A Stop when it cannot be. */
export async function witnessCheck(file: string, baseUrl: string): Promise<WitnessCheck> {
  const platform = await platformHere();
  const policy = await policyIn(file);
  const checkpoint = await publishedAt(baseUrl, policy);
  const fault = faultBy(platform, policy, checkpoint);
  const words = witnessesOf(platform, policy, checkpoint.note);
  let ending: Seal | null = null;
  let last_seq = 0;
  return {
    seal(seal) {
      last_seq = seal.seq;
      if (seal.to_id === checkpoint.size) ending = seal;
    },
    end() {
      const reason = fault ?? faultOf(checkpoint, ending);
      if (reason !== null || ending === null)
        return { witnessed: null, findings: [{ seq: last_seq, reason: `the log: ${reason}` }] };
      const by = [...new Set(words.map(({ witness }) => witness))];
      const at = witnessedAt(policy, words) ?? 0;
      const { seq: through_seq, to_id: through_id } = ending;
      return { witnessed: { through_seq, through_id, at, by }, findings: [] };
    },
  };
}

/** Why a checkpoint is not of the chain that was walked; null when it is. */
function faultOf({ size, root }: SignedCheckpoint, seal: Seal | null): string | null {
  if (seal === null) return `no seal ends with entry ${size}, where the checkpoint does`;
  return seal.log_root === toHex(root)
    ? null
    : `its witnesses have seen another history up to entry ${size}`;
}

/** The policy in a file. A Stop when it is none, or names no log. */
export async function policyIn(file: string): Promise<Policy> {
  const { sha256 } = await platformHere();
  const text = await smallFile(file);
  if (text === null) throw new Stop(USAGE, `${file} is not there.`);
  try {
    const policy = parsePolicy(text, sha256);
    if (policy.logs.length > 0) return policy;
  } catch (error) {
    throw new Stop(USAGE, `${file}: ${messageOf(error)}`, error);
  }
  throw new Stop(USAGE, `${file} names no log.`);
}

/** The checkpoint of the first log of the policy that is served there. */
async function publishedAt(baseUrl: string, { logs }: Policy): Promise<SignedCheckpoint> {
  for (const { key } of logs) {
    const address = `${baseUrl}/tlog${ledgerOfLog(key.name)?.suffix ?? ""}/checkpoint`;
    const text = await textAt(address, CHECKPOINT_BYTES_MAX).catch((error: unknown) => {
      throw new Stop(UNREADABLE, messageOf(error), error);
    });
    const checkpoint = text === null ? null : parseCheckpoint(text);
    if (checkpoint !== null) return checkpoint;
  }
  throw new Stop(UNREADABLE, "No log of the policy has a published checkpoint there.");
}
