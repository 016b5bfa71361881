import { promisify } from "node:util";
import { deflate } from "node:zlib";
import type { Db, Tx } from "../../db/engine.ts";
import { lru } from "../../kernel/lru.ts";
import { FILES_MAX } from "../rules.ts";
import {
  commitBody,
  emptyFolder,
  type Folder,
  gitId,
  REMOVED_TEXT,
  setFile,
  treeId,
} from "./git-objects.ts";
import { type Pack, type Packed, packOf } from "./packs.ts";
import * as sql from "./queries.ts";

/** Packs that a process keeps, so that an index and its pack are made once. */
const PACKS_KEPT_MAX_BYTES = 16 * 1024 * 1024;

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

/** The names of the packs that hold a whole repository, the newest first: a lookup for each. */
export async function packNames(read: Db, repository: number): Promise<string[]> {
  const names: string[] = [];
  let end = await sql.head.first(read, { repository });
  while (end !== undefined) {
    const { pack_start, git_number, git_sha1 } = end;
    const from = pack_start ?? 1;
    names.push(packName({ from, to: git_number ?? from, tip: git_sha1 ?? "" }));
    end =
      from === 1
        ? undefined
        : await sql.commitNumbered.first(read, { repository, git_number: from - 1 });
  }
  return names;
}

export type FindPack = (read: Db, repository: number, name: string) => Promise<Pack | null>;

/**
 * Finds packs by their names. A name stays good for as long as the history of its commits does: also one
 * of the newest commits, to which others have come. Null for any other name.
 */
export function packsFinder(): FindPack {
  const kept = lru<string, Pack>({
    max: PACKS_KEPT_MAX_BYTES,
    sizeOf: ({ pack, index }) => pack.length + index.length,
  });
  const making = new Map<string, Promise<Pack>>();
  return async (read, repository, name) => {
    const range = rangeIn(name);
    if (range === null) return null;
    const end = await sql.commitNumbered.first(read, { repository, git_number: range.to });
    if (end?.pack_start !== range.from || !end.git_sha1?.startsWith(range.tip)) return null;
    const key = `${repository} ${name}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const work = making.get(key) ?? makePack(read, { ...range, repository });
    making.set(key, work);
    try {
      const pack = await work;
      kept.set(key, pack);
      return pack;
    } finally {
      making.delete(key);
    }
  };
}

function rangeIn(name: string): Range | null {
  const [, from, to, tip] = PACK_NAME.exec(name) ?? [];
  if (from === undefined || to === undefined || tip === undefined) return null;
  return { from: Number.parseInt(from, 16), to: Number.parseInt(to, 16), tip };
}

type CommitRange = Omit<Range, "tip"> & { readonly repository: number };

/** A pack repeats what stood before it up to so many bytes, so that git finds all files of its commits in it. */
const REPEATED_MAX_BYTES = 2 * 1024 * 1024;

/**
 * All objects that some commits brought, and where that is little all that stood before them: for each
 * object that is in another pack git would ask here in vain first.
 */
async function makePack(read: Db, range: CommitRange): Promise<Pack> {
  const { folder, parent, at, bytes } = await stateBefore(read, range);
  const [commits, changes, old] = await Promise.all([
    sql.commitsIn.all(read, range),
    sql.contentsIn.all(read, range),
    at === null || bytes > REPEATED_MAX_BYTES
      ? []
      : sql.contentsAt.all(read, { repository: range.repository, at }),
  ]);
  const objects = new Map<string, Packed | Promise<Packed>>();
  const addBlob = ({ git_sha1: id, purged_at, deflated, bytes }: (typeof changes)[number]) => {
    if (id === null || deflated === null) return;
    const length = purged_at === null ? (bytes ?? 0) : Buffer.byteLength(REMOVED_TEXT);
    objects.set(id, { id, type: "blob", bytes: length, deflated });
  };
  const addTree = (id: string, body: Buffer) => void objects.set(id, packed("tree", id, body));
  for (const blob of old) addBlob(blob);
  treeId(folder, old.length > 0 ? addTree : () => {});
  const changed = Map.groupBy(changes, ({ commit_id }) => commit_id);
  let before = parent;
  for (const commit of commits) {
    for (const change of changed.get(commit.id) ?? []) {
      setFile(folder, change.path, change.git_sha1);
      addBlob(change);
    }
    const tree = treeId(folder, addTree);
    const body = commitBody({ ...commit, tree, parent: before, at: commit.created_at });
    before = gitId("commit", body);
    objects.set(before, packed("commit", before, body));
  }
  return packOf(await Promise.all(objects.values()));
}

async function packed(type: "tree" | "commit", id: string, body: Buffer): Promise<Packed> {
  return { id, type, bytes: body.length, deflated: await promisify(deflate)(body) };
}

/** The state before the first commit of a range. */
interface Before {
  readonly folder: Folder;
  /** The git id of the commit before, and its own id; null for the first one. */
  readonly parent: string | null;
  readonly at: number | null;
  /** Of all files. */
  readonly bytes: number;
}

async function stateBefore(read: Db, { repository, from }: CommitRange): Promise<Before> {
  const folder = emptyFolder();
  if (from <= 1) return { folder, parent: null, at: null, bytes: 0 };
  const before = await sql.commitNumbered.first(read, { repository, git_number: from - 1 });
  if (before === undefined) throw new Error("The commit before a pack is not there.");
  const place = { repository, at: before.id, after: "", limit: FILES_MAX };
  let bytes = 0;
  for (const file of await sql.filesAfter.all(read, place)) {
    setFile(folder, file.path, file.git_sha1);
    bytes += file.bytes;
  }
  return { folder, parent: before.git_sha1, at: before.id, bytes };
}

/** The git ids of commits from a number on, computed anew: of those that changed. */
export async function gitIdsFrom(
  read: Db,
  range: CommitRange,
): Promise<{ readonly id: number; readonly git_sha1: string }[]> {
  const { folder, parent } = await stateBefore(read, range);
  treeId(folder, () => {});
  const [commits, changes] = await Promise.all([
    sql.commitsIn.all(read, range),
    sql.namesIn.all(read, range),
  ]);
  const changed = Map.groupBy(changes, ({ commit_id }) => commit_id);
  let before = parent;
  const ids: { readonly id: number; readonly git_sha1: string }[] = [];
  for (const commit of commits) {
    for (const { path, git_sha1 } of changed.get(commit.id) ?? []) setFile(folder, path, git_sha1);
    const tree = treeId(folder, () => {});
    before = gitId(
      "commit",
      commitBody({ ...commit, tree, parent: before, at: commit.created_at }),
    );
    if (before !== commit.git_sha1) ids.push({ id: commit.id, git_sha1: before });
  }
  return ids;
}

/** Gives git's new ids to the commits that hold a content, and to all after them; resolves to the number of repositories. */
export async function renameCommitsWith(tx: Tx, sha256: string): Promise<number> {
  const holders = await sql.holdersOf.all(tx, { sha256 });
  for (const { repository, first } of holders) {
    const range = { repository, from: Number(first), to: Number.MAX_SAFE_INTEGER };
    for (const id of await gitIdsFrom(tx, range)) await sql.setGitId.run(tx, id);
  }
  return holders.length;
}
