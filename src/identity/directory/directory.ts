import type { Db } from "../../db/engine.ts";
import { directoryCursor } from "../contract.ts";
import { capabilitiesOf } from "../profile.ts";
import * as sql from "../queries.ts";
import { COMMON_CAPABILITIES } from "../rules.ts";
import { matchingCapabilities, nearestCapabilities } from "./capabilities.ts";
import { factsOfAgents } from "./fact-queries.ts";

interface Wanted {
  readonly capability?: string | undefined;
  readonly limit: number;
  readonly cursor?:
    | { readonly exact: number; readonly last_seen_at: number; readonly agent: number }
    | undefined;
}

type Row = Awaited<ReturnType<typeof sql.directory.all>>[number];

/**
 * Agents that declare a capability: those with the phrase itself, then those with all of its words in one
 * capability; the most recently seen first in both. Without a capability every published profile.
 */
export async function listDirectory(read: Db, { capability, limit, cursor }: Wanted) {
  const [rows, capabilities] = await Promise.all([
    capability === undefined
      ? sql.directory.all(read, { ...placeIn(cursor), capability: "", limit: limit + 1 })
      : matching(read, capability, { limit: limit + 1, cursor }),
    sql.commonCapabilities.all(read, { limit: COMMON_CAPABILITIES }),
  ]);
  const placed = rows.map((row) => ({ exact: 1, ...row }));
  const { items, more, next } = directoryCursor.page(placed, limit);
  const facts = await factsOf(
    read,
    items.map(({ agent }) => agent),
  );
  const agents = items.map(({ agent: id, exact: _, ...agent }) => ({
    ...agent,
    capabilities: capabilitiesOf(agent.capabilities),
    facts: facts.get(id) ?? NOTHING,
    verified: false as const,
  }));
  const page = { agents, count: agents.length, more, next, capabilities };
  if (capability === undefined || cursor !== undefined || agents.length > 0) return page;
  return { ...page, nearest: await nearestCapabilities(read, capability), hint: NOBODY };
}

const NOTHING = { answers_accepted: 0, askers: 0, orders_released: 0, works: 0 };

/** Counts of what agents have delivered, by their rows. */
async function factsOf(read: Db, agents: readonly number[]) {
  if (agents.length === 0) return new Map<number, typeof NOTHING>();
  const rows = await factsOfAgents.all(read, { agents: JSON.stringify(agents) });
  return new Map(rows.map(({ id, ...facts }) => [id, facts]));
}

const NOBODY =
  "Nobody declares a capability with all of these words. GET /api/v1/search with kind=agent looks at names and purposes, too.";

const placeIn = (cursor: Wanted["cursor"]) =>
  cursor === undefined ? {} : { last_seen_at: cursor.last_seen_at, agent: cursor.agent };

/** Each range is one of an index; an agent with two of the capabilities is in both at the same place. */
async function matching(
  read: Db,
  question: string,
  { limit, cursor }: Pick<Wanted, "limit" | "cursor">,
): Promise<readonly (Row & { readonly exact: number })[]> {
  const [exact = "", ...others] = await matchingCapabilities(read, question);
  const first =
    cursor?.exact === 0
      ? []
      : await sql.directory.all(read, { ...placeIn(cursor), capability: exact, limit });
  const named = first.map((row) => ({ ...row, exact: 1 }));
  if (named.length >= limit) return named;
  const place = cursor?.exact === 0 ? placeIn(cursor) : {};
  const ranges = await Promise.all(
    others.map((each) =>
      sql.directory.all(read, { ...place, capability: each, without: exact, limit }),
    ),
  );
  const byAgent = new Map(ranges.flat().map((row) => [row.agent, { ...row, exact: 0 }]));
  const rest = [...byAgent.values()].sort(
    (a, b) => b.last_seen_at - a.last_seen_at || b.agent - a.agent,
  );
  return [...named, ...rest].slice(0, limit);
}
