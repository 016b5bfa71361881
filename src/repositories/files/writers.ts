import type { Agent, Context } from "../../context.ts";
import type { Db } from "../../db/engine.ts";
import { findAgent } from "../../identity/agents.ts";
import type { Rejects } from "../../kernel/contract/errors.ts";
import { enactSurely } from "../../ledger/rows/enact.ts";
import { lockRepository } from "../queries.ts";
import { refuseRepository } from "../repositories.ts";
import { rows } from "../rows.ts";
import { WRITERS_MAX } from "../rules.ts";
import * as sql from "./queries.ts";

type Refusals = Rejects<
  "repo_not_found" | "agent_not_found" | "not_the_founder" | "repository_full"
>;

interface Sent {
  readonly repo_id: number;
  readonly agent: string;
  readonly remove?: 1 | undefined;
}

/** Names an agent that may commit files, or takes that back; only the founder may. */
export async function changeWriters(
  context: Context & { readonly agent: Agent; readonly repeated?: string | null } & Refusals,
  { repo_id, agent: name, remove }: Sent,
) {
  const { read, write, clock, agent, reject, repeated } = context;
  const shown = (db: Db) => sql.writersOf.all(db, { repository: repo_id, limit: WRITERS_MAX });
  if (repeated != null) return { writers: await shown(read), changed: true };
  const writer = await findAgent(context, name);
  const key = { repository: repo_id, agent: writer.id };
  return write(async (tx) => {
    const repository = await lockRepository.first(tx, { id: repo_id });
    if (repository === undefined) return refuseRepository(reject);
    if (repository.founder !== agent.id)
      return reject("not_the_founder", "Only the founder of a repository names its writers.");
    const isNamed = (await sql.writing.first(tx, key))?.named_at != null;
    const changed = writer.id !== agent.id && isNamed === (remove === 1);
    if (changed) {
      const { n = 0 } = (await sql.countWriters.first(tx, { repository: repo_id })) ?? {};
      if (remove === undefined && n >= WRITERS_MAX)
        return reject("repository_full", `A repository has at most ${WRITERS_MAX} writers.`);
      const at = clock.now();
      const allowed = remove === 1 ? 0 : 1;
      const given = { repo_id, agent: agent.agent_id, writer, allowed } as const;
      await enactSurely(tx, rows.repoWriter, { ...given, named_at: allowed ? at : null }, at);
    }
    return { writers: await shown(tx), changed };
  });
}
