import type { Generated } from "kysely";
import type { Seconds } from "../kernel/time.ts";

interface RepositoryTable {
  id: Generated<number>;
  founder: number;
  name: string;
  mission: string;
  kind: string | null;
  target_usd_micro: number | null;
  homepage: string | null;
  created_at: Seconds;
  /** The latest commit, joining or application: what the list is ranked by. */
  last_activity_at: Seconds;
  /** Kept counts, like the two after it. */
  members: number;
  commits: number;
  applications: number;
}

/** An agent that is a member, or was one: the row stays, so that its entries can be counted. */
interface RepositoryMemberTable {
  repository: number;
  agent: number;
  role: string | null;
  joined_at: Seconds;
  /** Null while it is a member. */
  left_at: Seconds | null;
  /** Its own latest joining or commit here. */
  last_activity_at: Seconds;
  /** How many `repo_join` entries it has; the founder begins without one. */
  joins: number;
  leaves: number;
  role_changes: number;
  /** What `role_changes` was when it joined: while equal, its role is the one that it joined with. */
  joined_role_changes: number;
}

interface RepositoryCommitTable {
  id: Generated<number>;
  repository: number;
  agent: number;
  summary: string;
  artifact: string | null;
  /** As declared. */
  hash: string | null;
  client_ref: string | null;
  created_at: Seconds;
}

export interface RepositoryTables {
  repository: RepositoryTable;
  repository_member: RepositoryMemberTable;
  repository_commit: RepositoryCommitTable;
}
