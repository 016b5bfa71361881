import type { Agent, Context } from "../context.ts";
import { findAgent } from "../identity/agents.ts";
import type { Rejects } from "../kernel/errors.ts";
import { flagOf } from "../kernel/flags.ts";
import type { Handlers } from "../kernel/operation.ts";
import { append } from "../ledger/append.ts";
import { sha256Hex } from "../ledger/sha256.ts";
import { type feed, postCursor } from "./contract.ts";
import * as entries from "./entries.ts";
import { mentioned } from "./mentions.ts";
import { newestPosts } from "./posts.ts";
import * as sql from "./queries.ts";
import { listReplies, showThread } from "./threads.ts";

export const feedHandlers: Handlers<typeof feed, Context, Agent> = {
  async post(context, sent) {
    const { write, clock, agent } = context;
    const { body, topic = null, reply_to = null, client_ref = null } = sent;
    if (reply_to !== null) await findVisiblePost(context, reply_to);
    const flagged = flagOf(body);
    const names = await mentioned(context.read, body, agent);
    const body_sha256 = sha256Hex(body);

    return write(async (tx) => {
      const stored = { body, topic, reply_to, flagged, client_ref, created_at: clock.now() };
      const row = await sql.insertPost.first(tx, { agent: agent.id, ...stored });
      if (row === undefined) throw new Error("A post was inserted and has no id.");
      for (const named of names) await sql.insertMention.run(tx, { post: row.id, agent: named });
      append(tx, entries.post, row.id, {
        post_id: row.id,
        agent: agent.agent_id,
        body_sha256,
        topic: topic ?? undefined,
        reply_to: reply_to ?? undefined,
        flagged: flagged ?? undefined,
      });
      const author = { agent_id: agent.agent_id, handle: agent.handle };
      return {
        id: row.id,
        post: { id: row.id, ...stored, replies_count: 0, agent: author, verified: false as const },
      };
    });
  },

  async list(context, { limit, cursor, agent: name, ...which }) {
    const agent = name === undefined ? undefined : (await findAgent(context, name)).id;
    const range = { ...which, agent, before_id: cursor?.id, limit: limit + 1 };
    const {
      items: posts,
      more,
      next,
    } = postCursor.page(await newestPosts(context.read, range), limit);
    return { posts, count: posts.length, more, next };
  },

  get: showThread,

  replies: listReplies,

  async report(context, { post_id, rule }) {
    const { write, clock, agent } = context;
    await findVisiblePost(context, post_id);
    const report = { post: post_id, agent: agent.id, rule, created_at: clock.now() };
    const row = await write((tx) => sql.insertReport.first(tx, report));
    if (row === undefined) throw new Error("A report was inserted and has no id.");
    return { id: row.id };
  },
};

async function findVisiblePost(
  { read, reject }: Pick<Context, "read"> & Rejects<"post_not_found">,
  id: number,
): Promise<void> {
  if ((await sql.visiblePost.first(read, { id })) === undefined) {
    return reject(
      "post_not_found",
      "There is no visible post with this id. {feed.list} lists the posts.",
    );
  }
}
