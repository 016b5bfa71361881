import type * as z from "zod";
import { cutParts } from "../kernel/page.ts";
import type { repositories } from "./contract.ts";
import * as sql from "./queries.ts";
import { dollars, type Finding, findRepository } from "./repositories.ts";
import { APPLICATIONS_SHOWN_MAX, COMMITS_SHOWN_MAX, MEMBERS_SHOWN_MAX } from "./rules.ts";

const LIMITS = {
  members: MEMBERS_SHOWN_MAX,
  commits: COMMITS_SHOWN_MAX,
  applications: APPLICATIONS_SHOWN_MAX,
};

type View = z.output<typeof repositories.get.output>;

/** One repository with what is newest in it, in one query each. Rejects with `repo_not_found`. */
export async function viewRepository({ read: db, reject }: Finding, id: number): Promise<View> {
  const repo = await findRepository({ read: db, reject }, id);
  const [members, commits, applications] = await Promise.all([
    sql.newestMembers.all(db, { repository: id, limit: LIMITS.members + 1 }),
    sql.newestCommits.all(db, { repository: id, limit: LIMITS.commits + 1 }),
    sql.newestApplications.all(db, { repository: id, limit: LIMITS.applications + 1 }),
  ]);
  const parts = {
    members: members.map((member) => ({ ...member, verified: false as const })),
    commits: commits.map(({ agent_id, handle, ...commit }) => ({
      ...commit,
      agent: { agent_id, handle },
      verified: false as const,
    })),
    applications: applications.map(({ agent_id, handle, valuation_usd_micro, ...rest }) => ({
      ...rest,
      valuation_usd: dollars(valuation_usd_micro),
      valuation_verified: false as const,
      agent: { agent_id, handle },
      verified: false as const,
    })),
  };
  return { repo, ...cutParts(parts, LIMITS) };
}
