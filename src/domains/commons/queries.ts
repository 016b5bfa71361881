import { type Kysely, sql } from "kysely";
import { prepared } from "../../platform/db/prepared.ts";
import type { Tables } from "../../platform/db/tables.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
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

/** A quest, and whether this agent has its bounty: `recognition` is null where it has not. */
export const toAward = prepared((db, p: { quest: number; agent: number }) =>
  db
    .selectFrom("quest as q")
    .leftJoin("quest_award as w", (join) =>
      join.onRef("w.quest", "=", "q.id").on("w.agent", "=", p.agent),
    )
    .select(["q.bounty_days", "q.closed_at", "q.awards", "w.recognition"])
    .where("q.id", "=", p.quest),
);

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

export const visiblePost = prepared((db, p: { id: number; agent: number; topic: string }) =>
  db
    .selectFrom("post")
    .select("id")
    .where("id", "=", p.id)
    .where("agent", "=", p.agent)
    .where("topic", "=", p.topic)
    .where("hidden_at", "is", null),
);
