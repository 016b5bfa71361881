import type { Db, Tx } from "../../../platform/db/engine.ts";
import type { Problem, Rejects } from "../../../platform/kernel/contract/errors.ts";
import { COMMIT_FOLDERS_MAX, PACK_OBJECTS_MAX } from "../rules.ts";
import { clashAmong, overflowOf } from "./bounds.ts";
import { type Change, refuseRemoved, type Stored, storeContents, storedOf } from "./contents.ts";
import {
  changedFolder,
  type FileFacts,
  type Folder,
  hashFolders,
  type MadeFolder,
  treeSha256,
} from "./folders.ts";
import { PACK_COMMITS_MAX } from "./packs.ts";
import * as sql from "./queries.ts";
import { idOfCommit, keepRoot, nearRoot, rootAt } from "./roots.ts";
import { type Step, slices, unsliced } from "./slices.ts";

/** Objects count for the size of their pack, beside what they hold, and so do the items of folders. */
const OBJECT_BYTES = 256;
const ITEM_BYTES = 40;
const PACK_MAX_BYTES = PACK_OBJECTS_MAX * OBJECT_BYTES;

/** What an agent wants to commit. */
export interface Committing extends Rejects<"conflict" | "repository_full" | "commit_not_found"> {
  readonly repository: number;
  readonly agent: { readonly id: number; readonly agent_id: string };
  readonly summary: string;
  /** The commit that the agent has seen. */
  readonly seen: number | undefined;
  readonly changes: readonly Change[];
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

type Head = Awaited<ReturnType<typeof sql.head.first>>;

/** A commit that may be made on top of a head, as far as nothing is hashed. */
interface Draft {
  readonly head: Head;
  /** The changes without those that change nothing. */
  readonly made: readonly Change[];
  /** The files at the paths from then on, without git's ids. */
  readonly files: ReadonlyMap<string, FileFacts | null>;
  readonly root: Folder;
  readonly folders: readonly MadeFolder[];
}

/** The same with all hashes that need no clock. */
export interface Prepared {
  readonly draft: Draft;
  /** Of all changes that were sent. */
  readonly stored: readonly Stored[];
  readonly tree_sha256: string;
}

/** Thrown out of a transaction that finds another history than the one that a commit was prepared for. */
export class Moved extends Error {}

/**
 * Looks whether the changes may be made now. Rejects with `conflict` where a path was changed since the agent
 * saw it or names clash, with `repository_full`, or where too many folders change.
 */
export async function draftOf(read: Db, committing: Committing): Promise<Draft> {
  const draft = await draftAt(read, committing, (place) =>
    rootAt(read, { repository: committing.repository, place }, slices()),
  );
  if (draft !== undefined) return draft;
  return committing.reject("overloaded", "The operator is removing a text here. Try again soon.");
}

type FindRoot = (head: Head) => Promise<Folder | undefined>;

async function draftAt(
  read: Db,
  committing: Committing,
  findRoot: FindRoot,
): Promise<Draft | undefined> {
  const { repository, changes } = committing;
  const head = await sql.head.first(read, { repository });
  const last = new Map<string, LastChange>();
  const found = await Promise.all(
    changes.map(({ path }) => sql.lastChange.first(read, { repository, path })),
  );
  for (const [i, { path }] of changes.entries()) {
    const change = found[i];
    if (change !== undefined) last.set(path, change);
  }
  const made = changes.filter(
    ({ path, content }) => content === null || content.sha256 !== last.get(path)?.sha256,
  );
  await refuseUnseen({ ...committing, read }, made, { last, head: head?.id });
  await refuseRemoved({ ...committing, read }, made);
  const before = await findRoot(head);
  if (before === undefined) return;
  const files = new Map(
    made.map(({ path, content }) => [
      path,
      content && { sha256: content.sha256, bytes: content.bytes, id: null },
    ]),
  );
  const changed = changedFolder(
    before,
    [...files].map(([path, file]) => ({ path, file })),
  );
  const { root, made: folders } = changed;
  const draft = { head, made, files, root, folders };
  refuseTree(committing, draft);
  return draft;
}

/** Hashes the way of the changed paths, and what they hold, in slices. */
export async function prepared(draft: Draft, { changes }: Committing): Promise<Prepared> {
  const step = slices();
  const stored = await storedOf(changes, step);
  return { draft, stored, tree_sha256: await hashed(draft, stored, step) };
}

async function hashed(draft: Draft, stored: readonly Stored[], step: Step): Promise<string> {
  for (const { path, content } of stored) {
    const file = draft.files.get(path);
    if (file && content) file.id = Buffer.from(content.git_sha1, "hex").toString("latin1");
  }
  await hashFolders(draft.root, step);
  return treeSha256(draft.root, step);
}

/** What a commit comes to in its transaction. */
interface Settled {
  readonly tree: Tree;
  readonly made: readonly Stored[];
  /** Keeps its files for the next commit, once it is stored. */
  readonly keep: (id: number) => void;
}

/**
 * Stores the contents of a commit, and says what its row holds. The row of the repository is locked. Where others
 * have committed since it was prepared, it is looked at and hashed again, on top of theirs. Throws `Moved` where
 * that would take long.
 */
export async function settled(
  tx: Tx,
  committing: Committing & { readonly at: number },
  { draft: drafted, stored, ...known }: Prepared,
): Promise<Settled> {
  const { repository, agent, at, summary, reject } = committing;
  const newest = await sql.head.first(tx, { repository });
  const isSame = newest?.id === drafted.head?.id && newest?.git_sha1 === drafted.head?.git_sha1;
  const findRoot: FindRoot = (place) => nearRoot(tx, { repository, place }, unsliced);
  const draft = isSame ? drafted : await draftAt(tx, committing, findRoot);
  if (draft === undefined) throw new Moved();
  const tree_sha256 = isSame ? known.tree_sha256 : await hashed(draft, stored, unsliced);
  const made = stored.filter(({ path }) => draft.files.has(path));
  await storeContents({ tx, reject }, made, { agent: agent.id, created_at: at });
  const { head, root } = draft;
  const parent = head?.git_sha1 ?? null;
  const told = { agent_id: agent.agent_id, created_at: at, summary };
  const git_sha1 = idOfCommit(told, { tree: root, parent });
  const file_bytes = made.reduce((sum, { content }) => sum + (content?.bytes ?? 0), 0);
  const place = placeOf(head, file_bytes + sizeOf(draft));
  const tree = { tree_sha256, parent: head?.id ?? null, git_sha1, file_bytes, ...place };
  return { tree, made, keep: (id) => keepRoot({ id, ...tree }, root) };
}

/** What its objects count beside the contents. */
const sizeOf = ({ made, folders }: Draft): number =>
  folders.reduce(
    (sum, { folder }) => sum + folder.items.length * ITEM_BYTES,
    (made.length + folders.length + 1) * OBJECT_BYTES,
  );

/** The number of a commit, and its pack. */
function placeOf(head: Head, bytes: number) {
  const git_number = (head?.git_number ?? 0) + 1;
  const { pack_start, pack_bytes } = head ?? {};
  const isOpen =
    pack_start != null &&
    git_number - pack_start < PACK_COMMITS_MAX &&
    (pack_bytes ?? 0) < PACK_MAX_BYTES;
  return isOpen
    ? { git_number, pack_start, pack_bytes: (pack_bytes ?? 0) + bytes }
    : { git_number, pack_start: git_number, pack_bytes: bytes };
}

interface LastChange {
  readonly commit_id: number;
  /** Null where it deleted the file. */
  readonly sha256: string | null;
}

/** A change of a file that exists names the commit that its agent has seen. */
async function refuseUnseen(
  { read, reject, repository, seen }: Committing & { readonly read: Db },
  made: readonly Change[],
  {
    last,
    head,
  }: { readonly last: ReadonlyMap<string, LastChange>; readonly head?: number | undefined },
): Promise<void> {
  const stands = (path: string) => last.get(path)?.sha256 != null;
  const missing = made.filter(({ path, content }) => content === null && !stands(path));
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
    const commit = await sql.commitOf.first(read, { repository, id: seen });
    if (commit?.git_number == null)
      return reject("commit_not_found", "`parent` is no commit with files of this repository.");
  }
  const touched = made.filter(({ path }) => stands(path));
  if (seen === undefined) {
    const [first] = touched;
    if (first === undefined) return;
    const more = touched.length > 1 ? ` and ${touched.length - 1} more` : "";
    const problem = `is needed, since ${first.path}${more} exist already; the newest commit with files is ${head}`;
    return reject("validation_failed", "Name the commit that you have seen.", [
      { field: "parent", problem },
    ]);
  }
  const later = made.filter(({ path }) => (last.get(path)?.commit_id ?? 0) > seen);
  if (later.length > 0)
    return reject(
      "conflict",
      `Another commit has changed a file since ${seen}; the newest is ${head}.`,
      problems(later, `was changed after commit ${seen}`),
    );
}

const problems = (changes: readonly Change[], problem: string): Problem[] =>
  changes.map(({ path }) => ({ field: path, problem }));

function refuseTree({ reject }: Committing, { folders, root, made }: Draft): void {
  if (folders.length > COMMIT_FOLDERS_MAX) {
    const problem = `change ${folders.length} folders; at most ${COMMIT_FOLDERS_MAX} in one commit`;
    const details = [{ field: "files", problem }];
    reject("validation_failed", "Send these files in several commits.", details);
  }
  const clash = clashAmong(folders);
  if (clash !== undefined) {
    const field = made.find(({ path }) => path.startsWith(clash.path))?.path ?? clash.path;
    const problem = `stands beside ${clash.other}, which some systems take for it`;
    reject("conflict", "These files cannot stand beside each other.", [{ field, problem }]);
  }
  const full = overflowOf(root, folders);
  if (full === undefined) return;
  const { path, max, of } = full;
  const details = [{ field: path || (made.at(-1)?.path ?? ""), problem: `may have ${max} ${of}` }];
  reject("repository_full", "The repository has no room for this.", details);
}

/** Writes down what a commit changed. */
export async function storeChanges(
  tx: Tx,
  { repository, commit_id }: { readonly repository: number; readonly commit_id: number },
  made: readonly Stored[],
): Promise<void> {
  // Begun in this order and done in it, so that on PostgreSQL they travel together.
  await Promise.all(
    made.flatMap(({ path, content }) => [
      sql.replaceChange.run(tx, { repository, path, replaced_by: commit_id }),
      sql.insertChange.run(tx, { repository, path, commit_id, sha256: content?.sha256 ?? null }),
    ]),
  );
}
