import { inflateSync } from "node:zlib";
import { derived, local } from "../../../platform/ledger/rows/columns.ts";
import type { RowFold } from "../../../platform/ledger/rows/fold.ts";
import {
  type Figures,
  hashIn,
  type Made,
  near,
  numberIn,
  type Row,
  textIn,
} from "../../../platform/ledger/rows/told.ts";
import { sha256 } from "../../../platform/ledger/sha256.ts";
import { changedFolder, EMPTY_FOLDER, type Folder, treeSha256AtOnce } from "./folders.ts";
import { gitId, REMOVED_CONTENT } from "./git-objects.ts";

/** The tables whose rows no single entry makes. */
export const fileTables = {
  repository_blob: {
    ...derived("sha256", "git_sha1", "bytes", "deflated"),
    purge_reason: "sealed",
    purged_at: "timed",
    ...local("agent", "created_at"),
  },
  repository_file: derived("repository", "path", "commit_id", "sha256", "replaced_by"),
} as const;

interface Commit {
  readonly repository: number;
  readonly tree_sha256: string;
}

interface StoredFile {
  readonly repository: number;
  readonly path: string;
  readonly sha256: string | null;
}

const fileName = ({ repository, path, commit_id }: Row) =>
  `file ${repository} ${commit_id} ${path}`;

/**
 * What each commit changed. An entry seals the hash of all files after a commit and no file by itself, so
 * the rows are put together again, commit by commit.
 */
function files(): RowFold {
  const commits = new Map<number, Commit>();
  const rows = new Map<number, StoredFile[]>();
  return {
    table: "repository_file",
    stands: "at_commit",
    rowsFirst: true,
    stored(row) {
      const { path, sha256: hash } = row;
      const commit_id = Number(row["commit_id"]);
      const repository = Number(row["repository"]);
      const file = { repository, path: `${path}`, sha256: hash === null ? null : `${hash}` };
      const known = rows.get(commit_id);
      if (known === undefined) rows.set(commit_id, [file]);
      else known.push(file);
      const { replaced_by = null } = row;
      return [fileName(row), { sha256: file.sha256, replaced_by }];
    },
    add(entry) {
      const { kind, body } = entry;
      if (kind !== "repo_commit" || body["tree_sha256"] === undefined) return;
      const repository = numberIn(entry, "repo_id");
      const tree_sha256 = textIn(entry, "tree_sha256");
      commits.set(numberIn(entry, "commit_id"), { repository, tree_sha256 });
    },
    made: () => madeFiles(commits, rows),
  };
}

function madeFiles(
  commits: ReadonlyMap<number, Commit>,
  rows: ReadonlyMap<number, readonly StoredFile[]>,
): Map<string, Made> {
  const made = new Map<string, Record<string, Made[string]>>();
  const roots = new Map<number, Folder>();
  const newest = new Map<string, Record<string, Made[string]>>();
  for (const [commit_id, { repository, tree_sha256 }] of commits) {
    const changed = (rows.get(commit_id) ?? []).filter((row) => row.repository === repository);
    for (const { path, sha256: hash } of changed) {
      const before = newest.get(`${repository} ${path}`);
      if (before !== undefined) before["replaced_by"] = commit_id;
      const figures = { sha256: hash, replaced_by: null };
      newest.set(`${repository} ${path}`, figures);
      made.set(fileName({ repository, path, commit_id }), figures);
    }
    const files = changed.map(({ path, sha256 }) => ({
      path,
      file: sha256 === null ? null : { sha256, bytes: 0, id: null },
    }));
    const { root } = changedFolder(roots.get(repository) ?? EMPTY_FOLDER, files);
    roots.set(repository, root);
    // A row too many, too few or another: the commit as a whole is not what was sealed.
    if (treeSha256AtOnce(root) !== tree_sha256)
      made.set(`files of commit ${commit_id}`, { tree_sha256 });
  }
  return made;
}

interface MissingContent {
  readonly at: number;
  /** As the entry of a purge says; null of a content that is hidden or erased. */
  readonly bytes: number | null;
  readonly reason: string | null;
}

/** The contents: each hashes to its name, or an entry says that it was removed. */
function contents(): RowFold {
  const purged = new Map<string, MissingContent>();
  const names = new Map<string, string>();
  return {
    table: "repository_blob",
    stands: "at_commit",
    rowsFirst: true,
    stored(row) {
      const content = contentOf(`${row["deflated"]}`);
      const name = `content ${row["sha256"]}`;
      names.set(name, `${row["sha256"]}`);
      const { bytes = null, git_sha1 = null, purged_at = null } = row;
      const isRemoved = purged_at !== null && content?.toString() === REMOVED_CONTENT;
      const held: Figures = {
        content: isRemoved ? "removed" : content && sha256(content).toHex(),
        bytes: isRemoved && row["purge_reason"] !== null ? bytes : null,
        isCounted: isRemoved || content?.length === bytes ? 1 : 0,
        isGit: content !== null && git_sha1 === gitId("blob", content) ? 1 : 0,
      };
      return [name, { ...held, purged_at, purge_reason: hashIn(row, "purge_reason") }];
    },
    add(entry) {
      const { kind, at } = entry;
      if (kind === "file_purged")
        purged.set(textIn(entry, "content"), {
          at,
          bytes: numberIn(entry, "bytes"),
          reason: textIn(entry, "reason_sha256"),
        });
      if ((kind !== "text_hidden" && kind !== "text_shown") || entry.body["of"] !== "file") return;
      const content = textIn(entry, "of_ref");
      if (kind === "text_shown") purged.delete(content);
      else purged.set(content, { at, bytes: null, reason: null });
    },
    made: () =>
      new Map([...names].map(([name, hash]) => [name, madeContent(hash, purged.get(hash))])),
  };
}

function madeContent(hash: string, purged: MissingContent | undefined): Made {
  const counted = { isCounted: 1, isGit: 1 };
  return purged === undefined
    ? { ...counted, content: hash, bytes: null, purged_at: null, purge_reason: null }
    : {
        ...counted,
        content: "removed",
        bytes: purged.bytes,
        purged_at: near(purged.at),
        purge_reason: purged.reason,
      };
}

function contentOf(deflated: string): Buffer | null {
  try {
    return inflateSync(Buffer.from(deflated, "base64url"));
  } catch {
    return null;
  }
}

/** Files of repositories, and their contents. */
export const fileFolds = (): readonly RowFold[] => [files(), contents()];
