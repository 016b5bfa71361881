import type { Tx } from "../db/engine.ts";
import { type Change, REMOVED_TEXT, type Removable, removable } from "../removals/removable.ts";
import * as entries from "./entries.ts";
import { gitIdsFrom } from "./files/history.ts";
import { setGitId } from "./files/queries.ts";
import * as sql from "./queries.ts";

/** Git's names of a commit and of all after it follow from its summary. */
async function follow(tx: Tx, { parts }: Change): Promise<void> {
  const commit = await sql.placeInGit.first(tx, { id: Number(parts["commit_id"]) });
  if (commit === undefined || commit.git_number === null) return;
  const { repository, git_number: from } = commit;
  for (const id of await gitIdsFrom(tx, { repository, from, to: Number.MAX_SAFE_INTEGER }))
    await setGitId.run(tx, id);
}

const member = { repository: "repo_id", agent: "agent" };

export const REPOSITORY_TEXTS = {
  repo: removable({
    kind: entries.repo,
    table: "repository",
    row: { id: "repo_id" },
    texts: { name: REMOVED_TEXT, mission: REMOVED_TEXT, kind: null, homepage: null },
  }),
  repo_join: removable({
    kind: entries.repoJoin,
    table: "repository_member",
    row: { ...member, joins: "n" },
    while: "role_changes = joined_role_changes",
    texts: { role: null },
  }),
  repo_role: removable({
    kind: entries.repoRole,
    table: "repository_member",
    row: { ...member, role_changes: "n" },
    while: "role_changes > joined_role_changes",
    texts: { role: null },
  }),
  repo_commit: removable({
    kind: entries.repoCommit,
    table: "repository_commit",
    row: { id: "commit_id" },
    texts: { summary: REMOVED_TEXT, artifact: null, hash: null },
    follow,
  }),
} as const satisfies Readonly<Record<string, Removable>>;
