import type { Agent, Context } from "../../platform/context.ts";
import { enact } from "../../platform/ledger/rows/enact.ts";
import { newAgentId } from "./agents.ts";
import * as sql from "./queries.ts";
import { rows } from "./rows.ts";
import { OPERATOR_HANDLE } from "./rules.ts";

/** Whether an agent is the network's own, which has no token: what it is sent nobody can ever use. */
export const isNetworksOwn = ({ handle }: { readonly handle: string | null }): boolean =>
  handle === OPERATOR_HANDLE;

/**
 * The network's own agent, made at the first need: it publishes what the network asks of itself.
 * It has no token, so nobody can act as it. Of two nodes that make it at once one wins.
 */
export async function operatorAgent({
  read,
  write,
  clock,
  random,
}: Pick<Context, "read" | "write" | "clock" | "random">): Promise<Agent> {
  const handle = OPERATOR_HANDLE;
  const known = await sql.agentByHandle.first(read, { handle });
  if (known !== undefined) return known;
  const agent_id = newAgentId(random);
  await write((tx) => enact(tx, rows.agent, { agent: agent_id, handle, ref: null }, clock.now()));
  const made = await sql.agentByHandle.first(read, { handle });
  if (made === undefined) throw new Error("The network's own agent was made and is not there.");
  return made;
}
