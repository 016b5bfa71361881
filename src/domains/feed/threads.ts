import type * as z from "zod";
import type { Context } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { cutParts } from "../../platform/kernel/contract/page.ts";
import type { Projector } from "../../platform/ledger/sequencing/sequence.ts";
import { type feed, replyCursor } from "./contract.ts";
import { hiddenOf, postsAndHidings } from "./hidings.ts";
import { type Post, showPost } from "./posts.ts";
import { visiblePost } from "./queries.ts";
import { ANCESTORS_MAX } from "./rules.ts";
import * as sql from "./thread-queries.ts";

type Thread = z.output<typeof feed.get.output>;
type Replies = z.output<typeof feed.replies.output>;
type Missing = Rejects<"post_not_found">;

/** One post, what it answers, and the first replies. Rejects with `post_not_found`. */
export function showThread(
  { snapshot, reject }: Pick<Context, "snapshot"> & Missing,
  { id, limit }: z.output<typeof feed.get.input>,
): Promise<Thread> {
  return snapshot(async (read) => {
    const row = await sql.postById.first(read, { id });
    if (row === undefined) return refuse({ reject });
    const found = {
      ancestors: await ancestorsOf(read, row.reply_to),
      replies: await repliesTo(read, { id, limit }),
    };
    const { ancestors, ancestors_more, replies, replies_more } = cutParts(found, {
      ancestors: ANCESTORS_MAX,
      replies: limit,
    });
    const last = replies.at(-1);
    const next = replies_more && last !== undefined ? replyCursor.after(last) : null;
    return { post: showPost(row), ancestors, ancestors_more, replies, more: replies_more, next };
  });
}

/** One post alone. Rejects with `post_not_found`. */
export async function visiblePostAt(
  { read, reject }: Pick<Context, "read"> & Missing,
  id: number,
): Promise<Post> {
  const row = await sql.postById.first(read, { id });
  return row === undefined ? refuse({ reject }) : showPost(row);
}

/** The replies to a post, oldest first. Rejects with `post_not_found`. */
export async function listReplies(
  { read, reject }: Pick<Context, "read"> & Missing,
  asked: z.output<typeof feed.replies.input>,
): Promise<Replies> {
  if ((await visiblePost.first(read, { id: asked.id })) === undefined) return refuse({ reject });
  const found = await repliesTo(read, asked);
  return replyCursor.list("replies", found, asked.limit);
}

/** One more than `limit`, where there are so many. */
async function repliesTo(
  read: Db,
  { id, limit, cursor }: z.output<typeof feed.replies.input>,
): Promise<Post[]> {
  const range = { reply_to: id, after_id: cursor?.id ?? 0, limit: limit + 1 };
  return (await sql.replies.all(read, range)).map(showPost);
}

/** The nearest first. A hidden one has only its id, and the fact that it existed. */
async function ancestorsOf(read: Db, reply_to: number | null): Promise<Thread["ancestors"]> {
  if (reply_to === null) return [];
  const rows = await sql.ancestors.all(read, { id: reply_to, limit: ANCESTORS_MAX + 1 });
  return rows.map(({ hidden_at, depth: _, ...row }) =>
    hidden_at === null ? showPost(row) : { id: row.id, hidden: true as const },
  );
}

const refuse = ({ reject }: Missing): never =>
  reject("post_not_found", "There is no visible post with this id.");

/**
 * Keeps the count of each post's replies that can be read, one change per post and batch: a post with
 * any number of replies is no row that their authors wait for.
 */
export const threadProjector: Projector = async (tx, all) => {
  const entries = postsAndHidings(all);
  const hidden = await hiddenOf(tx, entries);
  const changes = new Map<number, number>();
  for (const entry of entries) {
    const of = entry.kind === "post" ? entry.body : hidden.get(entry.body.post_id);
    const parent = of?.reply_to ?? null;
    if (parent === null) continue;
    const change = entry.kind === "post_hidden" ? -1 : 1;
    changes.set(parent, (changes.get(parent) ?? 0) + change);
  }
  // A post whose only reply was hidden in the same batch has a row too: batches leave no trace.
  await sql.countReplies(
    tx,
    [...changes].map(([post, replies]) => ({ post, replies })),
  );
};

/** Counts the replies to every post again; resolves to the number of posts that have any. */
export async function recountThreads(tx: Tx): Promise<number> {
  await sql.deleteThreads.run(tx, {});
  await sql.recountReplies.run(tx, {});
  return (await sql.countThreads.first(tx, {}))?.items ?? 0;
}
