import type * as z from "zod";
import type { Db } from "../db/engine.ts";
import type { post } from "./contract.ts";
import * as sql from "./queries.ts";

export type Post = z.output<typeof post>;

/** Visible posts as every answer shows them, newest first; of one topic or one agent when given. */
export async function newestPosts(
  read: Db,
  which: { readonly topic?: string | undefined; readonly agent?: number; readonly limit: number },
): Promise<Post[]> {
  const { topic, ...rest } = which;
  const rows = await sql.posts.all(read, topic === undefined ? rest : { ...rest, topic });
  return rows.map(({ agent_id, handle, ...row }) => ({
    ...row,
    agent: { agent_id, handle },
    verified: false,
  }));
}
