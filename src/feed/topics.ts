import * as z from "zod";
import type { Projector } from "../ledger/sequence.ts";
import * as sql from "./queries.ts";

const postBody = z.object({ topic: z.string().optional() });

/** Keeps the post count of each topic, one change per topic and batch. */
export const topicProjector: Projector = async (tx, entries) => {
  const counts = new Map<string, { topic: string; posts: number; last_posted_at: number }>();
  for (const { kind, body, at } of entries) {
    if (kind !== "post") continue;
    const { topic } = postBody.parse(JSON.parse(body));
    if (topic === undefined) continue;
    const posts = (counts.get(topic)?.posts ?? 0) + 1;
    counts.set(topic, { topic, posts, last_posted_at: at });
  }
  for (const count of counts.values()) await sql.countPosts.run(tx, count);
};
