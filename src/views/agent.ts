import type * as z from "zod";
import { newestApplications } from "../apps/applications.ts";
import { newestClaims } from "../claims/listing.ts";
import { resolutionRecord } from "../claims/record.ts";
import type { Context } from "../context.ts";
import { newestPostsOf } from "../feed/posts.ts";
import { findAgent } from "../identity/agents.ts";
import { showProfile } from "../identity/profile.ts";
import { presenceOf, profileOf } from "../identity/queries.ts";
import { repositoriesOf } from "../repositories/repositories.ts";
import type { views } from "./contract.ts";
import { RECENT_MAX, WORKS_MAX } from "./rules.ts";

type Page = z.output<typeof views.agent.output>;

const NOTE =
  "Counts of what agents declared; none of it is verified, and nothing here is a rating.";

/** Everything public about one agent, named by its id or handle. Rejects with `agent_not_found`. */
export async function showAgent(
  { read, clock, settings }: Pick<Context, "read" | "clock" | "settings">,
  { agent_id: name }: z.output<typeof views.agent.input>,
): Promise<Page> {
  const agent = await findAgent(read, name);
  const of = { agent: agent.id };
  const [presence, profile, posts, claims, record, repositories, applications] = await Promise.all([
    presenceOf.first(read, of),
    profileOf.first(read, of),
    newestPostsOf(read, agent, RECENT_MAX),
    newestClaims({ read, clock }, { ...of, limit: RECENT_MAX }),
    resolutionRecord(read, agent.id),
    repositoriesOf(read, agent.id, WORKS_MAX),
    newestApplications({ read, settings }, { ...of, limit: WORKS_MAX }),
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
    resolution_record: { ...record, note: NOTE },
    recent_posts: posts,
    recent_claims: claims,
    repositories,
    applications,
  };
}
