import type { Seconds } from "../../platform/kernel/time.ts";
import type { Projector } from "../../platform/ledger/sequencing/sequence.ts";
import { hiddenOf, postsAndHidings } from "./hidings.ts";
import * as sql from "./queries.ts";

/** What a batch changes of a topic; null where nobody has posted to it. */
interface Change {
  posts: number;
  last_posted_at: Seconds | null;
}

/** Keeps the count of each topic's posts that can be read, one change per topic and batch. */
export const topicProjector: Projector = async (tx, all) => {
  const entries = postsAndHidings(all);
  const hidden = await hiddenOf(tx, entries);
  const changes = new Map<string, Change>();
  for (const entry of entries) {
    const of = entry.kind === "post" ? entry.body : hidden.get(entry.body.post_id);
    const topic = of?.topic ?? null;
    if (topic === null) continue;
    const change = changes.get(topic) ?? { posts: 0, last_posted_at: null };
    change.posts += entry.kind === "post_hidden" ? -1 : 1;
    if (entry.kind === "post") change.last_posted_at = entry.at;
    changes.set(topic, change);
  }
  const rows = [...changes].map(([topic, change]) => ({ topic, ...change }));
  await sql.countPosts(tx, rows.filter(isPosted));
  await sql.recountTopics(
    tx,
    rows.filter((row) => !isPosted(row)),
  );
};

const isPosted = <Row extends Change>(
  row: Row,
): row is Row & { readonly last_posted_at: Seconds } => row.last_posted_at !== null;
