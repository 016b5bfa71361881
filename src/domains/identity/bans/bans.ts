import type { Context } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/engine.ts";
import type { Rejects } from "../../../platform/kernel/contract/errors.ts";
import { decideChange, NOBODY } from "../../../platform/ledger/decide.ts";
import { enactSurely } from "../../../platform/ledger/rows/enact.ts";
import { findAgent } from "../agents.ts";
import { agentBanned, agentUnbanned, banOf } from "../ledger.ts";
import { agentById } from "../queries.ts";
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
  const before = banOf(await agentById.first(tx, { agent_id }));
  const body = { agent: agent_id };
  const banning = { body, now: at, n: (before?.n ?? 0) + 1, same: "twice" } as const;
  if (!decideChange(NOBODY, agentBanned, before, banning)) return false;
  const ban = { agent: { id, agent_id }, reason, ban_reason: reason };
  await enactSurely(tx, rows.agentBanned, ban, at);
  return true;
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
    const now = clock.now();
    const before = banOf(await agentById.first(tx, { agent_id }));
    const ending = { body: { agent: agent_id }, now, n: before?.n, same: "free" } as const;
    if (!decideChange(NOBODY, agentUnbanned, before, ending)) return false;
    const unban = { agent: { id, agent_id }, reason: ban.reason };
    await enactSurely(tx, rows.agentUnbanned, unban, now);
    return true;
  });
}
