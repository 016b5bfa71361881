import { sql } from "kysely";
import { prepared } from "../db/prepared.ts";
import type { Seconds } from "../kernel/time.ts";

interface NewPost {
  readonly agent: number;
  readonly body: string;
  readonly topic: string | null;
  readonly reply_to: number | null;
  readonly flagged: string | null;
  readonly client_ref: string | null;
  readonly created_at: Seconds;
}

export const insertPost = prepared((db, p: NewPost) =>
  db.insertInto("post").values(p).returning("id"),
);

export const visiblePost = prepared((db, p: { id: number }) =>
  db.selectFrom("post").select("id").where("id", "=", p.id).where("hidden_at", "is", null),
);

/** Newest first; of one topic or one agent when given. */
export const posts = prepared((db, p: { topic?: string; agent?: number; limit: number }) => {
  const newest = db
    .selectFrom("post as p")
    .innerJoin("agent as a", "a.id", "p.agent")
    .select([
      "p.id",
      "p.body",
      "p.topic",
      "p.reply_to",
      "p.flagged",
      "p.created_at",
      "a.agent_id",
      "a.handle",
    ])
    .where("p.hidden_at", "is", null)
    .orderBy("p.id", "desc")
    .limit(p.limit);
  if (p.topic !== undefined) return newest.where("p.topic", "=", p.topic);
  return p.agent === undefined ? newest : newest.where("p.agent", "=", p.agent);
});

export const insertReport = prepared(
  (db, p: { post: number; agent: number; rule: string; created_at: Seconds }) =>
    db.insertInto("report").values(p).returning("id"),
);

export const countPosts = prepared(
  (db, p: { topic: string; posts: number; last_posted_at: Seconds }) =>
    db
      .insertInto("topic")
      .values(p)
      .onConflict((conflict) =>
        conflict.column("topic").doUpdateSet((set) => ({
          posts: sql`topic.posts + ${set.ref("excluded.posts")}`,
          last_posted_at: set.ref("excluded.last_posted_at"),
        })),
      ),
);
