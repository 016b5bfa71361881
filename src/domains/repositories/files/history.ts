import type { Db, Tx } from "../../../platform/db/engine.ts";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import { lru } from "../../../platform/kernel/lru.ts";
import { semaphore } from "../../../platform/kernel/pools/semaphore.ts";
import { placeInGit } from "../queries.ts";
import { Moved } from "./committing.ts";
import { changedFolder, type FileFacts, hashFolders, treeBody } from "./folders.ts";
import { REMOVED_CONTENT } from "./git-objects.ts";
import {
  type Gathering,
  gathering,
  indexOf,
  type Objects,
  PACK_COMMITS_MAX,
  packOf,
} from "./packs.ts";
import * as sql from "./queries.ts";
import { bodyOfCommit, changesAt, idOfCommit, keepRoot, rootAt } from "./roots.ts";
import { type Step, slices } from "./slices.ts";

/** Packs that a process keeps: what was made once costs a read. */
const PACKS_KEPT_MAX_BYTES = 64 * 1024 * 1024;

/** Packs that are made at once, and those that wait: in all, and for one holder. */
const MADE_AT_ONCE_MAX = 2;
const WAITING_MAX = 32;
const WAITING_OF_HOLDER_MAX = 8;
const RETRY_AFTER_S = 5;

/** Commits whose rows are read at once. */
const COMMITS_PER_READ = 32;

/** Some commits of a repository by their numbers, and the id of the last one: a pack, and its name. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly tip: string;
}

const PACK_NAME = /^([0-9a-f]{8})([0-9a-f]{8})([0-9a-f]{24})$/;
const TIP_LENGTH = 24;
const digits = (n: number): string => n.toString(16).padStart(8, "0");

/** 40 hexadecimal digits, as git wants them; any node finds the commits in them again. */
const packName = ({ from, to, tip }: Range): string =>
  digits(from) + digits(to) + tip.slice(0, TIP_LENGTH);

/** The newest commit of a repository as git sees it; null without a file. */
export async function tipOf(read: Db, repository: number): Promise<string | null> {
  return (await sql.head.first(read, { repository }))?.git_sha1 ?? null;
}

/** The names of the packs that hold a whole repository, the oldest first: a lookup for each. */
export async function packNames(read: Db, repository: number): Promise<string[]> {
  const names: string[] = [];
  const step = slices();
  let end = await sql.head.first(read, { repository });
  while (end !== undefined) {
    const { pack_start, git_number, git_sha1 } = end;
    const from = pack_start ?? 1;
    names.push(packName({ from, to: git_number ?? from, tip: git_sha1 ?? "" }));
    if (from === 1) break;
    await step();
    end = await sql.commitNumbered.first(read, { repository, git_number: from - 1 });
  }
  return names.reverse();
}

function rangeIn(name: string): Range | null {
  const [, from, to, tip] = PACK_NAME.exec(name) ?? [];
  if (from === undefined || to === undefined || tip === undefined) return null;
  return { from: Number.parseInt(from, 16), to: Number.parseInt(to, 16), tip };
}

/** Some commits of a repository, by their numbers. */
export interface CommitRange {
  readonly repository: number;
  readonly from: number;
  readonly to: number;
}

/** The objects that some commits brought, in their order. */
export interface Brought extends Objects {
  readonly ends: readonly End[];
}

/** A commit among them: with it so many objects are whole. */
interface End {
  readonly git_number: number;
  readonly git_sha1: string;
  readonly count: number;
}

/** The objects up to a commit, by its number and the beginning of its id; null where it has another id by now. */
export function countUpTo({ ends }: Brought, to: number, tip: string): number | null {
  const end = ends[to - (ends[0]?.git_number ?? 0)];
  return end?.git_sha1.startsWith(tip) ? end.count : null;
}

/** The packs of all repositories, as one process makes and keeps them. */
export interface Packs {
  /**
   * The objects of a pack up to a commit at least; `holder` is who waits for them. Null where the commits have other
   * ids by now. Rejects with `overloaded` when too many wait.
   */
  objects(read: Db, range: CommitRange & Range, holder: Holder): Promise<Brought | null>;
  /** Objects of other commits than those of a pack. They are not kept. */
  others(read: Db, range: CommitRange, holder: Holder): Promise<Brought | null>;
}

export type Holder = string | object;

export function packsOf(): Packs {
  const kept = lru<string, Brought>({
    max: PACKS_KEPT_MAX_BYTES,
    sizeOf: ({ bytes, ids, starts }) => bytes.length + ids.length + starts.byteLength,
  });
  const making = new Map<string, Promise<Brought | null>>();
  const { run } = semaphore({
    slots: MADE_AT_ONCE_MAX,
    waiting_max: WAITING_MAX,
    holder_waiting_max: WAITING_OF_HOLDER_MAX,
    onFull: () => {
      throw new Rejection("overloaded", BUSY, undefined, RETRY_AFTER_S);
    },
    defer: setImmediate,
  });
  const make = (read: Db, range: CommitRange, holder: Holder) =>
    run(() => broughtBy(read, range, slices()), { holder });

  return {
    async objects(read, { repository, from, to, tip }, holder) {
      const key = `${repository} ${from}`;
      const known = kept.get(key);
      if (known !== undefined && countUpTo(known, to, tip) !== null) return known;
      // A pack that is not closed has other ends later: what is made has all of them so far.
      const all = { repository, from, to: from + PACK_COMMITS_MAX - 1 };
      const last = await sql.lastOfPack.first(read, all);
      const work = `${key} ${last?.git_sha1}`;
      const made = making.get(work) ?? make(read, { ...all, to: last?.git_number ?? to }, holder);
      making.set(work, made);
      try {
        const brought = await made;
        if (brought !== null) kept.set(key, brought);
        return brought !== null && countUpTo(brought, to, tip) !== null ? brought : null;
      } finally {
        making.delete(work);
      }
    },
    others: make,
  };
}

const BUSY = "Other packs are being made. Try again in a few seconds.";

/** A pack of git or its index, by its name. */
export interface PackFile {
  readonly repository: number;
  readonly name: string;
  readonly kind: "pack" | "idx";
}

/**
 * The bytes of a pack or its index. A name stays good for as long as the history of its commits does: also one
 * of the newest commits, to which others have come; it names the beginning of their pack. Null for any other name.
 */
export async function packFile(
  packs: Packs,
  read: Db,
  { repository, name, kind }: PackFile,
): Promise<Buffer | null> {
  const range = rangeIn(name);
  if (range === null) return null;
  const end = await sql.commitNumbered.first(read, { repository, git_number: range.to });
  if (end?.pack_start !== range.from || !end.git_sha1?.startsWith(range.tip)) return null;
  const objects = await packs.objects(read, { repository, ...range }, `${repository}`);
  const count = objects && countUpTo(objects, range.to, range.tip);
  if (objects === null || count === null) return null;
  return kind === "pack" ? packOf(objects, count) : indexOf(objects, count, slices());
}

/**
 * All objects that some commits brought, made in slices. Null where the rows make other commits: the operator has
 * removed a text meanwhile.
 */
async function broughtBy(
  read: Db,
  { repository, from, to }: CommitRange,
  step: Step,
): Promise<Brought | null> {
  const place = await sql.commitNumbered.first(read, { repository, git_number: from - 1 });
  let root = await rootAt(read, { repository, place }, step);
  if (root === undefined) return null;
  let parent = place?.git_sha1 ?? null;
  const gathered = gathering();
  const ends: End[] = [];
  for (let first = from; first <= to; first += COMMITS_PER_READ) {
    const last = Math.min(to, first + COMMITS_PER_READ - 1);
    for (const commit of await sql.commitsIn.all(read, { repository, from: first, to: last })) {
      const changes = await changesAt(read, commit.id);
      await addContents(
        read,
        gathered,
        changes.flatMap(({ file }) => file ?? []),
      );
      root = changedFolder(root, changes).root;
      await hashFolders(root, step, (folder) =>
        gathered.add(folder.id ?? "", "tree", { body: treeBody(folder) }),
      );
      const git_sha1 = idOfCommit(commit, { tree: root, parent });
      if (git_sha1 !== commit.git_sha1) return null;
      const id = Buffer.from(git_sha1, "hex").toString("latin1");
      gathered.add(id, "commit", { body: bodyOfCommit(commit, { tree: root, parent }) });
      parent = git_sha1;
      ends.push({ git_number: commit.git_number ?? 0, git_sha1, count: gathered.count() });
      if (commit.git_number === to) keepRoot(commit, root);
      await step(changes.length);
    }
  }
  return { ...gathered.finish(), ends };
}

/** Adds contents that are not gathered yet. */
export async function addContents(
  read: Db,
  gathered: Gathering,
  files: readonly FileFacts[],
): Promise<void> {
  const wanted = files.filter(({ id }) => id !== null && !gathered.has(id));
  if (wanted.length === 0) return;
  const hashes = JSON.stringify(wanted.map(({ sha256 }) => sha256));
  for (const { git_sha1, purged_at, ...content } of await sql.contentsOf.all(read, { hashes })) {
    const bytes = purged_at === null ? content.bytes : Buffer.byteLength(REMOVED_CONTENT);
    const id = Buffer.from(git_sha1, "hex").toString("latin1");
    gathered.add(id, "blob", { bytes, deflated: content.deflated });
  }
}

/** The ids that git gives to the commits of a repository from one on, once a text of it is another. */
interface Renaming {
  readonly repository: number;
  /** The newest commit and its id, when they were computed. */
  readonly head: { readonly id: number; readonly git_sha1: string | null };
  readonly ids: readonly { readonly id: number; readonly git_sha1: string }[];
}

/** The successor of a content, or of the summary of a commit. */
export type Replaced =
  | { readonly sha256: string; readonly git_sha1: string }
  | { readonly commit_id: number; readonly summary: string };

/** Computes them, in slices, outside of the write that replaces the text. Undefined where there is no such history. */
async function renamingOf(
  read: Db,
  { repository, from }: Omit<CommitRange, "to">,
  replaced: Replaced,
): Promise<Renaming | undefined> {
  const step = slices();
  const head = await sql.head.first(read, { repository });
  const place = await sql.commitNumbered.first(read, { repository, git_number: from - 1 });
  let root = await rootAt(read, { repository, place }, step);
  if (head === undefined || root === undefined) return;
  let parent = place?.git_sha1 ?? null;
  const to = head.git_number ?? 0;
  const ids: { readonly id: number; readonly git_sha1: string }[] = [];
  for (let first = from; first <= to; first += COMMITS_PER_READ) {
    const last = Math.min(to, first + COMMITS_PER_READ - 1);
    for (const commit of await sql.commitsIn.all(read, { repository, from: first, to: last })) {
      const changes = await changesAt(read, commit.id);
      for (const { file } of changes)
        if (file && "sha256" in replaced && file.sha256 === replaced.sha256)
          file.id = Buffer.from(replaced.git_sha1, "hex").toString("latin1");
      root = changedFolder(root, changes).root;
      await hashFolders(root, step);
      const { id, summary } = commit;
      const told = "summary" in replaced && replaced.commit_id === id ? replaced : { summary };
      parent = idOfCommit({ ...commit, summary: told.summary }, { tree: root, parent });
      if (parent !== commit.git_sha1) ids.push({ id, git_sha1: parent });
      await step(changes.length);
    }
  }
  return { repository, head, ids };
}

/** A look at a history that moves is repeated so often. */
const LOOKS_MAX = 5;

/** Where the text to replace stands first, in each repository. */
const holdersOf = async (read: Db, replaced: Replaced): Promise<Omit<CommitRange, "to">[]> => {
  if ("summary" in replaced) {
    const at = await placeInGit.first(read, { id: replaced.commit_id });
    return at?.git_number == null ? [] : [{ repository: at.repository, from: at.git_number }];
  }
  const holders = await sql.holdersOf.all(read, { sha256: replaced.sha256 });
  return holders.map(({ repository, first }) => ({ repository, from: Number(first) }));
};

/**
 * Runs `write`, which replaces a text, and gives the commits from its first one on their new ids in the same
 * transaction, by the function that it is handed; that resolves to the number of repositories.
 */
export async function renaming<T>(
  read: Db,
  replaced: Replaced,
  write: (rename: (tx: Tx) => Promise<number>) => Promise<T>,
): Promise<T> {
  for (let looks = 1; ; looks++) {
    const all: Renaming[] = [];
    for (const holder of await holdersOf(read, replaced)) {
      const found = await renamingOf(read, holder, replaced);
      if (found !== undefined) all.push(found);
    }
    try {
      return await write((tx) => renamed(tx, replaced, all));
    } catch (error) {
      if (!(error instanceof Moved)) throw error;
      if (looks === LOOKS_MAX) throw new Rejection("overloaded", MOVING);
    }
  }
}

const MOVING = "Agents commit to a repository that holds this. Try again in a moment.";

async function renamed(tx: Tx, replaced: Replaced, all: readonly Renaming[]): Promise<number> {
  const holders = await holdersOf(tx, replaced);
  for (const { repository } of holders) {
    const found = all.find((each) => each.repository === repository);
    const head = await sql.head.first(tx, { repository });
    if (found?.head.id !== head?.id || found?.head.git_sha1 !== head?.git_sha1) throw new Moved();
    for (const id of found?.ids ?? []) await sql.setGitId.run(tx, id);
  }
  return holders.length;
}
