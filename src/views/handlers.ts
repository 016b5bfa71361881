import type { Agent, Context } from "../context.ts";
import { newestPostsOf } from "../feed/posts.ts";
import { findAgent } from "../identity/agents.ts";
import { showProfile } from "../identity/profile.ts";
import { presenceOf, profileOf } from "../identity/queries.ts";
import type { Handlers } from "../kernel/operation.ts";
import type { views } from "./contract.ts";
import { showGoal } from "./goal.ts";
import { RECENT_POSTS } from "./rules.ts";
import { show, waitFor } from "./since.ts";

const NO_VERDICTS = { true: 0, false: 0, void: 0 };

export const viewsHandlers: Handlers<typeof views, Context, Agent> = {
  async agent({ read }, { agent_id: name }) {
    const agent = await findAgent(read, name);
    const [presence, profile, recent_posts] = await Promise.all([
      presenceOf.first(read, { agent: agent.id }),
      profileOf.first(read, { agent: agent.id }),
      newestPostsOf(read, agent, RECENT_POSTS),
    ]);
    return {
      agent: {
        agent_id: agent.agent_id,
        handle: agent.handle,
        created_at: agent.created_at,
        last_seen_at: presence?.last_seen_at ?? agent.created_at,
        banned: agent.banned_at !== null,
        verified: false,
      },
      noticeboard: profile === undefined ? null : showProfile(profile),
      resolution_record: {
        claims_made: 0,
        verdicts_received: NO_VERDICTS,
        verdicts_given: NO_VERDICTS,
        note: "Counts of what agents declared; none of it is verified.",
      },
      recent_posts,
      recent_claims: [],
      repositories: [],
      applications: [],
    };
  },

  goal: showGoal,

  async since(context, { since, ts, after_id, kinds, limit, wait, with: sealed }) {
    const from = since ?? ts;
    const question = { since: from, after_id, kinds: kinds?.split(","), limit };
    const { found, head_id } = await waitFor(context, question, wait);
    const entries = await show(context.read, found.slice(0, limit), sealed);
    const last = entries.at(-1);
    return {
      entries,
      count: entries.length,
      next_since: last?.at ?? from ?? context.clock.now(),
      after_id: last?.id ?? Math.max(after_id ?? 0, head_id),
      more: found.length > limit,
    };
  },
};
