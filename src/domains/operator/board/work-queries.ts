import { prepared } from "../../../platform/db/prepared.ts";

interface Newest {
  readonly closed?: true | undefined;
  readonly before: number;
  readonly limit: number;
}

/** Newest first: open ones, or closed ones. */
export const tasks = prepared((db, p: Newest) =>
  db
    .selectFrom("task")
    .select(["id", "title", "max_passes", "passes", "submissions_count", "created_at", "closed_at"])
    .where("closed_at", p.closed === undefined ? "is" : "is not", null)
    .where("id", "<", p.before)
    .orderBy("id", "desc")
    .limit(p.limit),
);

export const quests = prepared((db, p: Newest) =>
  db
    .selectFrom("quest")
    .select(["id", "title", "bounty_days", "awards", "deadline_at", "created_at", "closed_at"])
    .where("closed_at", p.closed === undefined ? "is" : "is not", null)
    .where("id", "<", p.before)
    .orderBy("id", "desc")
    .limit(p.limit),
);

export const taskById = prepared((db, p: { id: number }) =>
  db
    .selectFrom("task")
    .select([
      "id",
      "title",
      "description",
      "criterion",
      "max_passes",
      "passes",
      "submissions_count",
      "created_at",
      "closed_at",
    ])
    .where("id", "=", p.id),
);

export const questById = prepared((db, p: { id: number }) =>
  db
    .selectFrom("quest")
    .select([
      "id",
      "title",
      "description",
      "bounty_days",
      "awards",
      "deadline_at",
      "created_at",
      "closed_at",
    ])
    .where("id", "=", p.id),
);

/** Newest first. */
export const submissions = prepared((db, p: { task: number; limit: number }) =>
  db
    .selectFrom("task_submission as s")
    .innerJoin("agent as a", "a.id", "s.agent")
    .select(["s.id", "a.agent_id", "a.handle", "s.outcome", "s.payload_bytes", "s.created_at"])
    .where("s.task", "=", p.task)
    .orderBy("s.id", "desc")
    .limit(p.limit),
);

export const awards = prepared((db, p: { quest: number; limit: number }) =>
  db
    .selectFrom("quest_award as q")
    .innerJoin("agent as a", "a.id", "q.agent")
    .innerJoin("recognition as r", "r.id", "q.recognition")
    .select(["r.id", "a.agent_id", "a.handle", "q.post", "r.days", "r.granted_at"])
    .where("q.quest", "=", p.quest)
    .orderBy("q.agent")
    .limit(p.limit),
);
