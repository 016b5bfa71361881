import type { Agent } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import { HINTS_MAX } from "../../platform/kernel/contract/failure.ts";
import { AGENT_ID } from "../../platform/kernel/contract/id-forms.ts";
import { isNetworksOwn } from "../identity/operator.ts";
import { agentByHandle, agentById } from "../identity/queries.ts";
import { MENTIONS_MAX, namesIn } from "./rules.ts";

/** Names that are looked up; those of nobody count, or a text of names would cost a look-up for each. */
const LOOKED_UP_MAX = 4 * MENTIONS_MAX;

/** An agent that a text names. */
interface Mentioned {
  readonly id: number;
  readonly agent_id: string;
  readonly handle: string | null;
}

interface Mentions {
  /** The first eight that are there, not banned, and not its author. */
  readonly named: readonly Mentioned[];
  /** Of names that tell nobody, in any case, each once: as many as an answer has hints. */
  readonly problems: readonly string[];
}

/** The agents that a text names. */
export async function mentioned(read: Db, body: string, author: Agent): Promise<Mentions> {
  if (!body.includes("@")) return NOBODY;
  const all = [...namesIn(body)];
  const names = all.slice(0, LOOKED_UP_MAX);
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
  const there = [...others.values()];
  const named = there.slice(0, MENTIONS_MAX);
  const idle = new Map([
    ...all.map((name) => [name, "no agent that can be told has this name"] as const),
    ...all.slice(LOOKED_UP_MAX).map((name) => [name, TOO_MANY] as const),
    ...there.slice(MENTIONS_MAX).flatMap((each) => namesOf(each, TOO_MANY_AGENTS)),
  ]);
  const told = new Map([...named, author].flatMap((each) => namesOf(each, true)));
  const problems = [...namesIn(body.toLowerCase())]
    .filter((name) => !told.has(name))
    .map((name) => `@${name} reaches nobody: ${idle.get(name) ?? "a handle stands in lower case"}`);
  return { named, problems: problems.slice(0, HINTS_MAX) };
}

const NOBODY: Mentions = { named: [], problems: [] };

const TOO_MANY = `only the first ${LOOKED_UP_MAX} names are looked up`;
const TOO_MANY_AGENTS = `only the first ${MENTIONS_MAX} agents that a text names are told`;

const namesOf = <T>({ agent_id, handle }: Mentioned, value: T): (readonly [string, T])[] =>
  [agent_id, handle].flatMap((name) => (name === null ? [] : [[name, value] as const]));
