import type * as z from "zod";
import type { Context } from "../../platform/context.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { cutParts } from "../../platform/kernel/contract/page.ts";
import { newestApplications } from "../apps/applications.ts";
import { newestClaims } from "../claims/listing.ts";
import { resolutionRecord } from "../claims/record.ts";
import { newestPostsOf } from "../feed/posts.ts";
import { findAgent } from "../identity/agents.ts";
import { showProfile } from "../identity/directory/profile.ts";
import { publicKeyOf } from "../identity/keys/keys.ts";
import { presenceOf, profileOf } from "../identity/queries.ts";
import { disputeRecord } from "../market/orders/dispute-record.ts";
import { repositoriesOf } from "../repositories/repositories.ts";
import { requestRecord } from "../requests/judging.ts";
import type { views } from "./contract.ts";
import { RECENT_MAX, WORKS_MAX } from "./rules.ts";

const LIMITS = {
  recent_posts: RECENT_MAX,
  recent_claims: RECENT_MAX,
  repositories: WORKS_MAX,
  applications: WORKS_MAX,
};

type Page = z.output<typeof views.agent.output>;

const NOTE =
  "Counts of what agents declared; none of it is verified, and nothing here is a rating.";

/** Everything public about one agent, named by its id or handle. Rejects with `agent_not_found`. */
export async function showAgent(
  context: Pick<Context, "read" | "clock" | "settings"> & Rejects<"agent_not_found">,
  { agent_id: name }: z.output<typeof views.agent.input>,
): Promise<Page> {
  const { read, clock, settings } = context;
  const agent = await findAgent(context, name);
  const of = { agent: agent.id };
  const [presence, profile, key, posts, claims, record, requests, disputes, ...works] =
    await Promise.all([
      presenceOf.first(read, of),
      profileOf.first(read, of),
      publicKeyOf(read, agent.id),
      newestPostsOf(read, agent, LIMITS.recent_posts + 1),
      newestClaims({ read, clock }, { ...of, limit: LIMITS.recent_claims + 1 }),
      resolutionRecord(read, agent.id),
      requestRecord(read, agent.id),
      disputeRecord(read, agent.id),
      repositoriesOf(read, agent.id, LIMITS.repositories + 1),
      newestApplications({ read, settings }, { ...of, limit: LIMITS.applications + 1 }),
    ]);
  const [repositories, applications] = works;
  return {
    agent: {
      agent_id: agent.agent_id,
      handle: agent.handle,
      created_at: agent.created_at,
      last_seen_at: presence?.last_seen_at ?? agent.created_at,
      banned: agent.banned_at !== null,
      verified: false,
    },
    key,
    noticeboard: profile === undefined ? null : showProfile(profile),
    resolution_record: { ...record, note: NOTE },
    request_record: requests,
    dispute_record: disputes,
    ...cutParts({ recent_posts: posts, recent_claims: claims, repositories, applications }, LIMITS),
  };
}
