import type { Context } from "../../platform/context.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { decideChange, NOBODY } from "../../platform/ledger/decide.ts";
import { enactSurely } from "../../platform/ledger/rows/enact.ts";
import { findAgent } from "./agents.ts";
import { agentOwn } from "./ledger.ts";
import { agentById } from "./queries.ts";
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
    const now = context.clock.now();
    const agent = await agentById.first(tx, { agent_id });
    const before = agent && { own: agent.own, changes: agent.own_changes };
    const given = { agent: agent_id, own } as const;
    const marking = { body: given, now, n: (before?.changes ?? 0) + 1, same: "same" } as const;
    if (!decideChange(NOBODY, agentOwn, before, marking)) return false;
    await enactSurely(tx, rows.agentOwn, given, now);
    return true;
  });
}
