import type { Tx } from "../db/engine.ts";
import { entriesOf } from "../kernel/contract/entry-kind.ts";
import type { Projector } from "../ledger/sequence.ts";
import { post, postHidden, postUnhidden } from "./entries.ts";
import * as sql from "./queries.ts";

type Entry = ReturnType<typeof postsAndHidings>[number];

/** What a batch changes of a topic; null where nobody has posted to it. */
interface Change {
  posts: number;
  last_posted_at: number | null;
}

const postsAndHidings = entriesOf({ post, postHidden, postUnhidden });

/** Keeps the count of each topic's posts that can be read, one change per topic and batch. */
export const topicProjector: Projector = async (tx, entries) => {
  const changes = new Map<string, Change>();
  for (const entry of postsAndHidings(entries)) {
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
async function topicOf(tx: Tx, entry: Entry): Promise<string | null> {
  if (entry.kind === "post") return entry.body.topic ?? null;
  const row = await sql.topicOfPost.first(tx, { id: entry.body.post_id });
  return row?.topic ?? null;
}
