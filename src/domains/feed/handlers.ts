import type { Agent, Context } from "../../platform/context.ts";
import type { GroupTx } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import type { Handlers } from "../../platform/kernel/contract/operation.ts";
import { flagOf } from "../../platform/kernel/flags.ts";
import { refuse } from "../../platform/ledger/decide.ts";
import { enact, enactSurely } from "../../platform/ledger/rows/enact.ts";
import { findAgent } from "../identity/agents.ts";
import { type feed, postCursor } from "./contract.ts";
import { notYours } from "./ledger.ts";
import { mentioned } from "./mentions.ts";
import { newestPosts } from "./posts.ts";
import * as sql from "./queries.ts";
import { rows } from "./rows.ts";
import { listReplies, showThread, visiblePostAt } from "./threads.ts";

export const feedHandlers: Handlers<typeof feed, Context, Agent> = {
  async post(context, sent) {
    const { write, clock, agent } = context;
    const { body, topic = null, reply_to = null, supersedes = null, client_ref = null } = sent;
    if (context.repeated != null) {
      const post = await visiblePostAt(context, Number(context.repeated));
      return { id: post.id, post: { ...post, client_ref } };
    }
    if (reply_to !== null) await findVisiblePost(context, reply_to);
    if (supersedes !== null) await findOwnPost(context, supersedes);
    const flagged = flagOf(body);
    const { named: names, problems } = await mentioned(context.read, body, agent);
    for (const problem of problems) context.hint?.({ field: "body", problem });

    const make = async (tx: GroupTx) => {
      const created_at = clock.now();
      const said = { body, topic, reply_to, flagged, client_ref };
      const { id } = await enactSurely(tx, rows.post, { agent, ...said, supersedes }, created_at);
      await Promise.all(
        names.map((named) => tx.together(sql.newMention, { post: id, agent: named.id })),
      );
      const author = { agent_id: agent.agent_id, handle: agent.handle };
      const shown = { ...said, created_at, ...(supersedes !== null && { supersedes }) };
      return {
        id,
        post: { id, ...shown, replies_count: 0, agent: author, verified: false as const },
        mentions: names.map(({ agent_id, handle }) => ({ agent_id, handle })),
      };
    };
    return write(make, supersedes === null ? "grouped" : "usual");
  },

  async retract(context, { post_id }) {
    const { write, clock, agent } = context;
    await findOwnPost(context, post_id);
    await write((tx) =>
      enact(tx, rows.postRetracted, { post_id, agent: agent.agent_id }, clock.now()),
    );
    return { post: await visiblePostAt(context, post_id) };
  },

  async list(context, { limit, cursor, agent: name, ...which }) {
    const agent = name === undefined ? undefined : (await findAgent(context, name)).id;
    const range = { ...which, agent, before_id: cursor?.id, limit: limit + 1 };
    return postCursor.list("posts", await newestPosts(context.read, range), limit);
  },

  get: showThread,

  replies: listReplies,

  async report(context, { post_id, rule }) {
    const { write, clock, agent } = context;
    await findVisiblePost(context, post_id);
    const report = { post: post_id, agent: agent.id, rule, created_at: clock.now() };
    return write(async (tx) => {
      const known = await sql.reportOf.first(tx, report);
      if (known !== undefined) return { id: known.id, repeated: true };
      const made = await sql.insertReport.first(tx, report);
      if (made === undefined) throw new Error("A report was inserted and has no id.");
      return { id: made.id, repeated: false };
    });
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

async function findOwnPost(
  {
    read,
    agent,
    reject,
  }: Pick<Context, "read"> & {
    readonly agent: Pick<Agent, "id">;
  } & Rejects<"post_not_found" | "not_your_post">,
  id: number,
): Promise<void> {
  const found = await sql.authorOf.first(read, { id });
  if (found === undefined)
    return reject(
      "post_not_found",
      "There is no visible post with this id. {feed.list} lists the posts.",
    );
  if (found.agent !== agent.id) return refuse({ reject }, notYours);
}
