import { local } from "../../platform/ledger/rows/columns.ts";
import { type FoldOf, type RowFold, watchedRows } from "../../platform/ledger/rows/fold.ts";
import type { Removing } from "../../platform/ledger/rows/recorded.ts";
import { type Additions, recounted } from "../../platform/ledger/rows/recounted.ts";
import {
  agentIn,
  columns,
  countIn,
  type Entry,
  hashIn,
  type Made,
  near,
  rowName,
} from "../../platform/ledger/rows/told.ts";
import { sha256Hex } from "../../platform/ledger/sha256.ts";
import { fileFolds, fileTables } from "./files/folds.ts";
import { FOUNDER_ROLE } from "./rules.ts";

/** The tables whose rows no single entry makes. */
export const otherTables = {
  ...fileTables,
  repository_commit_of_agent: local("agent", "id"),
} as const;

const COUNTED = { named: "repo", field: "repo_id", begin: { members: 0, commits: 0 } };

/** What each kind adds to the counts of its repository. */
const COUNTS: Readonly<Record<string, Additions>> = {
  repo: { members: 1 },
  repo_join: { members: 1 },
  repo_leave: { members: -1 },
  repo_commit: { commits: 1 },
};

/** Repositories, with the applications of each: its row counts those that have their places. */
function repositories(recorded: RowFold): RowFold {
  const applied: RowFold = {
    ...recorded,
    add(entry, books) {
      recorded.add?.(entry, books);
      const { kind, at, body } = entry;
      if (kind !== "app" || body["repo_id"] === undefined || Number.isNaN(at)) return;
      const name = rowName("repo", body["repo_id"]);
      const before = recorded.row?.(name, books);
      if (before === undefined) return;
      const applications = Number(before["applications"]) + 1;
      recorded.made(books).set(name, { ...before, applications, last_activity_at: near(at) });
    },
  };
  return recounted(applied, COUNTED, ({ kind }) => COUNTS[kind] ?? null);
}

/** Members, and who was one; the founder is one without joining. */
function members(removing: Removing): RowFold {
  const named = (repo: unknown, agent: unknown) => `repo ${repo} ${agent}`;
  const { rows, watch } = watchedRows();
  const removed = removing("repository_member", rows, (row) =>
    named(row["repository"], row["agent"]),
  );
  return {
    table: "repository_member",
    stands: "at_commit",
    stored: (row, agentOf) => [
      named(row["repository"], agentIn(row, "agent", agentOf)),
      {
        role: hashIn(row, "role"),
        ...columns(row, "joined_at", "left_at", "last_activity_at", "joins", "leaves"),
        ...columns(row, "role_changes", "joined_role_changes"),
      },
    ],
    add(entry) {
      removed.add(entry);
      const name = named(entry.body["repo_id"], entry.body["agent"]);
      const before = rows.get(name) ?? NO_MEMBER;
      const after = MEMBER[entry.kind]?.(entry, before);
      if (after === undefined) return;
      if ("role" in after) removed.renewed(name);
      rows.set(name, { ...before, ...after });
    },
    made: () => rows,
    row: (name) => rows.get(name),
    keyIn(name) {
      const [, repository, agent = ""] = name.split(" ");
      return { repository: Number(repository), agent };
    },
    forms: { role: "text" },
    watch,
  };
}

const NO_MEMBER: Made = { joins: 0, leaves: 0, role_changes: 0, joined_role_changes: 0 };

const joined = (at: number): Made => ({
  joined_at: near(at),
  left_at: null,
  last_activity_at: near(at),
});

const MEMBER: Readonly<Record<string, (entry: Entry, before: Made) => Made>> = {
  repo: ({ at }) => ({ ...joined(at), role: sha256Hex(FOUNDER_ROLE) }),
  repo_join: (entry, { role_changes }) => ({
    ...joined(entry.at),
    role: entry.body["role_sha256"],
    joins: countIn(entry),
    joined_role_changes: role_changes,
  }),
  repo_role: (entry) => ({ role: entry.body["role_sha256"], role_changes: countIn(entry) }),
  repo_leave: (entry) => ({ left_at: near(entry.at), leaves: countIn(entry) }),
  repo_commit: ({ at }) => ({ last_activity_at: near(at) }),
};

/** The tables of repositories that entries of several kinds make, and their files. */
export const repositoryFolds = (foldOf: FoldOf, removing: Removing): readonly RowFold[] => [
  repositories(foldOf("repository")),
  members(removing),
  ...fileFolds(),
];
