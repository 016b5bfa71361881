import { type Kysely, sql } from "kysely";
import { prepared } from "../../platform/db/prepared.ts";
import { changingOne } from "../../platform/db/rows.ts";
import type { Tables } from "../../platform/db/tables.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { QuotaTables } from "./tables.ts";

type Bytes = Readonly<QuotaTables["agent_bytes"]>;
type DiskDay = Readonly<QuotaTables["disk_day"]>;

const adding = (db: Kysely<Tables>, p: Bytes) =>
  db
    .insertInto("agent_bytes")
    .values(p)
    .onConflict((conflict) =>
      conflict
        .columns(["agent", "day"])
        .doUpdateSet((set) => ({ bytes: sql`agent_bytes.bytes + ${set.ref("excluded.bytes")}` })),
    );

export const bytesOn = prepared((db, p: { agent: number; day: Seconds }) =>
  db
    .selectFrom("agent_bytes")
    .select("bytes")
    .where("agent", "=", p.agent)
    .where("day", "=", p.day),
);

/** Adds to the bytes of an agent's day, and returns the sum of all processes. */
export const addBytes = changingOne(
  prepared(adding),
  prepared((db, p: Bytes) => adding(db, p).returning("bytes")),
  prepared((db, p: Bytes) =>
    db
      .selectFrom("agent_bytes")
      .select("bytes")
      .where("agent", "=", p.agent)
      .where("day", "=", p.day),
  ),
);

/** Begins a day with the room that there is, or adds to it. */
export const addToDay = prepared((db, p: DiskDay) =>
  db
    .insertInto("disk_day")
    .values(p)
    .onConflict((conflict) =>
      conflict.column("day").doUpdateSet((set) => ({
        newcomers_bytes: sql`disk_day.newcomers_bytes + ${set.ref("excluded.newcomers_bytes")}`,
        others_bytes: sql`disk_day.others_bytes + ${set.ref("excluded.others_bytes")}`,
      })),
    ),
);

/** A day and the one before it, the later first. */
export const daysUpTo = prepared((db, p: { day: Seconds }) =>
  db.selectFrom("disk_day").selectAll().where("day", "<=", p.day).orderBy("day", "desc").limit(2),
);

export const forgetBytes = prepared((db, p: { before: Seconds }) =>
  db.deleteFrom("agent_bytes").where("day", "<", p.before),
);

export const forgetDays = prepared((db, p: { before: Seconds }) =>
  db.deleteFrom("disk_day").where("day", "<", p.before),
);

/** The agents that stored the most on a day. */
export const mostBytes = prepared((db, p: { day: Seconds; limit: number }) =>
  db
    .selectFrom("agent_bytes as b")
    .innerJoin("agent as a", "a.id", "b.agent")
    .select(["a.agent_id", "a.handle", "a.created_at", "b.bytes"])
    .where("b.day", "=", p.day)
    .orderBy("b.day", "desc")
    .orderBy("b.bytes", "desc")
    .limit(p.limit),
);
