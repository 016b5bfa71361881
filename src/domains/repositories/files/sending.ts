import type { Db } from "../../../platform/db/engine.ts";
import { type FileFacts, type Folder, filesIn, foldersIn, treeBody } from "./folders.ts";
import {
  addContents,
  type Brought,
  type CommitRange,
  countUpTo,
  type Holder,
  type Packs,
} from "./history.ts";
import { gathering, type Objects, PACK_COMMITS_MAX, packHead } from "./packs.ts";
import * as sql from "./queries.ts";
import { bodyOfCommit, type Place, rootAt } from "./roots.ts";
import { type Step, slices } from "./slices.ts";

/** One part of the files at a commit holds so many folders, or so many contents with so many bytes. */
const PART_FOLDERS_MAX = 1_000;
const PART_FILES_MAX = 200;
const PART_BYTES_MAX = 1024 * 1024;

/** Commits among which those of a client are looked up at once. */
const COMMITS_PER_READ = 2_000;

/** What a client of git asks for (gitprotocol-pack); ids in hex. */
export interface Wanted {
  readonly wants: readonly string[];
  readonly haves: readonly string[];
  /** How many commits of the history it wants; null: all. */
  readonly depth: number | null;
}

/** Some objects, of which those from one on and before another are sent. */
interface Part {
  readonly objects: Objects;
  readonly count: number;
}

/** Makes a part of an answer, again whenever it is asked. Null where the history has changed meanwhile. */
type Piece = () => Promise<Part | null>;

/** An answer to a client. */
export interface Sending {
  readonly tip: Place;
  /** The newest commit that the client has; undefined where it has none. */
  readonly common: Place | undefined;
  /** The first commit that it gets, where it gets no older ones. */
  readonly boundary: Place | undefined;
  readonly pieces: readonly Piece[];
}

export interface Sender {
  readonly read: Db;
  readonly packs: Packs;
  readonly repository: number;
  readonly holder: Holder;
}

/** Finds what a client wants and has. Null where it wants no commit of this history. */
export async function sendingOf(sender: Sender, wanted: Wanted): Promise<Sending | null> {
  const tip = await newestOf(sender, wanted.wants, Number.MAX_SAFE_INTEGER);
  if (tip === undefined) return null;
  const to = tip.git_number ?? 0;
  const common = await newestOf(sender, wanted.haves, to);
  if (wanted.depth === null) {
    const pieces = await piecesOf(sender, { from: (common?.git_number ?? 0) + 1, to, tip });
    return { tip, common, boundary: undefined, pieces };
  }
  const from = Math.max(1, to - wanted.depth + 1);
  if (from === 1)
    return { tip, common, boundary: undefined, pieces: await piecesOf(sender, { from, to, tip }) };
  const boundary = await sql.commitNumbered.first(sender.read, {
    repository: sender.repository,
    git_number: from,
  });
  if (boundary === undefined) return null;
  const files = await piecesAt(sender, boundary);
  if (files === null) return null;
  const later = await piecesOf(sender, { from: from + 1, to, tip });
  return { tip, common, boundary, pieces: [...files, ...later] };
}

/** The newest commit of these that the history has up to a number. */
async function newestOf(
  { read, repository }: Sender,
  ids: readonly string[],
  below: number,
): Promise<Place | undefined> {
  if (ids.length === 0) return;
  const head = await sql.head.first(read, { repository });
  const step = slices();
  const list = { ids: JSON.stringify(ids) };
  for (let to = Math.min(head?.git_number ?? 0, below); to > 0; to -= COMMITS_PER_READ) {
    const range = { repository, from: to - COMMITS_PER_READ + 1, to };
    const found = await sql.newestNamed.first(read, { ...range, ...list });
    if (found !== undefined) return found;
    await step(COMMITS_PER_READ / 4);
  }
  return;
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly tip: Place;
}

/** The objects that some commits brought, by the packs in which they are; the first of these may be cut. */
async function piecesOf(
  { read, packs, repository, holder }: Sender,
  { from, to, tip }: Span,
): Promise<Piece[]> {
  const pieces: Piece[] = [];
  const step = slices();
  for (let first = from; first <= to; ) {
    const begun = await sql.commitNumbered.first(read, { repository, git_number: first });
    const start = begun?.pack_start ?? first;
    const all = { repository, from: start, to: start + PACK_COMMITS_MAX - 1 };
    const closed = await sql.lastOfPack.first(read, all);
    const last = closed === undefined || (closed.git_number ?? 0) >= to ? tip : closed;
    const range = { repository, from: first, to: last.git_number ?? to };
    const name = { ...range, tip: last.git_sha1 ?? "" };
    const make = () =>
      start === range.from ? packs.objects(read, name, holder) : packs.others(read, range, holder);
    pieces.push(async () => partOf(await make(), name));
    first = range.to + 1;
    await step(2);
  }
  return pieces;
}

function partOf(made: Brought | null, { to, tip }: CommitRange & { readonly tip: string }) {
  const count = made && countUpTo(made, to, tip);
  return made === null || count === null ? null : { objects: made, count };
}

/** A commit with all folders and contents that it has. Null where the history has changed meanwhile. */
async function piecesAt({ read, repository }: Sender, place: Place): Promise<Piece[] | null> {
  const root = await rootAt(read, { repository, place }, slices());
  if (root === undefined) return null;
  const commit = async () => {
    const to = place.git_number ?? 0;
    const [before, told] = await sql.commitsIn.all(read, { repository, from: to - 1, to });
    if (before === undefined || told?.git_sha1 !== place.git_sha1) return null;
    const gathered = gathering();
    const body = bodyOfCommit(told, { tree: root, parent: before.git_sha1 });
    gathered.add(Buffer.from(place.git_sha1 ?? "", "hex").toString("latin1"), "commit", { body });
    return { objects: gathered.finish(), count: gathered.count() };
  };
  const step = slices();
  const pieces: Piece[] = [commit];
  let folders: Folder[] = [];
  for (const folder of foldersIn(root)) {
    folders.push(folder);
    if (folders.length < PART_FOLDERS_MAX) continue;
    pieces.push(partOfFolders(folders, step));
    folders = [];
    await step(PART_FOLDERS_MAX / 16);
  }
  pieces.push(partOfFolders(folders, step));
  let [files, bytes]: [FileFacts[], number] = [[], 0];
  for (const file of filesIn(root)) {
    files.push(file);
    bytes += file.bytes;
    if (bytes < PART_BYTES_MAX && files.length < PART_FILES_MAX) continue;
    pieces.push(partOfFiles(read, files, step));
    [files, bytes] = [[], 0];
    await step(PART_FILES_MAX / 16);
  }
  return [...pieces, partOfFiles(read, files, step)];
}

const partOfFolders =
  (folders: readonly Folder[], step: Step): Piece =>
  async () => {
    const gathered = gathering();
    for (const folder of folders) {
      gathered.add(folder.id ?? "", "tree", { body: treeBody(folder) });
      await step();
    }
    return { objects: gathered.finish(), count: gathered.count() };
  };

const partOfFiles =
  (read: Db, files: readonly FileFacts[], step: Step): Piece =>
  async () => {
    const gathered = gathering();
    await step(files.length);
    await addContents(read, gathered, files);
    return { objects: gathered.finish(), count: gathered.count() };
  };

/** What an answer sends of its parts: an object that several of them have is sent once. */
export interface Counted {
  readonly objects: number;
  /** Of each part the objects, by their places, that stood in one before. */
  readonly repeated: readonly ReadonlySet<number>[];
}

/** Counts the objects of an answer. `told` hears how many there are so far. Null as a part is. */
export async function countedIn(
  { pieces }: Sending,
  told: (objects: number) => Promise<void>,
): Promise<Counted | null> {
  const known = knownIds();
  const repeated: Set<number>[] = [];
  const step = slices();
  let objects = 0;
  for (const piece of pieces) {
    const part = await piece();
    if (part === null) return null;
    const again = new Set<number>();
    for (let i = 0; i < part.count; i++) {
      if (known(part.objects.ids, i)) again.add(i);
      else objects++;
      if (i % IDS_PER_PIECE === 0) await step();
    }
    repeated.push(again);
    await told(objects);
  }
  return { objects, repeated };
}

/** The bytes of a pack of them but for its end, piece by piece. Null comes where a part is null, and nothing after. */
export async function* bytesOf(
  { pieces }: Sending,
  { objects, repeated }: Counted,
): AsyncGenerator<Buffer | null> {
  yield packHead(objects);
  for (const [n, piece] of pieces.entries()) {
    const part = await piece();
    if (part === null) {
      yield null;
      return;
    }
    const { bytes, starts } = part.objects;
    const left = [...(repeated[n] ?? []), part.count];
    let from = 0;
    for (const to of left) {
      if (to > from) yield bytes.subarray(starts[from], starts[to]);
      from = to + 1;
    }
  }
}

const IDS_PER_PIECE = 16;
const ID_BYTES = 20;
const SLOTS_MIN = 16;
const TABLES = 256;

/**
 * Says of ids whether they were met before, by their first eight bytes, in open hash tables: one for each first byte,
 * so that none takes long to grow. Two objects with the same ones would be sent once, which harms the repository of
 * who has searched for them and no other.
 */
function knownIds(): (ids: Buffer, i: number) => boolean {
  const tables = Array.from({ length: TABLES }, () => ({
    slots: new Uint32Array(SLOTS_MIN * 2),
    count: 0,
  }));
  return (ids, i) => {
    const at = i * ID_BYTES;
    const table = tables[ids[at] ?? 0];
    if (table === undefined) return false;
    const isNew = put(table.slots, ids.readUInt32BE(at), ids.readUInt32BE(at + 4) || 1);
    if (isNew && ++table.count * 3 > table.slots.length) table.slots = grown(table.slots);
    return !isNew;
  };
}

/** Two words for each slot; the second one of a free slot is 0. False where they were there. */
function put(slots: Uint32Array, high: number, low: number): boolean {
  const mask = slots.length / 2 - 1;
  for (let slot = (high ^ low) & mask; ; slot = (slot + 1) & mask) {
    const at = slot * 2;
    if (slots[at] === high && slots[at + 1] === low) return false;
    if (slots[at + 1] !== 0) continue;
    slots[at] = high;
    slots[at + 1] = low;
    return true;
  }
}

function grown(slots: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(slots.length * 2);
  for (let at = 0; at < slots.length; at += 2) {
    const [high = 0, low = 0] = [slots[at], slots[at + 1]];
    if (low !== 0) put(larger, high, low);
  }
  return larger;
}
