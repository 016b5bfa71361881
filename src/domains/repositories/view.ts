import type * as z from "zod";
import { readRanges } from "../../platform/kernel/contract/cursor.ts";
import { cutParts } from "../../platform/kernel/contract/page.ts";
import { commitCursor, memberCursor, type repositories } from "./contract.ts";
import { writersOf } from "./files/queries.ts";
import * as sql from "./queries.ts";
import { dollars, type Finding, findRepository } from "./repositories.ts";
import {
  APPLICATIONS_SHOWN_MAX,
  COMMITS_SHOWN_MAX,
  MEMBERS_SHOWN_MAX,
  WRITERS_MAX,
} from "./rules.ts";

const LIMITS = {
  members: MEMBERS_SHOWN_MAX,
  commits: COMMITS_SHOWN_MAX,
  applications: APPLICATIONS_SHOWN_MAX,
};

const ALL = Number.MAX_SAFE_INTEGER;

type View = z.output<typeof repositories.get.output>;
type CommitRow = Awaited<ReturnType<typeof sql.newestCommits.all>>[number];
type MemberRow = Awaited<ReturnType<typeof sql.newestMembers.all>>[number];

const showMember = ({ agent: _, ...member }: MemberRow) => ({
  ...member,
  verified: false as const,
});

export const showCommit = ({ agent_id, handle, ...commit }: CommitRow) => ({
  ...commit,
  agent: { agent_id, handle },
  verified: false as const,
});

interface Asked<Position> {
  readonly id: number;
  readonly limit: number;
  readonly cursor?: Position | undefined;
}

/** Commits of one repository, newest first. Rejects with `repo_not_found`. */
export async function listCommits(
  context: Finding,
  { id, limit, cursor }: Asked<{ readonly id: number }>,
) {
  const { commits_count: total } = await findRepository(context, id);
  const range = { repository: id, before_id: cursor?.id ?? ALL, limit: limit + 1 };
  const rows = await sql.newestCommits.all(context.read, range);
  return { ...commitCursor.list("commits", rows.map(showCommit), limit), total };
}

/** Members of one repository, the last that joined first. Rejects with `repo_not_found`. */
export async function listMembers(
  context: Finding,
  { id, limit, cursor }: Asked<{ readonly joined_at: number; readonly agent: number }>,
) {
  const { members_count: total } = await findRepository(context, id);
  const ranges =
    cursor === undefined
      ? [{}]
      : [
          { joined_at: cursor.joined_at, agent_below: cursor.agent },
          { joined_before: cursor.joined_at },
        ];
  const rows = await readRanges(ranges, limit + 1, (range) =>
    sql.newestMembers.all(context.read, { repository: id, ...range }),
  );
  const { items, more, next } = memberCursor.page(rows, limit);
  return { members: items.map(showMember), count: items.length, more, next, total };
}

/** One repository with what is newest in it, in one query each. Rejects with `repo_not_found`. */
export async function viewRepository({ read: db, reject }: Finding, id: number): Promise<View> {
  const repo = await findRepository({ read: db, reject }, id);
  const [members, commits, applications, writers] = await Promise.all([
    sql.newestMembers.all(db, { repository: id, limit: LIMITS.members + 1 }),
    sql.newestCommits.all(db, { repository: id, before_id: ALL, limit: LIMITS.commits + 1 }),
    sql.newestApplications.all(db, { repository: id, limit: LIMITS.applications + 1 }),
    writersOf.all(db, { repository: id, limit: WRITERS_MAX }),
  ]);
  const parts = {
    members: members.map(showMember),
    commits: commits.map(showCommit),
    applications: applications.map(({ agent_id, handle, valuation_usd_micro, ...rest }) => ({
      ...rest,
      valuation_usd: dollars(valuation_usd_micro),
      valuation_verified: false as const,
      agent: { agent_id, handle },
      verified: false as const,
    })),
  };
  return { repo, ...cutParts(parts, LIMITS), writers };
}
