import type { Tx } from "../../db/engine.ts";
import type { Problem, Rejects } from "../../kernel/contract/errors.ts";
import { type Change, storeContents } from "./contents.ts";
import { commitBody, emptyFolder, gitId, setFile, treeId } from "./git-objects.ts";
import { treeProblem } from "./paths.ts";
import * as sql from "./queries.ts";
import { treeSha256 } from "./tree.ts";

/** A pack is closed by so many commits, or as soon as its files and folders come to so many bytes. */
const PACK_COMMITS_MAX = 256;
const PACK_BYTES_MAX = 2 * 1024 * 1024;

/** A commit with files that its agent may make: the row of the repository is locked. */
export interface Committing extends Rejects<"conflict" | "repository_full" | "commit_not_found"> {
  readonly tx: Tx;
  readonly repository: number;
  readonly agent: { readonly id: number; readonly agent_id: string };
  readonly at: number;
  readonly summary: string;
  /** The commit that the agent has seen. */
  readonly seen: number | undefined;
}

/** What a commit's row has of its files. */
export interface Tree {
  readonly tree_sha256: string;
  readonly parent: number | null;
  readonly git_sha1: string;
  readonly git_number: number;
  readonly pack_start: number;
  readonly pack_bytes: number;
  readonly file_bytes: number;
}

type Files = Map<
  string,
  { readonly sha256: string; readonly git_sha1: string; readonly bytes: number }
>;

/**
 * Applies the changes to the files of a repository and says what the commit's row holds of them. Rejects
 * with `conflict` where a path was changed since the agent saw it, and with `repository_full`.
 */
export async function applyChanges(
  committing: Committing,
  changes: readonly Change[],
): Promise<{ readonly tree: Tree; readonly made: readonly Change[] }> {
  const { tx, repository, agent, at, summary } = committing;
  const head = await sql.head.first(tx, { repository });
  const files: Files = new Map(
    (await sql.currentFiles.all(tx, { repository })).map(({ path, ...file }) => [path, file]),
  );
  const made = changes.filter(
    ({ path, content }) => content?.sha256 !== files.get(path)?.sha256 || content === null,
  );
  await refuseUnseen(committing, made, { files, head: head?.id });
  await storeContents(committing, made, { agent: agent.id, created_at: at });

  const folder = emptyFolder();
  for (const [path, { git_sha1 }] of files) setFile(folder, path, git_sha1);
  treeId(folder, () => {});
  let bytes = 0;
  for (const { path, content } of made) {
    setFile(folder, path, content?.git_sha1 ?? null);
    if (content === null) files.delete(path);
    else files.set(path, content);
    bytes += content?.bytes ?? 0;
  }
  refuseTree(committing, files);
  let treeBytes = 0;
  const tree = treeId(folder, (_, body) => {
    treeBytes += body.length;
  });
  const parent = head?.git_sha1 ?? null;
  const git_sha1 = gitId(
    "commit",
    commitBody({ tree, parent, agent_id: agent.agent_id, at, summary }),
  );
  const sums = [...files].map(([path, { sha256 }]) => [path, sha256] as const);
  return {
    made,
    tree: {
      ...{ tree_sha256: treeSha256(sums), parent: head?.id ?? null, git_sha1, file_bytes: bytes },
      ...placeOf(head, bytes + treeBytes),
    },
  };
}

type Head = Awaited<ReturnType<typeof sql.head.first>>;

/** The number of a commit, and its pack. */
function placeOf(head: Head, bytes: number) {
  const git_number = (head?.git_number ?? 0) + 1;
  const { pack_start, pack_bytes } = head ?? {};
  const isOpen =
    pack_start != null &&
    git_number - pack_start < PACK_COMMITS_MAX &&
    (pack_bytes ?? 0) < PACK_BYTES_MAX;
  return isOpen
    ? { git_number, pack_start, pack_bytes: (pack_bytes ?? 0) + bytes }
    : { git_number, pack_start: git_number, pack_bytes: bytes };
}

/** Whatever changes a file that exists names the commit that its agent has seen. */
async function refuseUnseen(
  { tx, reject, repository, seen }: Committing,
  made: readonly Change[],
  { files, head }: { readonly files: Files; readonly head: number | undefined },
): Promise<void> {
  const missing = made.filter(({ path, content }) => content === null && !files.has(path));
  if (missing.length > 0)
    return reject(
      "conflict",
      "There is no such file to delete.",
      problems(missing, "is not there"),
    );
  if (made.length === 0) {
    const details = [{ field: "files", problem: "change nothing" }];
    return reject("validation_failed", "All files have this content already.", details);
  }
  if (seen !== undefined) {
    const commit = await sql.commitOf.first(tx, { repository, id: seen });
    if (commit?.git_number == null)
      return reject("commit_not_found", "`parent` is no commit with files of this repository.");
  }
  const touched = made.filter(({ path }) => files.has(path));
  if (seen === undefined) {
    const [first] = touched;
    if (first === undefined) return;
    const more = touched.length > 1 ? ` and ${touched.length - 1} more` : "";
    const problem = `is needed, since ${first.path}${more} exist already; the newest commit with files is ${head}`;
    return reject("validation_failed", "Name the commit that you have seen.", [
      { field: "parent", problem },
    ]);
  }
  if (seen === head) return;
  const changes = await Promise.all(
    made.map(({ path }) => sql.lastChange.first(tx, { repository, path })),
  );
  const later = made.filter((_, i) => (changes[i]?.commit_id ?? 0) > seen);
  if (later.length > 0)
    return reject(
      "conflict",
      `Another commit has changed a file since ${seen}; the newest is ${head}.`,
      problems(later, `was changed after commit ${seen}`),
    );
}

const problems = (changes: readonly Change[], problem: string): Problem[] =>
  changes.map(({ path }) => ({ field: path, problem }));

function refuseTree({ reject }: Committing, files: Files): void {
  const found = treeProblem(files);
  if (found === null) return;
  const details = [{ field: found.path, problem: found.problem }];
  if (found.isFull) reject("repository_full", "The repository has no room for this.", details);
  reject("conflict", "These files cannot stand beside each other.", details);
}

/** Writes down what a commit changed. */
export async function storeChanges(
  tx: Tx,
  { repository, commit_id }: { readonly repository: number; readonly commit_id: number },
  made: readonly Change[],
): Promise<void> {
  // Begun in this order and done in it, so that on PostgreSQL they travel together.
  await Promise.all(
    made.flatMap(({ path, content }) => [
      sql.replaceChange.run(tx, { repository, path, replaced_by: commit_id }),
      sql.insertChange.run(tx, { repository, path, commit_id, sha256: content?.sha256 ?? null }),
    ]),
  );
}
