import type { Db } from "../../../platform/db/engine.ts";
import { lru } from "../../../platform/kernel/lru.ts";
import {
  changedFolder,
  EMPTY_FOLDER,
  type FileFacts,
  type Folder,
  hashFolders,
  type PathChange,
} from "./folders.ts";
import { commitBody, gitId } from "./git-objects.ts";
import * as sql from "./queries.ts";
import type { Step } from "./slices.ts";

/** What the root folders that a process keeps may take together, and about what they take. */
const ROOTS_MAX_BYTES = 32 * 1024 * 1024;
const FILE_BYTES = 450;
const FOLDER_BYTES = 280;

/** A root that is kept is brought forward over so many commits; over more, all files are read. */
const CATCH_UP_MAX = 32;

/** Rows that are read at once; each counts as a piece of work. */
export const ROWS_PER_READ = 250;

/** A commit with files, as its row has it. */
export interface Place {
  readonly id: number;
  readonly git_sha1: string | null;
  readonly git_number: number | null;
  readonly tree_sha256: string | null;
}

/** The hashes of a commit say all of its files, so a root is right wherever it is found by them. */
const nameOf = ({ git_sha1, tree_sha256 }: Place): string => `${git_sha1} ${tree_sha256}`;

const kept = lru<string, Folder>({
  max: ROOTS_MAX_BYTES,
  sizeOf: ({ files, folders }) => files * FILE_BYTES + folders * FOLDER_BYTES,
});

/** Keeps the files after a commit, all of whose folders are hashed, for the next one. */
export const keepRoot = (place: Place, root: Folder): void => kept.set(nameOf(place), root);

interface Found {
  readonly path: string;
  readonly sha256: string | null;
  readonly git_sha1: string | null;
  readonly bytes: number | null;
}

/** A file as a row has it; null where it was deleted. */
const factsOf = ({ sha256, git_sha1, bytes }: Found): FileFacts | null =>
  sha256 === null || git_sha1 === null
    ? null
    : { sha256, bytes: bytes ?? 0, id: Buffer.from(git_sha1, "hex").toString("latin1") };

/** What a commit changed. */
export const changesAt = async (read: Db, commit_id: number): Promise<PathChange[]> =>
  (await sql.changesInGit.all(read, { commit_id })).map((row) => ({
    path: row.path,
    file: factsOf(row),
  }));

interface At {
  readonly repository: number;
  /** The commit; undefined before the first one. */
  readonly place: Place | undefined;
}

/**
 * The files after a commit, from what this process keeps of a late one; undefined where it keeps none. It
 * takes little time, so a write may ask, too.
 */
export async function nearRoot(
  read: Db,
  { repository, place }: At,
  step: Step,
): Promise<Folder | undefined> {
  if (place === undefined) return EMPTY_FOLDER;
  const known = kept.get(nameOf(place));
  const to = place.git_number ?? 0;
  if (known !== undefined || to === 0) return known;
  const commits = await sql.commitsIn.all(read, { repository, from: to - CATCH_UP_MAX, to });
  const later: number[] = [];
  for (const commit of commits.toReversed()) {
    let root = kept.get(nameOf(commit));
    if (root !== undefined) {
      for (const id of later.toReversed())
        root = changedFolder(root, await changesAt(read, id)).root;
      await hashFolders(root, step);
      return (await isOf(read, { repository, place }, root)) ? root : undefined;
    }
    later.push(commit.id);
  }
  return;
}

/**
 * The files after a commit. Reads all of them in slices where it must. Undefined where the rows make another
 * commit: the operator has removed a text of it meanwhile, so that it has another id.
 */
export async function rootAt(read: Db, at: At, step: Step): Promise<Folder | undefined> {
  const near = await nearRoot(read, at, step);
  if (near !== undefined || at.place === undefined) return near;
  for (const files of [filesNow, filesAt]) {
    let root = EMPTY_FOLDER;
    for await (const some of files(read, at)) {
      root = changedFolder(root, some).root;
      await step(ROWS_PER_READ);
    }
    await hashFolders(root, step);
    if (!(await isOf(read, at, root))) continue;
    keepRoot(at.place, root);
    return root;
  }
  return;
}

/** Whether a commit has these files: git's id of it says so. */
async function isOf(read: Db, { repository, place }: At, root: Folder): Promise<boolean> {
  const to = place?.git_number ?? 0;
  const [first, second] = await sql.commitsIn.all(read, { repository, from: to - 1, to });
  const commit = second ?? first;
  const parent = second === undefined ? null : (first?.git_sha1 ?? null);
  return (
    commit !== undefined &&
    commit.git_sha1 === place?.git_sha1 &&
    commit.git_sha1 === idOfCommit(commit, { tree: root, parent })
  );
}

interface Told {
  readonly agent_id: string;
  readonly created_at: number;
  readonly summary: string;
}

/** What git sees of a commit whose folders are hashed. */
export const bodyOfCommit = (
  { agent_id, created_at: at, summary }: Told,
  { tree, parent }: { readonly tree: Folder; readonly parent: string | null },
): Buffer => {
  const id = Buffer.from(tree.id ?? "", "latin1").toString("hex");
  return commitBody({ tree: id, parent, agent_id, at, summary });
};

/** Its id. */
export const idOfCommit = (told: Told, of: Parameters<typeof bodyOfCommit>[1]): string =>
  gitId("commit", bodyOfCommit(told, of));

/** The files as they are now, in pages; of a commit where it is the newest. */
async function* filesNow(read: Db, { repository }: At): AsyncGenerator<PathChange[]> {
  for (let after = ""; ; ) {
    const found = await sql.filesAfter.all(read, { repository, after, limit: ROWS_PER_READ });
    yield found.map((row) => ({ path: row.path, file: factsOf(row) }));
    const last = found.at(-1);
    if (last === undefined || found.length < ROWS_PER_READ) return;
    after = last.path;
  }
}

/** The files as a commit left them, in pages. */
async function* filesAt(read: Db, { repository, place }: At): AsyncGenerator<PathChange[]> {
  const walk = { repository, at: place?.id ?? 0, after: "" };
  for await (const states of statesAt(read, walk))
    yield states.map((row) => ({ path: row.path, file: factsOf(row) }));
}

interface Walk {
  readonly repository: number;
  readonly at: number;
  /** The path behind which the walk begins. */
  readonly after: string;
}

/**
 * The states of paths that held as a commit left them, in the order of paths. A page is what so many rows
 * hold of them, and may be empty: a path has a state for each commit that changed it.
 */
export async function* statesAt(read: Db, { repository, at, after: path }: Walk) {
  let after: sql.AfterState = { path, commit_id: Number.MAX_SAFE_INTEGER };
  for (;;) {
    const found = await sql.statesAfter.all(read, { repository, ...after, limit: ROWS_PER_READ });
    yield found.flatMap(({ replaced_by, sha256, git_sha1, bytes, ...row }) =>
      row.commit_id <= at &&
      (replaced_by === null || replaced_by > at) &&
      sha256 !== null &&
      git_sha1 !== null
        ? [{ ...row, sha256, git_sha1, bytes: bytes ?? 0 }]
        : [],
    );
    const last = found.at(-1);
    if (last === undefined || found.length < ROWS_PER_READ) return;
    after = last;
  }
}
