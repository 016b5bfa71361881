import type { Agent, ConcernWait } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import { announcement } from "../../platform/ledger/entries.ts";
import { idsBefore } from "../../platform/ledger/entry-queries.ts";
import * as sql from "./queries.ts";

/** The newest item and message of each of these agents (their rows), and the newest announcement. */
export async function newestConcerns(read: Db, agents: readonly number[]) {
  const [rows, announced] = await Promise.all([
    sql.newestOf.all(read, { agents: JSON.stringify(agents) }),
    idsBefore.first(read, { kind: announcement.kind, limit: 1 }),
  ]);
  const of = rows.map(
    ({ agent, ledger_id, message_id }) =>
      [agent, { ledger_id: ledger_id ?? 0, message_id: message_id ?? 0 }] as const,
  );
  return { announcement_id: announced?.ledger_id ?? 0, of: new Map(of) };
}

/** What concerns one agent so far; only what is newer wakes its waits. */
export async function concernsOf(read: Db, { id: agent }: Agent): Promise<ConcernWait> {
  const { announcement_id, of } = await newestConcerns(read, [agent]);
  const { ledger_id, message_id } = of.get(agent) ?? { ledger_id: 0, message_id: 0 };
  return {
    agent,
    after_id: Math.max(announcement_id, ledger_id),
    after_message_id: message_id,
  };
}
