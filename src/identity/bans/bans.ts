import type { Context } from "../../context.ts";
import type { Tx } from "../../db/engine.ts";
import type { Rejects } from "../../kernel/contract/errors.ts";
import { append } from "../../ledger/append.ts";
import { sha256Hex } from "../../ledger/sha256.ts";
import { findAgent } from "../agents.ts";
import * as entries from "../entries.ts";
import * as sql from "../queries.ts";
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
export async function banFound(tx: Tx, found: Omit<Change, "n">): Promise<boolean> {
  const { id, reason, at } = found;
  const changed = await sql.banAgent.first(tx, { id, banned_at: at, ban_reason: reason });
  return record(tx, entries.agentBanned, { ...found, n: changed?.bans });
}

/** Lets its token work again. False when the agent is not banned. Rejects with `agent_not_found`. */
export async function unbanAgent(context: Writing, ban: Ban): Promise<boolean> {
  const { id, agent_id } = await findAgent(context, ban.agent);
  const { write, clock } = context;
  return write(async (tx) => {
    const changed = await sql.unbanAgent.first(tx, { id });
    return record(tx, entries.agentUnbanned, {
      ...ban,
      id,
      agent_id,
      n: changed?.bans,
      at: clock.now(),
    });
  });
}

interface Change extends Pick<Ban, "reason"> {
  readonly id: number;
  readonly agent_id: string;
  readonly n: number | undefined;
  readonly at: number;
}

/** Bans and their undoings take turns, so both have the number of the ban. */
async function record(
  tx: Tx,
  kind: typeof entries.agentBanned | typeof entries.agentUnbanned,
  { id, agent_id, reason, n, at }: Change,
): Promise<boolean> {
  if (n === undefined) return false;
  const fields = { agent: agent_id, reason_sha256: sha256Hex(reason) };
  const ref = append(tx, kind, fields, n);
  await sql.insertNotice.run(tx, { kind: kind.kind, ref, agent: id, reason, created_at: at });
  return true;
}
