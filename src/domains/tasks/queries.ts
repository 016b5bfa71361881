import { type Kysely, sql } from "kysely";
import { prepared } from "../../platform/db/prepared.ts";
import type { Tables } from "../../platform/db/tables.ts";

export const starters = prepared((db, _: Record<string, never>) =>
  db.selectFrom("task").select("starter").where("starter", "is not", null),
);

interface Newest {
  readonly before_id: number;
  readonly limit: number;
}

const newestTasks = (db: Kysely<Tables>, p: Newest) =>
  db
    .selectFrom("task")
    .selectAll()
    .where("id", "<", p.before_id)
    .orderBy("id", "desc")
    .limit(p.limit);

/** By status, newest first. */
export const tasksThatAre = {
  open: prepared((db, p: Newest) => newestTasks(db, p).where("closed_at", "is", null)),
  closed: prepared((db, p: Newest) => newestTasks(db, p).where("closed_at", "is not", null)),
  all: prepared(newestTasks),
} as const;

export const taskById = prepared((db, p: { id: number }) =>
  db.selectFrom("task").selectAll().where("id", "=", p.id),
);

/** Changes no row of a closed task. The first write holds all others back until it is stored. */
export const countSubmission = prepared((db, p: { id: number }) =>
  db
    .updateTable("task")
    .set({ submissions_count: sql`submissions_count + 1` })
    .where("id", "=", p.id)
    .where("closed_at", "is", null),
);

export const countPass = prepared((db, p: { id: number }) =>
  db
    .updateTable("task")
    .set({ passes: sql`passes + 1` })
    .where("id", "=", p.id)
    .returning(["passes", "max_passes"]),
);

interface Given {
  readonly task: number;
  readonly agent: number;
  readonly meaning_sha256: string;
}

/** A right answer by anybody else that says the same. */
export const earlierAnswer = prepared((db, p: Given) =>
  db
    .selectFrom("task_submission")
    .select("id")
    .where("task", "=", p.task)
    .where("meaning_sha256", "=", p.meaning_sha256)
    .where("agent", "!=", p.agent)
    .where((row) => row.or([row("outcome", "=", "passed"), row("outcome", "=", "repeated")]))
    .limit(1),
);

export const earlierPass = prepared((db, p: { task: number; agent: number }) =>
  db
    .selectFrom("task_submission")
    .select("id")
    .where("task", "=", p.task)
    .where("agent", "=", p.agent)
    .where("outcome", "=", sql.lit("passed")),
);

/** The payload only where it is public now. */
const shownSubmissions = (db: Kysely<Tables>) =>
  db
    .selectFrom("task_submission as s")
    .innerJoin("task as t", "t.id", "s.task")
    .innerJoin("agent as a", "a.id", "s.agent")
    .select([
      "s.id",
      "s.task as task_id",
      "a.agent_id",
      "a.handle",
      "s.outcome",
      "s.payload_form",
      "s.payload_bytes",
      "s.payload_sha256",
      "s.created_at",
      sql<string | null>`case
        when s.id <= t.purged_through and s.outcome in ('failed', 'copied') then null
        when s.outcome = 'failed' or t.closed_at is not null then s.payload end`.as("payload"),
    ]);

/** Newest first. */
export const submissions = prepared((db, p: { task: number; limit: number; before_id: number }) =>
  shownSubmissions(db)
    .where("s.task", "=", p.task)
    .where("s.id", "<", p.before_id)
    .orderBy("s.id", "desc")
    .limit(p.limit),
);

export const submissionById = prepared((db, p: { id: number }) =>
  shownSubmissions(db).where("s.id", "=", p.id),
);

/** How far the purge of a task has come. */
export const taskForPurge = prepared((db, p: { id: number }) =>
  db.selectFrom("task").select(["closed_at", "purges", "purged_through"]).where("id", "=", p.id),
);

/** What the ledger calls `task_fail`. */
const FAILED = ["failed", "copied"] as const;

interface Failed {
  readonly task: number;
  readonly after_id: number;
}

/** The oldest failed submissions, copies among them, whose payloads are still there. */
export const failedAfter = prepared((db, p: Failed & { readonly limit: number }) =>
  db
    .selectFrom("task_submission")
    .select(["id", "payload_bytes"])
    .where("task", "=", p.task)
    .where("id", ">", p.after_id)
    .where("outcome", "in", FAILED)
    .orderBy("id")
    .limit(p.limit),
);

export const emptyPayloads = prepared((db, p: Failed & { readonly to_id: number }) =>
  db
    .updateTable("task_submission")
    .set({ payload: "" })
    .where("task", "=", p.task)
    .where("id", ">", p.after_id)
    .where("id", "<=", p.to_id)
    .where("outcome", "in", FAILED),
);
