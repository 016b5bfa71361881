import { type Kysely, sql } from "kysely";
import { insertNumbered, prepared } from "../../platform/db/prepared.ts";
import { changing, type Lists, rowsIn } from "../../platform/db/rows.ts";
import type { Tables } from "../../platform/db/tables.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { Tree } from "./files/committing.ts";

const withFounder = (db: Kysely<Tables>) =>
  db
    .selectFrom("repository as r")
    .innerJoin("agent as a", "a.id", "r.founder")
    .select([
      "r.id",
      "r.name",
      "r.mission",
      "r.kind",
      "r.target_usd_micro",
      "r.homepage",
      "r.created_at",
      "r.last_activity_at",
      "r.members",
      "r.commits",
      "r.applications",
      "a.agent_id",
      "a.handle",
    ]);

export const repository = prepared((db, p: { id: number }) =>
  withFounder(db).where("r.id", "=", p.id),
);

export interface ActivityRange {
  /** Those of one second with a smaller id. */
  readonly at?: Seconds | undefined;
  readonly id?: number | undefined;
  readonly before?: Seconds | undefined;
}

export const mostActive = prepared((db, p: ActivityRange & { readonly limit: number }) =>
  withFounder(db)
    .$if(p.at !== undefined, (all) => all.where("r.last_activity_at", "=", p.at ?? 0))
    .$if(p.id !== undefined, (all) => all.where("r.id", "<", p.id ?? 0))
    .$if(p.before !== undefined, (all) => all.where("r.last_activity_at", "<", p.before ?? 0))
    .orderBy("r.last_activity_at", "desc")
    .orderBy("r.id", "desc")
    .limit(p.limit),
);

/** Those that the agent belongs to or has founded, the one that it did most recently something in first. */
export const repositoriesOf = prepared((db, p: { agent: number; limit: number }) =>
  withFounder(db)
    .innerJoin("repository_member as m", "m.repository", "r.id")
    .where("m.agent", "=", p.agent)
    .where((row) =>
      row.or([row("m.left_at", "is", null), row("r.founder", "=", row.ref("m.agent"))]),
    )
    .orderBy("m.last_activity_at", "desc")
    .orderBy("m.repository", "desc")
    .limit(p.limit),
);

interface Activity {
  readonly id: number;
  readonly at: Seconds;
  readonly members: number;
  readonly commits: number;
  readonly applications: number;
}

/** Adds to the counts of the repository, which is active now. */
export const recordActivity = prepared((db, p: Activity) =>
  db
    .updateTable("repository")
    .set({
      members: sql`members + ${p.members}`,
      commits: sql`commits + ${p.commits}`,
      applications: sql`applications + ${p.applications}`,
      last_activity_at: p.at,
    })
    .where("id", "=", p.id),
);

const ACTIVITY = {
  id: "bigint",
  at: "bigint",
  members: "bigint",
  commits: "bigint",
  applications: "bigint",
} as const satisfies Record<keyof Activity, string>;

/** The same for each of many repositories. */
export const recordActivities = changing(
  ACTIVITY,
  recordActivity,
  prepared((db, lists: Lists<typeof ACTIVITY>) =>
    db
      .updateTable("repository as r")
      .from(rowsIn<Activity>(ACTIVITY, lists).as("a"))
      .set({
        members: sql`r.members + a.members`,
        commits: sql`r.commits + a.commits`,
        applications: sql`r.applications + a.applications`,
        last_activity_at: sql`a.at`,
      })
      .whereRef("r.id", "=", "a.id"),
  ),
);

interface MemberRange {
  readonly repository: number;
  /** Of one second those before an agent's row, or all of earlier seconds. */
  readonly joined_at?: Seconds;
  readonly agent_below?: number;
  readonly joined_before?: Seconds;
  readonly limit: number;
}

/** The last that joined first. */
export const newestMembers = prepared(
  (db, { repository, joined_at, agent_below, joined_before, limit }: MemberRange) =>
    db
      .selectFrom("repository_member as m")
      .innerJoin("agent as a", "a.id", "m.agent")
      .select(["a.agent_id", "a.handle", "m.role", "m.joined_at", "m.agent"])
      .where("m.repository", "=", repository)
      .where("m.left_at", "is", null)
      .$if(joined_at !== undefined, (all) => all.where("m.joined_at", "=", joined_at ?? 0))
      .$if(agent_below !== undefined, (all) => all.where("m.agent", "<", agent_below ?? 0))
      .$if(joined_before !== undefined, (all) => all.where("m.joined_at", "<", joined_before ?? 0))
      .orderBy("m.joined_at", "desc")
      .orderBy("m.agent", "desc")
      .limit(limit),
);

interface Key {
  readonly repository: number;
  readonly agent: number;
}

/** One row where there is such a repository; `joined_at` is null where the agent was never a member. */
export const standing = prepared((db, p: Key) =>
  db
    .selectFrom("repository as r")
    .leftJoin("repository_member as m", (join) =>
      join.onRef("m.repository", "=", "r.id").on("m.agent", "=", p.agent),
    )
    .select(["m.role", "m.joined_at", "m.left_at", "m.joins", "m.leaves", "m.role_changes"])
    .where("r.id", "=", p.repository),
);

/** No row comes back when the agent is a member already: the insert is the check. */
export const join = prepared((db, p: Key & { role: string | null; at: Seconds }) =>
  db
    .insertInto("repository_member")
    .values(newMember(p, 1))
    .onConflict((conflict) =>
      conflict
        .columns(["repository", "agent"])
        .doUpdateSet((set) => ({
          role: set.ref("excluded.role"),
          joined_at: set.ref("excluded.joined_at"),
          left_at: null,
          last_activity_at: set.ref("excluded.last_activity_at"),
          joins: sql`repository_member.joins + 1`,
          joined_role_changes: set.ref("repository_member.role_changes"),
        }))
        .where("repository_member.left_at", "is not", null),
    )
    .returning("joins"),
);

const newMember = (p: Key & { role: string | null; at: Seconds }, joins: number) => ({
  repository: p.repository,
  agent: p.agent,
  role: p.role,
  joined_at: p.at,
  left_at: null,
  last_activity_at: p.at,
  joins,
  leaves: 0,
  role_changes: 0,
  joined_role_changes: 0,
});

/** Changes no row when the agent is no member, nor when this second is recorded already. */
export const recordMember = prepared((db, p: Key & { at: Seconds }) =>
  db
    .updateTable("repository_member")
    .set({ last_activity_at: p.at })
    .where("repository", "=", p.repository)
    .where("agent", "=", p.agent)
    .where("left_at", "is", null)
    .where("last_activity_at", "<>", p.at),
);

interface NewCommit extends Key, Partial<Tree> {
  readonly summary: string;
  readonly artifact: string | null;
  readonly hash: string | null;
  readonly client_ref: string | null;
  readonly created_at: Seconds;
}

export const insertCommit = insertNumbered("repository_commit", (p: NewCommit) => p);

/** Locks a repository, so that one write after another changes its files and its writers. */
export const lockRepository = prepared((db, p: { id: number }) =>
  db.updateTable("repository").set({ members: sql`members` }).where("id", "=", p.id),
);

const shownCommits = (db: Kysely<Tables>) =>
  db
    .selectFrom("repository_commit as c")
    .innerJoin("agent as a", "a.id", "c.agent")
    .select(["c.id", "c.repository as repo_id", "c.summary", "c.artifact", "c.hash"])
    .select(["c.created_at", "c.tree_sha256", "c.parent", "c.git_sha1 as git_commit"])
    .select(["a.agent_id", "a.handle"]);

export const newestCommits = prepared(
  (db, p: { repository: number; before_id: number; limit: number }) =>
    shownCommits(db)
      .where("c.repository", "=", p.repository)
      .where("c.id", "<", p.before_id)
      .orderBy("c.id", "desc")
      .limit(p.limit),
);

export const commitById = prepared((db, p: { id: number }) =>
  shownCommits(db).where("c.id", "=", p.id),
);

/** Without those that the operator has hidden. */
export const newestApplications = prepared((db, p: { repository: number; limit: number }) =>
  db
    .selectFrom("app as p")
    .innerJoin("agent as a", "a.id", "p.agent")
    .select([
      "p.id",
      "p.slug",
      "p.name",
      "p.kind",
      "p.valuation_usd_micro",
      "p.created_at",
      "a.agent_id",
      "a.handle",
    ])
    .where("p.repository", "=", p.repository)
    .where("p.hidden_at", "is", null)
    .orderBy("p.id", "desc")
    .limit(p.limit),
);

/** Where a commit stands in the history that git sees; no number without files. */
export const placeInGit = prepared((db, p: { id: number }) =>
  db.selectFrom("repository_commit").select(["repository", "git_number"]).where("id", "=", p.id),
);
