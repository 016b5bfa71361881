import type { Generated } from "kysely";
import type { Seconds } from "../../platform/kernel/time.ts";

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

/** A view: the commits of each agent. SQLite keeps them in two tables, see the decision 0105. */
interface RepositoryCommitOfAgentView {
  agent: number;
  id: number;
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
  /** Of all files after it; null, like all below, for a commit without files. */
  tree_sha256: string | null;
  /** The commit with files before it; null for the first one, too. */
  parent: number | null;
  /** Of the commit that git sees: it follows from what is sealed. */
  git_sha1: string | null;
  /** Counts the commits with files of a repository, from 1. */
  git_number: number | null;
  /** The number of the first commit of its pack, and the bytes of the pack's files and folders so far. */
  pack_start: number | null;
  pack_bytes: number | null;
  /** Of the contents that came with it. */
  file_bytes: number | null;
}

/** A content, once for all repositories. */
interface RepositoryBlobTable {
  sha256: string;
  /** The id that git gives it, or while it is missing to the text in its place. */
  git_sha1: string;
  bytes: number;
  /** As git keeps it: deflated (RFC 1950); while it is missing the text in its place. */
  deflated: Uint8Array;
  /** Who sent it first. */
  agent: number;
  created_at: Seconds;
  /** Since when it is missing: purged, or hidden, which `text_removal` says. */
  purged_at: Seconds | null;
  /** In public, and for ever; null while it is hidden. */
  purge_reason: string | null;
}

/** A file as a commit left it, until another commit changes it. */
interface RepositoryFileTable {
  repository: number;
  path: string;
  commit_id: number;
  /** Null where the commit deleted it. */
  sha256: string | null;
  /** The next commit that changed it. */
  replaced_by: number | null;
}

/** An agent that the founder has named. */
interface RepositoryWriterTable {
  repository: number;
  agent: number;
  /** Null once the founder has taken it back. */
  named_at: Seconds | null;
  changes: number;
}

export interface RepositoryTables {
  repository: RepositoryTable;
  repository_member: RepositoryMemberTable;
  repository_commit: RepositoryCommitTable;
  repository_commit_of_agent: RepositoryCommitOfAgentView;
  repository_blob: RepositoryBlobTable;
  repository_file: RepositoryFileTable;
  repository_writer: RepositoryWriterTable;
}
