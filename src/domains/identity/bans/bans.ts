import type { Context } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/engine.ts";
import type { Rejects } from "../../../platform/kernel/contract/errors.ts";
import { enact } from "../../../platform/ledger/rows/enact.ts";
import { findAgent } from "../agents.ts";
import { rows } from "../rows.ts";
import { aboutToEndTokens } from "../standing.ts";

/** Which agent, by agent_id or handle, and why; the reason is public. */
interface Ban {
  readonly agent: string;
  readonly reason: string;
}

type Writing = Pick<Context, "read" | "write" | "clock"> & Rejects<"agent_not_found">;

/**
 * Refuses an agent's token on every node from the next request on; its data and the public reads
 * stay (spec: Authentication, row 5). False when it is banned already. Rejects with `agent_not_found`.
 */
export async function banAgent(context: Writing, ban: Ban): Promise<boolean> {
  const { id, agent_id } = await findAgent(context, ban.agent);
  const { write, clock } = context;
  const { reason } = ban;
  return write(async (tx) => {
    await aboutToEndTokens(tx);
    return banFound(tx, { id, agent_id, reason, at: clock.now() });
  });
}

/** The same for an agent that was found, within a write that has called `aboutToEndTokens`. */
export async function banFound(tx: Tx, { id, agent_id, reason, at }: Found): Promise<boolean> {
  const ban = { agent: { id, agent_id }, reason, ban_reason: reason };
  return (await enact(tx, rows.agentBanned, ban, at)) !== undefined;
}

interface Found extends Pick<Ban, "reason"> {
  readonly id: number;
  readonly agent_id: string;
  readonly at: number;
}

/** Lets its token work again. False when the agent is not banned. Rejects with `agent_not_found`. */
export async function unbanAgent(context: Writing, ban: Ban): Promise<boolean> {
  const { id, agent_id } = await findAgent(context, ban.agent);
  const { write, clock } = context;
  return write(async (tx) => {
    const unban = { agent: { id, agent_id }, reason: ban.reason };
    return (await enact(tx, rows.agentUnbanned, unban, clock.now())) !== undefined;
  });
}
