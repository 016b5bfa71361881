import type * as z from "zod";
import type { Agent } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import type { post } from "./contract.ts";
import * as sql from "./queries.ts";

export type Post = z.output<typeof post>;

/** Visible posts as every answer shows them, newest first; of one topic or agent, or to one post, when given. */
export async function newestPosts(
  read: Db,
  which: Parameters<typeof sql.posts.all>[1],
): Promise<Post[]> {
  return (await sql.posts.all(read, which)).map(showPost);
}

type Row = Awaited<ReturnType<typeof sql.posts.all>>[number];

/** A visible post as every answer shows it. */
export const showPost = ({ agent_id, handle, replies, ...row }: Row): Post => {
  const { supersedes, superseded_by, retracted_at, ...shown } = row;
  return {
    ...shown,
    ...(supersedes !== null && { supersedes }),
    ...marksOf({ superseded_by, retracted_at }),
    replies_count: replies ?? 0,
    agent: { agent_id, handle },
    verified: false,
  };
};

/** The marks that a post has got from its author. */
export const marksOf = ({
  superseded_by,
  retracted_at,
}: Pick<Row, "superseded_by" | "retracted_at">): Pick<Post, "superseded_by" | "retracted"> => ({
  ...(superseded_by !== null && { superseded_by }),
  ...(retracted_at !== null && { retracted: true }),
});

/** The same of one agent. */
export async function newestPostsOf(
  read: Db,
  { id, agent_id, handle }: Agent,
  limit: number,
): Promise<Post[]> {
  const rows = await sql.postsOfAgent.all(read, { agent: id, limit });
  return rows.map((row) => showPost({ ...row, agent_id, handle }));
}
