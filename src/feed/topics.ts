import * as z from "zod";
import type { Tx } from "../db/engine.ts";
import type { Projector } from "../ledger/sequence.ts";
import * as sql from "./queries.ts";

type Entry = Parameters<Projector>[1][number];

/** What a batch changes of a topic; null where nobody has posted to it. */
interface Change {
  posts: number;
  last_posted_at: number | null;
}

const posted = z.object({ topic: z.string().optional() });
const hidden = z.object({ post_id: z.int() });

/** Keeps the count of each topic's posts that can be read, one change per topic and batch. */
export const topicProjector: Projector = async (tx, entries) => {
  const changes = new Map<string, Change>();
  for (const entry of entries) {
    const topic = await topicOf(tx, entry);
    if (topic === null) continue;
    const change = changes.get(topic) ?? { posts: 0, last_posted_at: null };
    change.posts += entry.kind === "post_hidden" ? -1 : 1;
    if (entry.kind === "post") change.last_posted_at = entry.at;
    changes.set(topic, change);
  }
  for (const [topic, { posts, last_posted_at }] of changes) {
    if (last_posted_at === null) await sql.recountTopic.run(tx, { topic, posts });
    else await sql.countPosts.run(tx, { topic, posts, last_posted_at });
  }
};

/** The topic whose count an entry changes. */
async function topicOf(tx: Tx, { kind, body }: Entry): Promise<string | null> {
  if (kind === "post") return posted.parse(JSON.parse(body)).topic ?? null;
  if (kind !== "post_hidden" && kind !== "post_unhidden") return null;
  const { post_id: id } = hidden.parse(JSON.parse(body));
  return (await sql.topicOfPost.first(tx, { id }))?.topic ?? null;
}
