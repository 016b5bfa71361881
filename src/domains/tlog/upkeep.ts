import type { Context } from "../../platform/context.ts";
import type { Policy } from "../../platform/kernel/tlog/policy.ts";
import { currentLog } from "./log.ts";
import { fillNodes } from "./nodes.ts";
import { publishWitnessed } from "./published.ts";
import { type LogSigner, type LogState, signCheckpoint } from "./signer.ts";

type Upkeep = Pick<Context, "read" | "write" | "clock"> & {
  readonly yieldToRequests: () => Promise<void>;
};

/** Brings the log up to the newest seal: its nodes, and where this node has the key, its checkpoint. */
export async function keepLog(
  context: Upkeep,
  signer: LogSigner,
  policy: Policy | null,
): Promise<LogState> {
  const log = await currentLog(context.read);
  if (log === null) return "off";
  const filled = await fillNodes(context);
  if ("broken_seq" in filled) return "inconsistent";
  const state = await signCheckpoint(context, signer, log);
  await publishWitnessed(context, log, policy);
  return state;
}
