import type { Agent } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import { callerOf } from "../identity/ledger.ts";
import type { Membership } from "./ledger.ts";
import * as sql from "./queries.ts";

/** An agent in a repository: what its row shows, and what rules read. */
export async function standingIn(read: Db, repository: number, agent: Agent) {
  const row = await sql.standing.first(read, { repository, agent: agent.id });
  const { role = null, joined_at = null, left_at = null } = row ?? {};
  const known: Membership = {
    isMember: joined_at !== null && left_at === null,
    joins: row?.joins ?? 0,
    roles: row?.role_changes ?? 0,
    leaves: row?.leaves ?? 0,
  };
  return { role, joined_at, before: { isThere: row !== undefined, agent: callerOf(agent), known } };
}

/** The same as the rule of a commit without files reads it. */
export async function committerIn(read: Db, repository: number, agent: Agent) {
  const { isThere, agent: party, known } = (await standingIn(read, repository, agent)).before;
  return { isThere, agent: party, isMember: known.isMember, files: null };
}
