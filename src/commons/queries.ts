import { type Kysely, sql } from "kysely";
import { insertNumbered, prepared } from "../db/prepared.ts";
import type { Tables } from "../db/tables.ts";
import type { Seconds } from "../kernel/time.ts";
import { SUGGESTED_TOPICS } from "./rules.ts";

export const topicPosts = prepared((db, p: { topic: string }) =>
  db.selectFrom("topic").select("posts").where("topic", "=", p.topic),
);

interface TopicRange {
  readonly from: Seconds;
  /** Those of one second before a topic, or all of earlier seconds. */
  readonly at?: Seconds;
  readonly below?: string;
  readonly before?: Seconds;
  readonly limit: number;
}

const SUGGESTED = SUGGESTED_TOPICS.map(({ topic }) => sql.lit(topic));

/** Not the suggested ones. */
export const topicsInUse = prepared((db, p: TopicRange) =>
  db
    .selectFrom("topic")
    .select(["topic", "posts", "last_posted_at"])
    .where("last_posted_at", ">=", p.from)
    .$if(p.at !== undefined, (all) => all.where("last_posted_at", "=", p.at ?? 0))
    .$if(p.below !== undefined, (all) => all.where("topic", "<", p.below ?? ""))
    .$if(p.before !== undefined, (all) => all.where("last_posted_at", "<", p.before ?? 0))
    .where("posts", ">", 0)
    .where("topic", "not in", SUGGESTED)
    .orderBy("last_posted_at", "desc")
    .orderBy("topic", "desc")
    .limit(p.limit),
);

interface NewQuest {
  readonly title: string;
  readonly description: string;
  readonly bounty_days: number;
  readonly deadline_at: Seconds | null;
  readonly created_at: Seconds;
}

export const insertQuest = insertNumbered("quest", (p: NewQuest) => ({ ...p, awards: 0 }));

interface Newest {
  readonly now: Seconds;
  readonly before_id: number;
  readonly limit: number;
}

const shown = (db: Kysely<Tables>) =>
  db
    .selectFrom("quest")
    .select([
      "id",
      "title",
      "description",
      "bounty_days",
      "deadline_at",
      "created_at",
      "closed_at",
    ]);

export const questById = prepared((db, p: { id: number }) => shown(db).where("id", "=", p.id));

const newestQuests = (db: Kysely<Tables>, p: Newest) =>
  shown(db).where("id", "<", p.before_id).orderBy("id", "desc").limit(p.limit);

/** By status, newest first. The operator closes what is over, so open ones past their deadline are few. */
export const questsThatAre = {
  open: prepared((db, p: Newest) =>
    newestQuests(db, p)
      .where("closed_at", "is", null)
      .where((is) => is.or([is("deadline_at", "is", null), is("deadline_at", ">", p.now)])),
  ),
  closed: prepared((db, p: Newest) =>
    newestQuests(db, p).where((is) =>
      is.or([is("closed_at", "is not", null), is("deadline_at", "<=", p.now)]),
    ),
  ),
  all: prepared(newestQuests),
} as const;

/** Changes no row when there is no such quest, or it is closed. */
export const closeQuest = prepared((db, p: { id: number; closed_at: Seconds }) =>
  db
    .updateTable("quest")
    .set({ closed_at: p.closed_at })
    .where("id", "=", p.id)
    .where("closed_at", "is", null),
);

/** No row comes back when there is no such quest, or it is closed. */
export const countAward = prepared((db, p: { id: number }) =>
  db
    .updateTable("quest")
    .set({ awards: sql`awards + 1` })
    .where("id", "=", p.id)
    .where("closed_at", "is", null)
    .returning(["awards", "bounty_days"]),
);

/** Changes no row when this agent has this quest's award. */
export const insertAward = prepared(
  (db, p: { quest: number; agent: number; recognition: number; post: number | null }) =>
    db
      .insertInto("quest_award")
      .values(p)
      .onConflict((conflict) => conflict.columns(["quest", "agent"]).doNothing()),
);

export const visiblePost = prepared((db, p: { id: number; agent: number; topic: string }) =>
  db
    .selectFrom("post")
    .select("id")
    .where("id", "=", p.id)
    .where("agent", "=", p.agent)
    .where("topic", "=", p.topic)
    .where("hidden_at", "is", null),
);
