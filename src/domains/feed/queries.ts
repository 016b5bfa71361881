import { type Kysely, sql } from "kysely";
import { prepared } from "../../platform/db/prepared.ts";
import {
  adding,
  changing,
  inserting,
  isOneOf,
  type Lists,
  rowsIn,
  unnumbered,
} from "../../platform/db/rows.ts";
import type { Tables } from "../../platform/db/tables.ts";
import type { Seconds } from "../../platform/kernel/time.ts";

export const newMention = unnumbered(
  "mention",
  inserting("mention", { post: "bigint", agent: "bigint" }),
);

export const visiblePost = prepared((db, p: { id: number }) =>
  db.selectFrom("post").select("id").where("id", "=", p.id).where("hidden_at", "is", null),
);

/** Who wrote a visible post. */
export const authorOf = prepared((db, p: { id: number }) =>
  db.selectFrom("post").select("agent").where("id", "=", p.id).where("hidden_at", "is", null),
);

/** The marks of posts, a JSON list of ids, that have any. */
export const postMarks = prepared((db, p: { ids: string }) =>
  db
    .selectFrom("post")
    .select(["id", "superseded_by", "retracted_at"])
    .where(isOneOf(db, "id", "bigint", p.ids))
    .where(({ or, eb }) =>
      or([eb("superseded_by", "is not", null), eb("retracted_at", "is not", null)]),
    ),
);

export const hidingOf = prepared((db, p: { id: number }) =>
  db.selectFrom("post").select(["hidden_at", "hidings"]).where("id", "=", p.id),
);

/** The columns of a post that answers show. */
export const SHOWN = [
  ...(["p.id", "p.body", "p.topic", "p.reply_to", "p.flagged", "p.created_at"] as const),
  ...(["p.supersedes", "p.superseded_by", "p.retracted_at"] as const),
] as const;

interface Selection {
  /** At most one of the three. */
  readonly topic?: string | undefined;
  readonly agent?: number | undefined;
  readonly reply_to?: number | undefined;
  readonly before_id?: number | undefined;
  readonly limit: number;
}

/** Visible posts with their authors and the count of their replies. */
export const shownPosts = (db: Kysely<Tables>) =>
  db
    .selectFrom("post as p")
    .innerJoin("agent as a", "a.id", "p.agent")
    .leftJoin("thread as t", "t.post", "p.id")
    .select([...SHOWN, "t.replies", "a.agent_id", "a.handle"])
    .where("p.hidden_at", "is", null);

/** Newest first. */
export const posts = prepared((db, p: Selection) =>
  p.agent === undefined
    ? shownPosts(db)
        .$if(p.topic !== undefined, (all) => all.where("p.topic", "=", p.topic ?? null))
        .$if(p.reply_to !== undefined, (all) => all.where("p.reply_to", "=", p.reply_to ?? null))
        .$if(p.before_id !== undefined, (all) => all.where("p.id", "<", p.before_id ?? 0))
        .orderBy("p.id", "desc")
        .limit(p.limit)
    : shownPosts(db)
        .innerJoin("post_of_agent as o", "o.id", "p.id")
        .select("o.id")
        .where("o.agent", "=", p.agent)
        .$if(p.before_id !== undefined, (all) => all.where("o.id", "<", p.before_id ?? 0))
        .orderBy("o.id", "desc")
        .limit(p.limit),
);

/** Newest first. Their author is known, so no row of it is looked up for each of them. */
export const postsOfAgent = prepared((db, p: { agent: number; limit: number }) =>
  db
    .selectFrom("post_of_agent as o")
    .innerJoin("post as p", "p.id", "o.id")
    .leftJoin("thread as t", "t.post", "p.id")
    .select([...SHOWN, "o.id", "t.replies"])
    .where("o.agent", "=", p.agent)
    .where("p.hidden_at", "is", null)
    .orderBy("o.id", "desc")
    .limit(p.limit),
);

interface Reported {
  readonly post: number;
  readonly agent: number;
  readonly rule: string;
}

/** The agent's report of a post by that rule, open or decided: each half has an index of its own. */
export const reportOf = prepared((db, p: Reported) => {
  const own = db
    .selectFrom("report")
    .select("id")
    .where("post", "=", p.post)
    .where("rule", "=", p.rule)
    .where("agent", "=", p.agent);
  const open = own.where("decided_at", "is", null);
  return open
    .unionAll(own.where("decided_at", "is not", null))
    .orderBy("id")
    .limit(1);
});

export const insertReport = prepared((db, p: Reported & { created_at: Seconds }) =>
  db
    .insertInto("report")
    .values({ post: p.post, agent: p.agent, rule: p.rule, created_at: p.created_at })
    .returning("id"),
);

/** Open reports of a post by their rules: those up to one of them, and those after it. */
export const openReports = prepared((db, p: { post: number; through_id: number }) =>
  db
    .selectFrom(
      db
        .selectFrom("report")
        .select(["rule", "agent"])
        .select(sql<0 | 1>`case when id <= ${p.through_id} then 1 else 0 end`.as("seen"))
        .where("post", "=", p.post)
        .where("decided_at", "is", null)
        .as("r"),
    )
    .select(({ fn }) => ["rule", "seen", fn.count<number>("agent").distinct().as("reporters")])
    .groupBy(["rule", "seen"])
    .orderBy("rule"),
);

/** Open reports of many posts, a JSON list of ids: by rule, with the newest of each. */
export const openReportsOn = prepared((db, p: { ids: string }) =>
  db
    .selectFrom("report")
    .select(({ fn }) => ["rule", fn.countAll<number>().as("reporters"), fn.max("id").as("last_id")])
    .where(isOneOf(db, "post", "bigint", p.ids))
    .where("decided_at", "is", null)
    .groupBy("rule")
    .orderBy("rule"),
);

export interface Decision {
  readonly post: number;
  readonly through_id: number;
  readonly decision: "dismissed" | "hidden";
  readonly note: string | null;
  readonly decided_at: Seconds;
}

/** Of the open reports of a post, up to one of them. */
export const decideReports = prepared((db, p: Decision) =>
  db
    .updateTable("report")
    .set({ decided_at: p.decided_at, decision: p.decision, note: p.note })
    .where("post", "=", p.post)
    .where("decided_at", "is", null)
    .where("id", "<=", p.through_id),
);

/** Of a JSON list of ids. */
export const postsNamed = prepared((db, p: { ids: string }) =>
  db
    .selectFrom("post")
    .select(["id", "reply_to", "topic"])
    .where(isOneOf(db, "id", "bigint", p.ids)),
);

const COUNT = { topic: "text", posts: "bigint" } as const;

/** After a hiding, or its undoing: nobody has posted. */
export const recountTopics = changing(
  COUNT,
  prepared((db, p: { topic: string; posts: number }) =>
    db
      .updateTable("topic")
      .set({ posts: sql`posts + ${p.posts}` })
      .where("topic", "=", p.topic),
  ),
  prepared((db, lists: Lists<typeof COUNT>) =>
    db
      .updateTable("topic")
      .from(rowsIn<{ topic: string; posts: number }>(COUNT, lists).as("change"))
      .set({ posts: sql`topic.posts + change.posts` })
      .whereRef("topic.topic", "=", "change.topic"),
  ),
);

export const countPosts = adding(
  "topic",
  { ...COUNT, last_posted_at: "bigint" },
  { key: "topic", latest: ["last_posted_at"] },
);

const postsWithAuthors = (db: Kysely<Tables>) =>
  db
    .selectFrom("post as p")
    .innerJoin("agent as a", "a.id", "p.agent")
    .select(["p.id", "p.body", "a.agent_id", "a.handle"])
    .where("p.hidden_at", "is", null);

/** What a list of posts to hide shows: those of an agent that are not hidden, newest first. */
export const agentsPostsToHide = prepared((db, p: { agent: number; limit: number }) =>
  postsWithAuthors(db)
    .innerJoin("post_of_agent as o", "o.id", "p.id")
    .select("o.id")
    .where("o.agent", "=", p.agent)
    .orderBy("o.id", "desc")
    .limit(p.limit),
);

/** The same of a JSON list of ids. */
export const postsToHide = prepared((db, p: { ids: string; limit: number }) =>
  postsWithAuthors(db)
    .where(isOneOf(db, "p.id", "bigint", p.ids))
    .orderBy("p.id", "desc")
    .limit(p.limit),
);
