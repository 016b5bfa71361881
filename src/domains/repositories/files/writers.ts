import type { Agent, Context } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import type { Rejects } from "../../../platform/kernel/contract/errors.ts";
import { decideChange } from "../../../platform/ledger/decide.ts";
import { enactAllowed } from "../../../platform/ledger/rows/enact-allowed.ts";
import { findAgent } from "../../identity/agents.ts";
import { callerOf } from "../../identity/ledger.ts";
import { repoWriter } from "../ledger.ts";
import { lockRepository } from "../queries.ts";
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
  const { read, write, clock, agent, repeated } = context;
  const shown = (db: Db) => sql.writersOf.all(db, { repository: repo_id, limit: WRITERS_MAX });
  if (repeated != null) return { writers: await shown(read), changed: true };
  const writer = await findAgent(context, name);
  const allowed = remove === 1 ? 0 : 1;
  const body = { repo_id, agent: agent.agent_id, writer: writer.agent_id, allowed } as const;
  /** The change with what its rule reads; null: it is so already. */
  const changeIn = async (db: Db) => {
    const writing = await writingIn(db, { repository: repo_id, agent: writer.id });
    const before = { agent: callerOf(agent), isKnown: true, ...writing };
    const change = { before, now: clock.now(), n: writing.writing.changes + 1 };
    const proposal = { ...change, body, same: "same" } as const;
    return decideChange(context, repoWriter, before, proposal) ? change : null;
  };
  await changeIn(read);
  return write(async (tx) => {
    await lockRepository.run(tx, { id: repo_id });
    const change = await changeIn(tx);
    if (change !== null) {
      const named_at = allowed ? change.now : null;
      const given = { ...body, agent: agent.agent_id, writer, named_at };
      await enactAllowed(context, tx, [repoWriter, rows.repoWriter], { ...change, given });
    }
    return { writers: await shown(tx), changed: change !== null };
  });
}

/** A repository and one of its writers, as rules see them. */
async function writingIn(db: Db, key: { readonly repository: number; readonly agent: number }) {
  const row = await sql.writing.first(db, key);
  const { n: named = 0 } = (await sql.countWriters.first(db, key)) ?? {};
  return {
    repository: row && { founder: row.founder_id, named },
    writing: { mayWrite: row?.named_at != null, changes: row?.changes ?? 0 },
  };
}
