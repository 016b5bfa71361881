import { REMOVED_TEXT } from "../../platform/kernel/text.ts";
import { type Around, type Removable, removable } from "../removals/removable.ts";
import * as entries from "./entries.ts";
import { renaming } from "./files/history.ts";

/** Git's names of a commit and of all after it follow from its summary. */
const around: Around = (read, { parts, to }, write) =>
  renaming(read, { commit_id: Number(parts["commit_id"]), summary: to["summary"] ?? "" }, write);

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
    around,
  }),
} as const satisfies Readonly<Record<string, Removable>>;
