import type { Context } from "../context.ts";
import type { Rejects } from "../kernel/contract/errors.ts";
import { append } from "../ledger/append.ts";
import { findAgent } from "./agents.ts";
import * as entries from "./entries.ts";
import * as sql from "./queries.ts";

/**
 * The operator says in public that an agent is its own, or is no more: `/kpi` leaves out what such
 * agents did (spec: KPI). Resolves to whether that was news. Rejects with `agent_not_found`.
 */
export async function markOwn(
  context: Pick<Context, "read" | "write"> & Rejects<"agent_not_found">,
  { agent: name, own: isOwn }: { readonly agent: string; readonly own: boolean },
): Promise<boolean> {
  const { id, agent_id } = await findAgent(context, name);
  const own = isOwn ? 1 : 0;
  return context.write(async (tx) => {
    const changed = await sql.markOwn.first(tx, { id, own });
    if (changed === undefined) return false;
    append(tx, entries.agentOwn, { agent: agent_id, own }, changed.own_changes);
    return true;
  });
}
