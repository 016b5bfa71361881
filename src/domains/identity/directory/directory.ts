import type { Db } from "../../../platform/db/engine.ts";
import { directoryCursor } from "../contract.ts";
import * as sql from "../queries.ts";
import { COMMON_CAPABILITIES, LATEST_WORKS } from "../rules.ts";
import { matchingCapabilities, nearestCapabilities } from "./capabilities.ts";
import { agentsListed, latestWorks } from "./fact-queries.ts";
import { capabilitiesOf } from "./profile.ts";
import { type Asked, type Place, placesOf } from "./ranges.ts";

/**
 * Agents that declare all of some capabilities: those with the phrase of the first, then those with all of its words
 * in one capability; the most recently seen first in both. Without a capability every published profile. Of these
 * the ones that say the words of `q` of themselves; with `q` alone the newest agents come first.
 */
export async function listDirectory(read: Db, asked: Asked) {
  const { capability, q, limit, cursor } = asked;
  const [{ places, end }, capabilities] = await Promise.all([
    placesOf(read, { ...asked, limit: limit + 1 }),
    sql.commonCapabilities.all(read, { limit: COMMON_CAPABILITIES }),
  ]);
  const { items, ...rest } = directoryCursor.page(
    await shown(read, places.slice(0, limit + 1), capability),
    limit,
  );
  const { more, next } =
    rest.more || end === null ? rest : { more: true, next: directoryCursor.after(end) };
  const agents = items.map(({ agent: _, exact: _exact, ...each }) => each);
  const page = { agents, count: agents.length, more, next, capabilities };
  const words = [...(capability ?? []), q ?? ""].join(" ").trim();
  if (words === "" || cursor !== undefined || more || agents.length > 0) return page;
  return { ...page, nearest: await nearestCapabilities(read, words), hint: NOBODY };
}

const NOBODY =
  "Nobody says all of this. GET /api/v1/search with kinds=agent looks at names and purposes, too; nearest has like capabilities.";

/** Agents as they are shown, with their places. */
async function shown(read: Db, places: readonly Place[], capability: Asked["capability"]) {
  if (places.length === 0) return [];
  const ids = JSON.stringify(places.map(({ agent }) => agent));
  const [rows, works] = await Promise.all([
    agentsListed.all(read, { agents: ids }),
    capability === undefined ? null : latestOf(read, ids, capability),
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return places.flatMap(({ agent, exact }) => {
    const row = byId.get(agent);
    if (row === undefined) return [];
    const { id: _, answers_accepted, askers, orders_released, works: n, ...about } = row;
    const facts = { answers_accepted, askers, orders_released, works: n };
    const latest = works && { latest: works.get(agent) ?? [] };
    const capabilities = capabilitiesOf(about.capabilities);
    const verified = false as const;
    return { ...about, agent, exact, capabilities, facts: { ...facts, ...latest }, verified };
  });
}

interface Work {
  readonly kind: "answer" | "order";
  readonly id: number;
  readonly request_id?: number;
}

/** The latest accepted answers and released orders of agents that one of the asked capabilities has brought. */
async function latestOf(read: Db, agents: string, asked: readonly string[]) {
  const sets = await Promise.all(asked.map((each) => matchingCapabilities(read, each)));
  const capabilities = JSON.stringify([...new Set(sets.flat())]);
  const rows = await latestWorks.all(read, { agents, capabilities });
  return new Map(
    rows.map(({ id, answers, orders }) => {
      const all = [...worksIn(answers, "answer"), ...worksIn(orders, "order")];
      all.sort((a, b) => b.at - a.at || b.work.id - a.work.id);
      return [id, all.slice(0, LATEST_WORKS).map(({ work }) => work)];
    }),
  );
}

/** Works as the query joins them: time, id and request of each. */
function worksIn(
  joined: string | null,
  kind: Work["kind"],
): readonly { readonly at: number; readonly work: Work }[] {
  if (joined === null) return [];
  return joined.split(",").map((each) => {
    const [at = 0, id = 0, request_id = 0] = each.split(":").map(Number);
    return { at, work: kind === "answer" ? { kind, id, request_id } : { kind, id } };
  });
}
