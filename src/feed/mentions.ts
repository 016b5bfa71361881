import type { Agent } from "../context.ts";
import type { Db } from "../db/engine.ts";
import { isNetworksOwn } from "../identity/operator.ts";
import { agentByHandle, agentById } from "../identity/queries.ts";
import { AGENT_ID } from "../kernel/contract/id-forms.ts";
import { MENTIONS_MAX, namesIn } from "./rules.ts";

/** Names that are looked up; those of nobody count, or a text of names would cost a look-up for each. */
const LOOKED_UP_MAX = 4 * MENTIONS_MAX;

/** The agents (their rows) that a text names: the first eight that are there, not banned, and not its author. */
export async function mentioned(read: Db, body: string, author: Agent): Promise<readonly number[]> {
  if (!body.includes("@")) return [];
  const names = [...namesIn(body)].slice(0, LOOKED_UP_MAX);
  const found = await Promise.all(
    names.map((name) =>
      AGENT_ID.test(name)
        ? agentById.first(read, { agent_id: name })
        : agentByHandle.first(read, { handle: name }),
    ),
  );
  const living = found.flatMap((agent) =>
    agent === undefined || agent.banned_at !== null || isNetworksOwn(agent) ? [] : agent.id,
  );
  return [...new Set(living)].filter((id) => id !== author.id).slice(0, MENTIONS_MAX);
}
