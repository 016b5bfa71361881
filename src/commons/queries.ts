import { prepared } from "../db/prepared.ts";
import type { Seconds } from "../kernel/time.ts";

export const topicPosts = prepared((db, p: { topic: string }) =>
  db.selectFrom("topic").select("posts").where("topic", "=", p.topic),
);

export const topicsInUse = prepared((db, p: { from: Seconds; limit: number }) =>
  db
    .selectFrom("topic")
    .select(["topic", "posts"])
    .where("last_posted_at", ">=", p.from)
    .orderBy("last_posted_at", "desc")
    .orderBy("topic", "desc")
    .limit(p.limit),
);
