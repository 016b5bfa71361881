import { prepared } from "../../../platform/db/prepared.ts";
import type { IdentityTables } from "../tables.ts";

export const keyOf = prepared((db, p: { agent: number }) =>
  db.selectFrom("agent_key").selectAll().where("agent", "=", p.agent),
);

/** The same under its lock: one act of an agent at a time. */
export const lockKey = prepared((db, p: { agent: number }) =>
  db.selectFrom("agent_key").selectAll().where("agent", "=", p.agent).forUpdate(),
);

/** Which act was the newest, and the entry that it made. */
export const noteAct = prepared((db, { agent, ...act }: Noted) =>
  db.updateTable("agent_key").set(act).where("agent", "=", agent),
);

type Noted = Pick<
  IdentityTables["agent_key"],
  "agent" | "act" | "act_signature" | "act_sha256" | "act_ref"
>;
