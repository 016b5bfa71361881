import { sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import type { OperatorTables } from "../tables.ts";

type Sample = OperatorTables["figure_sample"];

/** Nodes may meet: the first sample of a step stays. */
export const addSample = prepared((db, p: Sample) =>
  db
    .insertInto("figure_sample")
    .values(p)
    .onConflict((conflict) => conflict.columns(["step_s", "at"]).doNothing()),
);

export const newestSample = prepared((db, p: { step_s: number }) =>
  db
    .selectFrom("figure_sample")
    .select("at")
    .where("step_s", "=", p.step_s)
    .orderBy("at", "desc")
    .limit(1),
);

/** Samples of one step, newest first. */
export const samplesSince = prepared((db, p: { step_s: number; from_at: number; limit: number }) =>
  db
    .selectFrom("figure_sample")
    .select(["at", "figures"])
    .where("step_s", "=", p.step_s)
    .where("at", ">=", p.from_at)
    .orderBy("at", "desc")
    .limit(p.limit),
);

/** The newest sample of a step that is at least so old. */
export const sampleUpTo = prepared((db, p: { step_s: number; at: Seconds }) =>
  db
    .selectFrom("figure_sample")
    .select(["at", "figures"])
    .where("step_s", "=", p.step_s)
    .where("at", "<=", p.at)
    .orderBy("at", "desc")
    .limit(1),
);

/** The oldest samples of a step that are older than a time. */
export const oldSamples = prepared((db, p: { step_s: number; before: number; limit: number }) =>
  db
    .selectFrom("figure_sample")
    .select("at")
    .where("step_s", "=", p.step_s)
    .where("at", "<", p.before)
    .orderBy("at")
    .limit(p.limit),
);

export const forgetSamples = prepared((db, p: { step_s: number; through_at: number }) =>
  db.deleteFrom("figure_sample").where("step_s", "=", p.step_s).where("at", "<=", p.through_at),
);

/** Coins that were ever granted; the table has a row for each hour in which some were. */
export const grantedEver = prepared((db, _: Record<string, never>) =>
  db
    .selectFrom("coin_grant_hour")
    .select(sql<number>`cast(coalesce(sum(amount), 0) as bigint)`.as("amount")),
);
