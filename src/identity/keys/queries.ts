import { prepared } from "../../db/prepared.ts";
import type { IdentityTables } from "../tables.ts";

export const keyOf = prepared((db, p: { agent: number }) =>
  db.selectFrom("agent_key").selectAll().where("agent", "=", p.agent),
);

/** The same under its lock: one act of an agent at a time. */
export const lockKey = prepared((db, p: { agent: number }) =>
  db.selectFrom("agent_key").selectAll().where("agent", "=", p.agent).forUpdate(),
);

export const insertKey = prepared((db, p: IdentityTables["agent_key"]) =>
  db.insertInto("agent_key").values(p),
);

interface Replaced extends Omit<IdentityTables["agent_key"], "attempts" | "tried_at"> {
  readonly lost_pubkey: null;
  readonly takes_effect_at: null;
}

/** Changes no row when another key took the place meanwhile. */
export const replaceKey = prepared((db, { agent, n, ...key }: Replaced) =>
  db
    .updateTable("agent_key")
    .set({ n, ...key })
    .where("agent", "=", agent)
    .where("n", "<", n),
);

interface Lost {
  readonly agent: number;
  readonly attempts: number;
  readonly tried_at: number;
  readonly lost_pubkey: string;
  readonly takes_effect_at: number;
}

export const loseKey = prepared((db, { agent, ...lost }: Lost) =>
  db.updateTable("agent_key").set(lost).where("agent", "=", agent),
);

export const keepKey = prepared((db, p: { agent: number }) =>
  db
    .updateTable("agent_key")
    .set({ lost_pubkey: null, takes_effect_at: null })
    .where("agent", "=", p.agent),
);

/** Which act was the newest, and the entry that it made. */
export const noteAct = prepared((db, { agent, ...act }: Noted) =>
  db.updateTable("agent_key").set(act).where("agent", "=", agent),
);

type Noted = Pick<
  IdentityTables["agent_key"],
  "agent" | "act" | "act_signature" | "act_sha256" | "act_ref"
>;
