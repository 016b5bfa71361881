import { sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import { isOneOf } from "../../../platform/db/rows.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";

const PLACE_IN_GIT = [
  ...(["id", "git_sha1", "git_number", "tree_sha256"] as const),
  ...(["pack_start", "pack_bytes"] as const),
] as const;

/** The newest commit with files. */
export const head = prepared((db, p: { repository: number }) =>
  db
    .selectFrom("repository_commit")
    .select(PLACE_IN_GIT)
    .where("repository", "=", p.repository)
    .where("git_number", "is not", null)
    .orderBy("git_number", "desc")
    .limit(1),
);

/** A commit of a repository. */
export const commitOf = prepared((db, p: { repository: number; id: number }) =>
  db
    .selectFrom("repository_commit")
    .select(["id", "git_number", "git_sha1", "tree_sha256"])
    .where("id", "=", p.id)
    .where("repository", "=", p.repository),
);

/** Some files of a repository as they are now, in the order of paths. */
export const filesAfter = prepared((db, p: { repository: number; after: string; limit: number }) =>
  db
    .selectFrom("repository_file as f")
    .innerJoin("repository_blob as b", "b.sha256", "f.sha256")
    .select(["f.path", "f.commit_id", "b.sha256", "b.git_sha1", "b.bytes"])
    .where("f.repository", "=", p.repository)
    .where("f.path", ">", p.after)
    .where("f.sha256", "is not", null)
    .where("f.replaced_by", "is", null)
    .orderBy("f.path")
    .limit(p.limit),
);

/** Where a walk over all states of all paths goes on. */
export interface AfterState {
  readonly path: string;
  readonly commit_id: number;
}

/** The states of paths, whenever they were, in the order of paths and commits: each page takes the same time. */
export const statesAfter = prepared((db, p: AfterState & { repository: number; limit: number }) =>
  db
    .selectFrom("repository_file as f")
    .leftJoin("repository_blob as b", "b.sha256", "f.sha256")
    .select(["f.path", "f.commit_id", "f.replaced_by", "b.sha256", "b.git_sha1", "b.bytes"])
    .where("f.repository", "=", p.repository)
    .where(sql<boolean>`(f.path, f.commit_id) > (${p.path}, ${p.commit_id})`)
    .orderBy("f.path")
    .orderBy("f.commit_id")
    .limit(p.limit),
);

/** The state of one path as a commit left it, with its content; no row comes back where there was none. */
export const fileAt = prepared((db, p: { repository: number; path: string; at: number }) =>
  db
    .selectFrom("repository_file as f")
    .leftJoin("repository_blob as b", "b.sha256", "f.sha256")
    .select(["f.path", "f.commit_id", "f.sha256", "b.bytes", "b.deflated", "b.purged_at"])
    .where("f.repository", "=", p.repository)
    .where("f.path", "=", p.path)
    .where("f.commit_id", "<=", p.at)
    .orderBy("f.commit_id", "desc")
    .limit(1),
);

/** The last change of a path; without a hash it was deleted. */
export const lastChange = prepared((db, p: { repository: number; path: string }) =>
  db
    .selectFrom("repository_file")
    .select(["commit_id", "sha256"])
    .where("repository", "=", p.repository)
    .where("path", "=", p.path)
    .orderBy("commit_id", "desc")
    .limit(1),
);

/** The files that a commit changed. */
export const changesOf = prepared((db, p: { commit_id: number }) =>
  db
    .selectFrom("repository_file as f")
    .leftJoin("repository_blob as b", "b.sha256", "f.sha256")
    .select(["f.path", "f.sha256", "b.bytes"])
    .where("f.commit_id", "=", p.commit_id)
    .orderBy("f.path"),
);

/** The paths that commits changed; `ids` is a list in JSON. */
export const pathsOf = prepared((db, p: { ids: string }) =>
  db
    .selectFrom("repository_file")
    .select(["commit_id", "path"])
    .where(isOneOf(db, "commit_id", "bigint", p.ids))
    .orderBy("commit_id")
    .orderBy("path"),
);

/** The small contents that a commit brought, by their paths. */
export const smallContents = prepared(
  (db, p: { commit_id: number; bytes_max: number; limit: number }) =>
    db
      .selectFrom("repository_file as f")
      .innerJoin("repository_blob as b", "b.sha256", "f.sha256")
      .select("b.deflated")
      .where("f.commit_id", "=", p.commit_id)
      .where("b.purged_at", "is", null)
      .where("b.bytes", "<=", p.bytes_max)
      .orderBy("f.path")
      .limit(p.limit),
);

/** The commits that brought a content. */
export const commitsWith = prepared((db, p: { sha256: string }) =>
  db
    .selectFrom("repository_file")
    .select("commit_id")
    .distinct()
    .where("sha256", "=", p.sha256)
    .orderBy("commit_id"),
);

/** A content by its own hash, or by the id that git gives it. */
export const blob = prepared((db, p: { sha256?: string; git_sha1?: string }) =>
  db
    .selectFrom("repository_blob")
    .select(["sha256", "git_sha1", "bytes", "purged_at", "purge_reason"])
    .$if(p.sha256 !== undefined, (all) => all.where("sha256", "=", p.sha256 ?? ""))
    .$if(p.git_sha1 !== undefined, (all) =>
      all.where("git_sha1", "=", p.git_sha1 ?? "").where("purged_at", "is", null),
    ),
);

/** A content that is there, or hidden; none after a purge. */
export const keptContent = prepared((db, p: { sha256: string }) =>
  db
    .selectFrom("repository_blob")
    .select("deflated")
    .where("sha256", "=", p.sha256)
    .where("purge_reason", "is", null),
);

export const firstSender = prepared((db, p: { sha256: string }) =>
  db
    .selectFrom("repository_blob as b")
    .innerJoin("agent as a", "a.id", "b.agent")
    .select("a.agent_id")
    .where("b.sha256", "=", p.sha256),
);

interface StoredContent {
  readonly sha256: string;
  readonly git_sha1: string;
  readonly deflated: Uint8Array;
  readonly purged_at: Seconds | null;
}

export const setContent = prepared((db, p: StoredContent) =>
  db
    .updateTable("repository_blob")
    .set({ git_sha1: p.git_sha1, deflated: p.deflated, purged_at: p.purged_at })
    .where("sha256", "=", p.sha256),
);

interface NewBlob {
  readonly sha256: string;
  readonly git_sha1: string;
  readonly bytes: number;
  readonly deflated: Uint8Array;
  readonly agent: number;
  readonly created_at: Seconds;
}

/** Another write may bring the same content at the same time. */
export const insertBlob = prepared((db, p: NewBlob) =>
  db
    .insertInto("repository_blob")
    .values({ ...p, purged_at: null, purge_reason: null })
    .onConflict((conflict) => conflict.doNothing()),
);

interface NewChange {
  readonly repository: number;
  readonly path: string;
  readonly commit_id: number;
  readonly sha256: string | null;
}

export const insertChange = prepared((db, p: NewChange) =>
  db.insertInto("repository_file").values({ ...p, replaced_by: null }),
);

export const replaceChange = prepared(
  (db, p: { repository: number; path: string; replaced_by: number }) =>
    db
      .updateTable("repository_file")
      .set({ replaced_by: p.replaced_by })
      .where("repository", "=", p.repository)
      .where("path", "=", p.path)
      .where("replaced_by", "is", null),
);

interface CommitRange {
  readonly repository: number;
  readonly from: number;
  readonly to: number;
}

/** Commits with files, by their numbers. */
export const commitsIn = prepared((db, p: CommitRange) =>
  db
    .selectFrom("repository_commit as c")
    .innerJoin("agent as a", "a.id", "c.agent")
    .select(["c.id", "c.git_sha1", "c.git_number", "c.tree_sha256", "c.summary", "c.created_at"])
    .select("a.agent_id")
    .where("c.repository", "=", p.repository)
    .where("c.git_number", ">=", p.from)
    .where("c.git_number", "<=", p.to)
    .orderBy("c.git_number"),
);

/** What a commit changed, as git sees it. */
export const changesInGit = prepared((db, p: { commit_id: number }) =>
  db
    .selectFrom("repository_file as f")
    .leftJoin("repository_blob as b", "b.sha256", "f.sha256")
    .select(["f.path", "b.sha256", "b.git_sha1", "b.bytes"])
    .where("f.commit_id", "=", p.commit_id),
);

/** Contents as git keeps them; `hashes` is a list in JSON of their SHA-256. */
export const contentsOf = prepared((db, p: { hashes: string }) =>
  db
    .selectFrom("repository_blob")
    .select(["sha256", "git_sha1", "bytes", "purged_at", "deflated"])
    .where(isOneOf(db, "sha256", "text", p.hashes)),
);

/** A commit with files by its number. */
export const commitNumbered = prepared((db, p: { repository: number; git_number: number }) =>
  db
    .selectFrom("repository_commit")
    .select(PLACE_IN_GIT)
    .where("repository", "=", p.repository)
    .where("git_number", "=", p.git_number),
);

/** The newest commit of the pack that begins with a number. */
export const lastOfPack = prepared((db, p: { repository: number; from: number; to: number }) =>
  db
    .selectFrom("repository_commit")
    .select(PLACE_IN_GIT)
    .where("repository", "=", p.repository)
    .where("git_number", ">=", p.from)
    .where("git_number", "<=", p.to)
    .where("pack_start", "=", p.from)
    .orderBy("git_number", "desc")
    .limit(1),
);

/** The newest of some commits by the ids that git gives them; `ids` is a list in JSON. */
export const newestNamed = prepared((db, p: CommitRange & { ids: string }) =>
  db
    .selectFrom("repository_commit")
    .select(PLACE_IN_GIT)
    .where("repository", "=", p.repository)
    .where("git_number", ">=", p.from)
    .where("git_number", "<=", p.to)
    .where(isOneOf(db, "git_sha1", "text", p.ids))
    .orderBy("git_number", "desc")
    .limit(1),
);

interface WriterKey {
  readonly repository: number;
  readonly agent: number;
}

/** The founder of a repository and whether an agent is a named writer. */
export const writing = prepared((db, p: WriterKey) =>
  db
    .selectFrom("repository as r")
    .leftJoin("repository_writer as w", (join) =>
      join.onRef("w.repository", "=", "r.id").on("w.agent", "=", p.agent),
    )
    .innerJoin("agent as f", "f.id", "r.founder")
    .select(["f.agent_id as founder_id", "w.named_at", "w.changes"])
    .where("r.id", "=", p.repository),
);

export const writersOf = prepared((db, p: { repository: number; limit: number }) =>
  db
    .selectFrom("repository_writer as w")
    .innerJoin("agent as a", "a.id", "w.agent")
    .select(["a.agent_id", "a.handle"])
    .where("w.repository", "=", p.repository)
    .where("w.named_at", "is not", null)
    .orderBy("w.agent")
    .limit(p.limit),
);

export const countWriters = prepared((db, p: { repository: number }) =>
  db
    .selectFrom("repository_writer")
    .select(({ fn }) => fn.countAll<number>().as("n"))
    .where("repository", "=", p.repository)
    .where("named_at", "is not", null),
);

/** The repositories that have ever held a content, each with the first commit that brought it. */
export const holdersOf = prepared((db, p: { sha256: string }) =>
  db
    .selectFrom("repository_file as f")
    .innerJoin("repository_commit as c", "c.id", "f.commit_id")
    .select("f.repository")
    .select(({ fn }) => fn.min("c.git_number").as("first"))
    .where("f.sha256", "=", p.sha256)
    .groupBy("f.repository")
    .orderBy("f.repository"),
);

interface PurgedBlob {
  readonly sha256: string;
  readonly git_sha1: string;
  readonly deflated: Uint8Array;
  readonly purged_at: Seconds;
  readonly purge_reason: string;
}

export const purgeBlob = prepared((db, p: PurgedBlob) =>
  db
    .updateTable("repository_blob")
    .set({ git_sha1: p.git_sha1, deflated: p.deflated })
    .set({ purged_at: p.purged_at, purge_reason: p.purge_reason })
    .where("sha256", "=", p.sha256)
    .where("purged_at", "is", null),
);

export const setGitId = prepared((db, p: { id: number; git_sha1: string }) =>
  db.updateTable("repository_commit").set({ git_sha1: p.git_sha1 }).where("id", "=", p.id),
);
