import {
  agent,
  begins,
  count,
  drawn,
  made,
  sealed,
  text,
  time,
  unsealed,
  unset,
} from "../../platform/ledger/rows/columns.ts";
import {
  changes,
  makes,
  OTHER,
  ownStatements,
  plus,
  rowsOf,
  table,
} from "../../platform/ledger/rows/effects.ts";
import { near } from "../../platform/ledger/rows/told.ts";
import * as entries from "./entries.ts";

/** The founder is the first member. Applications are of another domain, so a fold counts them. */
const repositories = table(
  "repository",
  {
    id: drawn("repo_id"),
    founder: agent("agent"),
    name: text("name_sha256"),
    mission: text("mission_sha256"),
    kind: text("kind_sha256"),
    target_usd_micro: sealed("target_usd_micro"),
    homepage: text("homepage_sha256"),
    created_at: time,
    last_activity_at: time,
    members: begins(1),
    commits: begins(0),
    applications: begins(0),
  },
  { named: "repo" },
);

const members = table(
  "repository_member",
  {
    repository: sealed("repo_id"),
    agent: agent("agent"),
    role: text("role_sha256"),
    joined_at: time,
    left_at: unset,
    last_activity_at: time,
    joins: begins(0),
    leaves: begins(0),
    role_changes: begins(0),
    joined_role_changes: begins(0),
  },
  { key: ["repository", "agent"] },
);

const commits = table(
  "repository_commit",
  {
    id: drawn("commit_id"),
    repository: sealed("repo_id"),
    agent: agent("agent"),
    summary: text("summary_sha256"),
    artifact: text("artifact_sha256"),
    hash: sealed("hash"),
    client_ref: unsealed("private"),
    created_at: time,
    tree_sha256: sealed("tree_sha256"),
    parent: sealed("parent"),
    git_sha1: unsealed("local"),
    git_number: unsealed("local"),
    pack_start: unsealed("local"),
    pack_bytes: unsealed("local"),
    file_bytes: unsealed("local"),
  },
  { named: "commit" },
);

const writers = table(
  "repository_writer",
  {
    repository: sealed("repo_id"),
    agent: agent("writer"),
    named_at: made(
      "timed",
      ({ named_at }) => named_at,
      ({ at, body }) => (body["allowed"] === 1 ? near(at) : null),
    ),
    changes: count,
  },
  { key: ["repository", "agent"], named: "writer" },
);

/** What each kind of entry does to rows; members are folded of several kinds (`folds.ts`). */
export const rows = rowsOf(entries, {
  repo: [makes(repositories), makes(members)],
  repoJoin: ownStatements("the statement says whether the agent is a member, and joins it again", [
    changes(repositories, { members: plus(1), last_activity_at: time }),
  ]),
  repoRole: [
    changes(members, { role: text("role_sha256"), role_changes: count }, { only: { role: OTHER } }),
  ],
  repoLeave: [
    changes(members, { left_at: time, leaves: count }, { only: { left_at: null } }),
    changes(repositories, { members: plus(-1) }),
  ],
  repoCommit: ownStatements("its statements travel together", [
    makes(commits),
    changes(repositories, { commits: plus(1), last_activity_at: time }),
  ]),
  repoWriter: [makes(writers, { again: true })],
  filePurged: ownStatements("the content, and the sentence in its place, are of no entry"),
});
