import type { Db } from "../db/engine.ts";
import * as sql from "./queries.ts";

/** The newest item and message of each of these agents (their rows), and the newest announcement. */
export async function newestConcerns(read: Db, agents: readonly number[]) {
  const [rows, announcement] = await Promise.all([
    sql.newestOf.all(read, { agents: JSON.stringify(agents) }),
    sql.newestAnnouncement.first(read, {}),
  ]);
  const of = rows.map(
    ({ agent, ledger_id, message_id }) =>
      [agent, { ledger_id: ledger_id ?? 0, message_id: message_id ?? 0 }] as const,
  );
  return { announcement_id: announcement?.ledger_id ?? 0, of: new Map(of) };
}
