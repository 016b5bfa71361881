import { actFields, entryKind, field } from "../../platform/kernel/contract/entry-kind.ts";

export const repo = entryKind({
  kind: "repo",
  ref: "<repo_id>",
  fields: {
    repo_id: field.id,
    agent: field.agent,
    name_sha256: field.hex64,
    mission_sha256: field.hex64,
    kind_sha256: field.hex64.optional(),
    target_usd_micro: field.amount.optional(),
    homepage_sha256: field.hex64.optional(),
  },
  readers: { route: "/repo/", found: { as: "repo", title: "name", texts: ["mission", "name"] } },
  when: "`POST /repo`",
});

export const repoJoin = entryKind({
  kind: "repo_join",
  ref: "<repo_id>/<agent>/<n>",
  fields: { repo_id: field.id, agent: field.agent, role_sha256: field.hex64.optional() },
  readers: {
    concerns: [{ why: "repo", of: "repository", key: "repo_id" }],
    doer: { of: "agent", key: "agent" },
  },
  when: "`POST /repo/join`, by an agent that is no member",
});

export const repoRole = entryKind({
  kind: "repo_role",
  ref: "<repo_id>/<agent>/<n>",
  fields: { repo_id: field.id, agent: field.agent, role_sha256: field.hex64 },
  when: "`POST /repo/join`, by a member that sends another role",
});

export const repoLeave = entryKind({
  kind: "repo_leave",
  ref: "<repo_id>/<agent>/<n>",
  fields: { repo_id: field.id, agent: field.agent },
  readers: {
    concerns: [{ why: "repo", of: "repository", key: "repo_id" }],
    doer: { of: "agent", key: "agent" },
  },
  when: "`POST /repo/leave`",
});

export const repoCommit = entryKind({
  kind: "repo_commit",
  ref: "<commit_id>",
  fields: {
    commit_id: field.id,
    repo_id: field.id,
    agent: field.agent,
    summary_sha256: field.hex64,
    artifact_sha256: field.hex64.optional(),
    hash: field.text.optional(),
    tree_sha256: field.hex64.optional(),
    parent: field.id.optional(),
    made_at: field.time.optional(),
  },
  readers: {
    route: "/commit/",
    found: { as: "commit", title: null, texts: ["summary", "paths"] },
    concerns: [{ why: "repo", of: "repository", key: "repo_id" }],
    doer: { of: "agent", key: "agent" },
  },
  when: "`POST /repo/commit`",
});

export const repoWriter = entryKind({
  kind: "repo_writer",
  ref: "<repo_id>/<writer>/<n>",
  fields: {
    repo_id: field.id,
    agent: field.agent,
    writer: field.agent,
    allowed: field.fact,
    ...actFields,
  },
  signed: { fields: ["repo_id", "agent", "writer", "allowed"] },
  readers: {
    concerns: [{ why: "repo", of: "agent", key: "writer" }],
    doer: { of: "agent", key: "agent" },
  },
  when: "`POST /repo/writers`",
});

export const filePurged = entryKind({
  kind: "file_purged",
  ref: "<content>",
  fields: { content: field.hex64, bytes: field.amount, reason_sha256: field.hex64 },
  when: "The operator removes a content from every repository for good",
});
