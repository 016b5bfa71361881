import { sql } from "kysely";
import { prepared } from "../../platform/db/prepared.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { KEY_PREFIXES } from "./rules.ts";

export const agentById = prepared((db, p: { agent_id: string }) =>
  db.selectFrom("agent").selectAll().where("agent_id", "=", p.agent_id),
);

export const agentByHandle = prepared((db, p: { handle: string }) =>
  db.selectFrom("agent").selectAll().where("handle", "=", p.handle),
);

export const insertToken = prepared(
  (db, p: { token_sha256: Uint8Array; agent: number; created_at: Seconds }) =>
    db.insertInto("agent_token").values(p),
);

interface NewToken {
  readonly token_sha256: Uint8Array;
  readonly agent: number;
  readonly created_at: Seconds;
  /** The digest of the one that it takes the place of; whichever it is when left out. */
  readonly old_sha256: Uint8Array | undefined;
}

/** Changes no row when the old token is replaced already. */
export const replaceToken = prepared((db, p: NewToken) => {
  const replaced = db
    .updateTable("agent_token")
    .set({ token_sha256: p.token_sha256, created_at: p.created_at })
    .where("agent", "=", p.agent);
  return p.old_sha256 === undefined ? replaced : replaced.where("token_sha256", "=", p.old_sha256);
});

/** Remembers a token that was replaced. */
export const endToken = prepared((db, p: { token_sha256: Uint8Array; agent: number }) =>
  db
    .insertInto("ended_token")
    .values(p)
    .onConflict((conflict) => conflict.doNothing()),
);

export const insertPresence = prepared((db, p: { agent: number; at: Seconds }) =>
  db
    .insertInto("presence")
    .values({ agent: p.agent, first_seen_at: p.at, last_seen_at: p.at, days_present: 1 }),
);

export const presenceOf = prepared((db, p: { agent: number }) =>
  db
    .selectFrom("presence")
    .select(["first_seen_at", "last_seen_at", "days_present"])
    .where("agent", "=", p.agent),
);

/** Changes no row when another node has recorded this minute or a later one. */
export const recordPresence = prepared((db, p: { agent: number; at: Seconds; day: number }) =>
  db
    .updateTable("presence")
    .set({
      days_present: sql`days_present + case when last_seen_at < ${p.day} then 1 else 0 end`,
      last_seen_at: p.at,
    })
    .where("agent", "=", p.agent)
    .where("last_seen_at", "<", p.at),
);

export const moveInDirectory = prepared((db, p: { agent: number; at: Seconds }) =>
  db.updateTable("profile_capability").set({ last_seen_at: p.at }).where("agent", "=", p.agent),
);

export const profileOf = prepared((db, p: { agent: number }) =>
  db
    .selectFrom("profile")
    .select(["name", "purpose", "capabilities", "version", "updated_at"])
    .where("agent", "=", p.agent),
);

export const listCapability = prepared(
  (db, p: { agent: number; capability: string; last_seen_at: Seconds }) =>
    db
      .insertInto("profile_capability")
      .values(p)
      .onConflict((conflict) => conflict.columns(["agent", "capability"]).doNothing()),
);

export const unlistCapability = prepared((db, p: { agent: number; capability: string }) =>
  db
    .deleteFrom("profile_capability")
    .where("agent", "=", p.agent)
    .where("capability", "=", p.capability),
);

export const countCapability = prepared((db, p: { capability: string; change: number }) =>
  db
    .insertInto("capability_count")
    .values({ capability: p.capability, agents: p.change })
    .onConflict((conflict) =>
      conflict.column("capability").doUpdateSet((set) => ({
        agents: sql`capability_count.agents + ${set.ref("excluded.agents")}`,
      })),
    ),
);

/** Keys that were counted once are left out. */
export const commonCapabilities = prepared((db, p: { limit: number }) =>
  db
    .selectFrom("capability_count")
    .select(["capability", "agents"])
    .where("agents", ">", 0)
    .where(({ and, eb }) =>
      and(KEY_PREFIXES.map((prefix) => eb("capability", "not like", sql.lit(`${prefix}%`)))),
    )
    .orderBy("agents", "desc")
    .orderBy("capability", "desc")
    .limit(p.limit),
);

export const secret = prepared((db, p: { name: string }) =>
  db.selectFrom("secret").select("value").where("name", "=", p.name),
);

export const insertSecret = prepared((db, p: { name: string; value: Uint8Array }) =>
  db
    .insertInto("secret")
    .values(p)
    .onConflict((conflict) => conflict.column("name").doNothing()),
);

/** A sum over one agent's grants: the operator makes each by hand, so they stay few. */
export const recognitionDays = prepared((db, p: { agent: number }) =>
  db
    .selectFrom("recognition")
    .select(sql<number>`cast(coalesce(sum(days), 0) as bigint)`.as("days"))
    .where("agent", "=", p.agent),
);

interface Grants {
  readonly agent?: number | undefined;
  readonly before_id: number;
  readonly limit: number;
}

/** Newest first; of one agent when given. */
export const grants = prepared((db, { agent, before_id, limit }: Grants) =>
  db
    .selectFrom("recognition as r")
    .innerJoin("agent as a", "a.id", "r.agent")
    .select(["r.id", "r.days", "r.why", "r.source", "r.note", "r.granted_at"])
    .select(["a.agent_id", "a.handle"])
    .where("r.id", "<", before_id)
    .$if(agent !== undefined, (all) => all.where("r.agent", "=", agent ?? 0))
    .orderBy("r.id", "desc")
    .limit(limit),
);

/** Newest first. */
export const recognitions = prepared((db, p: { agent: number; limit: number }) =>
  db
    .selectFrom("recognition")
    .select(["days", "why as reason", "source as ref", "note", "granted_at as at"])
    .where("agent", "=", p.agent)
    .orderBy("id", "desc")
    .limit(p.limit),
);
