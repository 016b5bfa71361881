import { createHash, hash } from "node:crypto";
import { normalized } from "../../../platform/kernel/text.ts";
import type { Step } from "./slices.ts";

const ASCII = /^[\0-\x7f]*$/;

/** What a file of a folder holds. */
export interface FileFacts {
  readonly sha256: string;
  readonly bytes: number;
  /** The id that git gives it, 20 bytes in latin1; null until it is known. */
  id: string | null;
}

/**
 * A folder of a repository after some commit. It never changes but for its id: a commit makes new ones on the way
 * of its paths and shares all others.
 */
export interface Folder {
  /** In git's order, which is that of whole paths, too. */
  readonly items: readonly Item[];
  /** Of it and all below. */
  readonly files: number;
  readonly bytes: number;
  readonly folders: number;
  /** Of its tree in git, 20 bytes in latin1; null until it is hashed. */
  id: string | null;
  /** The lines of its files for the hash of a commit's files, where they are few; null until they are asked for. */
  lines: string | null;
}

interface FileItem {
  readonly key: string;
  readonly file: FileFacts;
  readonly folder?: undefined;
}

/** `key`: the name's bytes in latin1, so that strings compare as bytes do; behind a folder's stands a slash. */
type Item = FileItem | { readonly key: string; readonly folder: Folder; readonly file?: undefined };

export const EMPTY_FOLDER: Folder = {
  items: [],
  files: 0,
  bytes: 0,
  folders: 0,
  id: null,
  lines: null,
};

/** A path and what stands there from now on; null: nothing. */
export interface PathChange {
  readonly path: string;
  readonly file: FileFacts | null;
}

/** A folder that changes have made of another. */
export interface MadeFolder {
  /** Its path, with a slash behind it unless it is the root. */
  readonly path: string;
  readonly folder: Folder;
  readonly before: Folder;
}

interface Placed extends PathChange {
  readonly names: readonly string[];
}

const latin1 = (text: string): string =>
  ASCII.test(text) ? text : Buffer.from(text).toString("latin1");

const utf8 = (key: string): string =>
  ASCII.test(key) ? key : Buffer.from(key, "latin1").toString();

/**
 * Applies changes of paths, each of which stands in them once. `made` has the folders that are new: those on the
 * way of the paths, where anything is left in them. Nothing is hashed, and names that clash are not noticed.
 */
export function changedFolder(
  root: Folder,
  changes: readonly PathChange[],
): { readonly root: Folder; readonly made: readonly MadeFolder[] } {
  const made: MadeFolder[] = [];

  function changed(before: Folder, within: readonly Placed[], path: string, depth: number): Folder {
    const edits = new Map<string, Item | null>();
    for (const [name, all] of Map.groupBy(within, ({ names }) => names[depth] ?? "")) {
      const key = latin1(name);
      const below: Placed[] = [];
      for (const change of all)
        if (change.names.length > depth + 1) below.push(change);
        else edits.set(key, change.file && { key, file: change.file });
      if (below.length === 0) continue;
      const known = itemOf(before, `${key}/`)?.folder ?? EMPTY_FOLDER;
      const folder = changed(known, below, `${path}${name}/`, depth + 1);
      edits.set(`${key}/`, folder.files === 0 ? null : { key: `${key}/`, folder });
    }
    const folder = folderOf(merged(before.items, edits));
    if (folder.files > 0) made.push({ path, folder, before });
    return folder;
  }

  const placed = changes.map((change) => ({ ...change, names: change.path.split("/") }));
  return { root: changed(root, placed, "", 0), made };
}

function folderOf(items: readonly Item[]): Folder {
  const all = { files: 0, bytes: 0, folders: 1 };
  for (const { file, folder } of items) {
    all.files += folder?.files ?? 1;
    all.bytes += folder?.bytes ?? file?.bytes ?? 0;
    all.folders += folder?.folders ?? 0;
  }
  return { items, ...all, id: null, lines: null };
}

function itemOf({ items }: Folder, key: string): Item | undefined {
  let [from, to] = [0, items.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((items[middle]?.key ?? "") < key) from = middle + 1;
    else to = middle;
  }
  const found = items[from];
  return found?.key === key ? found : undefined;
}

/** The items with those that were edited, in their order. */
function merged(items: readonly Item[], edits: ReadonlyMap<string, Item | null>): Item[] {
  const fresh = [...edits.values()].flatMap((item) => item ?? []);
  fresh.sort((a, b) => (a.key < b.key ? -1 : 1));
  const all: Item[] = [];
  let next = 0;
  for (const item of items) {
    if (edits.has(item.key)) continue;
    for (let each = fresh[next]; each !== undefined && each.key < item.key; each = fresh[next]) {
      all.push(each);
      next++;
    }
    all.push(item);
  }
  return [...all, ...fresh.slice(next)];
}

/** Equal for two names that some file system takes for one. */
const folded = (name: string): string =>
  ASCII.test(name)
    ? name.toLowerCase()
    : normalized(name.toLowerCase().toUpperCase().toLowerCase(), "NFC");

/** A path that was added beside another which some system takes for it. */
export interface Clash {
  readonly path: string;
  readonly other: string;
}

/** The first one in a folder; null where there is none. */
export function clashIn({ path, folder, before }: MadeFolder): Clash | null {
  const known = new Map<string, string>();
  for (const { key } of folder.items) {
    const name = utf8(key);
    const plain = folded(name.endsWith("/") ? name.slice(0, -1) : name);
    const other = known.get(plain);
    known.set(plain, name);
    if (other === undefined) continue;
    const isLater = itemOf(before, key) === undefined;
    const [added, beside] = isLater ? [name, other] : [other, name];
    return { path: path + added, other: path + beside };
  }
  return null;
}

/** How many items of a folder are files, and how many are folders. */
export function countsOf({ items }: Folder): { readonly files: number; readonly folders: number } {
  const files = items.filter(({ file }) => file !== undefined).length;
  return { files, folders: items.length - files };
}

/** Small folders count one piece of work. */
const ITEMS_PER_PIECE = 16;

/** The body of a folder's tree in git; all ids in it must be known. */
export const treeBody = (folder: Folder): Buffer => Buffer.from(treeText(folder), "latin1");

function treeText({ items }: Folder): string {
  let text = "";
  for (const { key, file, folder } of items)
    text +=
      folder === undefined
        ? `100644 ${key}\0${file.id}`
        : `40000 ${key.slice(0, -1)}\0${folder.id}`;
  return text;
}

/** Hashes each folder that has no id yet. `made` is told of each, those below first. */
export async function hashFolders(
  root: Folder,
  step: Step,
  made: (folder: Folder) => void = () => {},
): Promise<void> {
  for (const folder of foldersIn(root, ({ id }) => id === null)) {
    const text = treeText(folder);
    folder.id = hash("sha1", Buffer.from(`tree ${text.length}\0${text}`, "latin1"), "latin1");
    made(folder);
    await step(1 + folder.items.length / ITEMS_PER_PIECE);
  }
}

/** A folder and all below it that are wanted, those below first; below an unwanted one is none. */
export function* foldersIn(
  folder: Folder,
  isWanted: (folder: Folder) => boolean = () => true,
): Generator<Folder> {
  if (!isWanted(folder)) return;
  for (const item of folder.items)
    if (item.folder !== undefined) yield* foldersIn(item.folder, isWanted);
  yield folder;
}

/** Lines that a folder keeps, and that are hashed at once; how many pieces of work that is. */
const LINES_KEPT_MAX = 256;
const PIECES_PER_TEXT = 8;

/**
 * The hash that a commit seals of all files after it: SHA-256 over `path`, NUL, SHA-256 in hex and a line feed
 * of each, in the order of the paths' bytes (docs/reference/repositories.md).
 */
export async function treeSha256(root: Folder, step: Step): Promise<string> {
  const sum = createHash("sha256");
  for (const text of textsIn(root, "")) {
    sum.update(text, "latin1");
    await step(1 + (text.length / LINE_LENGTH / LINES_KEPT_MAX) * PIECES_PER_TEXT);
  }
  return sum.digest("hex");
}

/** About. */
const LINE_LENGTH = 128;

/** The same at once. */
export function treeSha256AtOnce(root: Folder): string {
  const sum = createHash("sha256");
  for (const text of textsIn(root, "")) sum.update(text, "latin1");
  return sum.digest("hex");
}

/** The lines of a folder, which is always at the same path, so that a small one keeps its own. */
function* textsIn(folder: Folder, above: string): Generator<string> {
  if (folder.files <= LINES_KEPT_MAX) {
    folder.lines ??= linesOf(folder, above, []).join("");
    yield folder.lines;
    return;
  }
  for (const item of folder.items)
    if (item.folder === undefined) yield lineOf(item, above);
    else yield* textsIn(item.folder, above + item.key);
}

function linesOf({ items }: Folder, above: string, lines: string[]): string[] {
  for (const item of items)
    if (item.folder === undefined) lines.push(lineOf(item, above));
    else linesOf(item.folder, above + item.key, lines);
  return lines;
}

const lineOf = ({ key, file }: FileItem, above: string): string =>
  `${above}${key}\0${file.sha256}\n`;

/** All files of a folder. */
export function* filesIn({ items }: Folder): Generator<FileFacts> {
  for (const { file, folder } of items)
    if (folder === undefined) yield file;
    else yield* filesIn(folder);
}
