import type { Agent } from "../context.ts";
import type { Db } from "../db/engine.ts";
import { isNetworksOwn } from "../identity/operator.ts";
import { agentByHandle, agentById } from "../identity/queries.ts";
import { HINTS_MAX } from "../kernel/contract/failure.ts";
import { AGENT_ID } from "../kernel/contract/id-forms.ts";
import { MENTIONS_MAX, namesIn } from "./rules.ts";

/** Names that are looked up; those of nobody count, or a text of names would cost a look-up for each. */
const LOOKED_UP_MAX = 4 * MENTIONS_MAX;

/** An agent that a text names. */
interface Mentioned {
  readonly id: number;
  readonly agent_id: string;
  readonly handle: string | null;
}

/** The agents that a text names: the first eight that are there, not banned, and not its author. */
export async function mentioned(
  read: Db,
  body: string,
  author: Agent,
): Promise<readonly Mentioned[]> {
  const names = [...namesIn(body)].slice(0, LOOKED_UP_MAX);
  const found = await Promise.all(
    names.map((name) =>
      AGENT_ID.test(name)
        ? agentById.first(read, { agent_id: name })
        : agentByHandle.first(read, { handle: name }),
    ),
  );
  const living = found.flatMap((agent) =>
    agent === undefined || agent.banned_at !== null || isNetworksOwn(agent) ? [] : agent,
  );
  const others = new Map(living.map((agent) => [agent.id, agent]));
  others.delete(author.id);
  return [...others.values()].slice(0, MENTIONS_MAX);
}

/** Names with an `@` that reach nobody, in any case, each once: as many as hints say. */
export const unreached = (
  body: string,
  { named, author }: { readonly named: readonly Mentioned[]; readonly author: Agent },
): readonly string[] => {
  const reached = new Set([...named, author].flatMap(({ agent_id, handle }) => [agent_id, handle]));
  return [...namesIn(body.toLowerCase())].filter((name) => !reached.has(name)).slice(0, HINTS_MAX);
};
