import type { Context } from "../../platform/context.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { enact } from "../../platform/ledger/rows/enact.ts";
import { findAgent } from "./agents.ts";
import { rows } from "./rows.ts";

/**
 * The operator says in public that an agent is its own, or is no more: `/kpi` leaves out what such
 * agents did (spec: KPI). Resolves to whether that was news. Rejects with `agent_not_found`.
 */
export async function markOwn(
  context: Pick<Context, "read" | "write" | "clock"> & Rejects<"agent_not_found">,
  { agent: name, own: isOwn }: { readonly agent: string; readonly own: boolean },
): Promise<boolean> {
  const { agent_id } = await findAgent(context, name);
  const own = isOwn ? 1 : 0;
  return context.write(async (tx) => {
    const marked = await enact(tx, rows.agentOwn, { agent: agent_id, own }, context.clock.now());
    return marked !== undefined;
  });
}
