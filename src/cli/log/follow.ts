import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder } from "../../platform/db/folder.ts";
import { spaceAt } from "../../platform/db/sqlite/disk.ts";
import { type Entry, logLeafOf, parseEntry } from "../../platform/kernel/proof/entry.ts";
import {
  type Frontier,
  growWatched,
  HASH_BYTES,
  isSame,
  logNode,
  rootOf,
} from "../../platform/kernel/proof/merkle.ts";
import { demand, faultOf } from "../../platform/kernel/proof/unproven.ts";
import { parseCheckpoint, type SignedCheckpoint } from "../../platform/kernel/tlog/checkpoint.ts";
import { noteOf } from "../../platform/kernel/tlog/note.ts";
import { faultBy, type Policy } from "../../platform/kernel/tlog/policy.ts";
import {
  bundleOf,
  entriesOf,
  TILE_HEIGHT,
  TILE_WIDTH,
  type Tile,
  tilePath,
  tilesBetween,
} from "../../platform/kernel/tlog/tiles.ts";
import {
  consistencyRanges,
  isConsistent,
  rootOfRange,
  subtreeRoots,
  type TreeHead,
} from "../../platform/kernel/tlog/tree.ts";
import { verifySignature } from "../../platform/ledger/seals/ed25519.ts";
import { sha256 } from "../../platform/ledger/sha256.ts";
import { refuseEndedLedger } from "../../verify/ended.ts";
import { readTile } from "../../verify/log/files.ts";
import { CHECKPOINT_BYTES_MAX, logSource, type ReadLog } from "../../verify/log/source.ts";
import { REFUSED, Stop, UNREADABLE } from "../command/stop.ts";
import { checkpointIn, extend, hashesFrom, hashesIn, lackingIn, place } from "./log-folder.ts";

const node = logNode(sha256);

/** Exit code: the log has signed two histories of which neither continues the other. */
export const CONTRADICTED = 3;
/** Exit code: the log shows less than it did. */
export const SHORTENED = 4;

/** What following a log came to. */
export interface Followed {
  readonly origin: string;
  readonly old_size: number;
  readonly size: number;
  readonly files: number;
}

/** What a log has that is new, none of which is in the copy yet. */
export interface News extends Followed {
  /** Why the copy stays as it is: an entry under the signed checkpoint is none. Null when all are. */
  readonly refusal: string | null;
  /** Brings the copy up to the checkpoint. Until then the same is new again. */
  keep(): Promise<void>;
}

/** Told of every entry that is new, once it is known to be under the checkpoint. */
type OnEntry = (entry: Entry) => void;

/**
 * Reads a log from where a copy of it ends up to its newest checkpoint, which has to satisfy the policy.
 * Every entry is hashed, and the tree that they make with those before has to be the signed one. A log
 * that contradicts the copy ends it with a Stop; both notes are kept in the copy's folder `evidence`.
 */
export async function follow(
  from: string,
  { folder, policy }: { readonly folder: string; readonly policy: Policy },
  onEntry: OnEntry,
): Promise<News> {
  const read = logSource(from);
  const ours = checkpointIn(folder);
  const text = Buffer.from(await read("checkpoint", CHECKPOINT_BYTES_MAX)).toString();
  const theirs = parseCheckpoint(text);
  if (theirs === null) throw new Stop(UNREADABLE, `${from}/checkpoint is no checkpoint.`);
  const fault = faultBy({ verifySignature }, policy, theirs);
  if (fault !== null) throw new Stop(REFUSED, `The checkpoint of size ${theirs.size}: ${fault}.`);
  if (ours !== null && ours.origin !== theirs.origin)
    throw new Stop(
      REFUSED,
      `${folder} holds the log ${ours.origin}, and this is ${theirs.origin}.`,
    );
  const { origin, size } = theirs;
  const old_size = ours?.size ?? 0;
  if (ours !== null && theirs.size <= ours.size) return notLarger(folder, ours, theirs);

  await refuseEndedLog(ours === null ? from : folder, ours ?? theirs);
  const staged = join(folder, STAGED);
  const clear = () => rmSync(staged, { recursive: true, force: true });
  clear(); // Of a run that was cut off.
  makeFolder(folder);
  try {
    mkdirSync(staged, { mode: 0o700 }); // Fails where somebody has put a link there meanwhile.
    const whyNot = () => whyNotUnder(read, { folder, ours, theirs });
    const made = await stage(read, { from, folder, staged, old_size, theirs, whyNot });
    const growth = { old_size, size };
    const files = lackingIn(folder, growth).length + 1;
    const refusal = toldOf(staged, growth, onEntry);
    const keep = async () => {
      await extend(folder, { ...growth, note: text }, made.bytesOf).finally(clear);
    };
    if (refusal === null) return { origin, old_size, size, files, refusal, keep };
    clear();
    return { origin, old_size, size: old_size, files: 0, refusal, keep: async () => {} };
  } catch (error) {
    clear();
    throw error;
  }
}

/** A Stop when the first entry of a log names no rules. */
async function refuseEndedLog(place: string, { size }: TreeHead): Promise<void> {
  if (size === 0) return;
  const width = Math.min(size, TILE_WIDTH);
  const [first] = (await readTile(logSource(place), { level: "entries", n: 0, width })) ?? [];
  // That an entry is none is told where it is read.
  faultOf(() => first !== undefined && refuseEndedLedger(place, parseEntry(first)));
}

/** Tells of every new entry; resolves to a sentence for those that are none, or have another place. */
function toldOf(staged: string, { old_size, size }: Grown, onEntry: OnEntry): string | null {
  let first: string | null = null;
  let none = 0;
  for (const tile of tilesBetween("entries", old_size, size)) {
    const bundle = entriesOf(readFileSync(join(staged, tilePath(tile))), tile.width) ?? [];
    for (const [i, bytes] of bundle.entries()) {
      const id = tile.n * TILE_WIDTH + i + 1;
      if (id <= old_size) continue;
      const fault = faultOf(() => {
        const entry = parseEntry(bytes);
        demand(entry.id === id, `its id says ${entry.id}`);
        onEntry(entry);
      });
      if (fault === null) continue;
      none++;
      first ??= `Entry ${id}, which the signed checkpoint of size ${size} covers, is none: ${fault}.`;
    }
  }
  const others = none > 1 ? ` ${none} entries are none.` : "";
  return first === null ? null : `${first}${others} The copy stays at ${old_size} entries.`;
}

interface Grown {
  readonly old_size: number;
  readonly size: number;
}

/** Where bundles are until they are known to be under the checkpoint. */
const STAGED = "staged";

/** So many entries are read before the log has to prove that they are under its checkpoint. */
const STEP = TILE_WIDTH ** 2;

/** Bundles between two looks at the disk. */
const BUNDLES_PER_LOOK = 64;

interface Staging {
  readonly from: string;
  readonly folder: string;
  readonly staged: string;
  readonly old_size: number;
  readonly theirs: SignedCheckpoint;
  /** Why what was read is not under the checkpoint. */
  readonly whyNot: () => Promise<Stop>;
}

/**
 * Reads the bundles with entries after those of the copy and hashes them: the tree goes on from the copy's,
 * and has to become the signed one. The size that a log names costs this reader no more than the entries
 * that it can show: every step of them is proven, and the disk is left with its floor of free space.
 */
async function stage(
  read: ReadLog,
  { from, folder, staged, old_size, theirs, whyNot }: Staging,
): Promise<{ bytesOf(tile: Tile): Promise<Uint8Array> }> {
  const { size } = theirs;
  const held = hashesIn(folder, old_size);
  const roots = old_size === 0 ? [] : await subtreeRoots(held, { from: 0, to: old_size }, node);
  let tree: Frontier = { size: old_size, roots };
  const above = new Map<string, Uint8Array>();
  for (const tile of tilesBetween("entries", old_size, size)) {
    if (tile.n % BUNDLES_PER_LOOK === 0) demandRoom(staged, tree.size, size);
    const entries = await readTile(read, tile);
    if (entries === null) throw new Stop(UNREADABLE, `${from}/${tilePath(tile)} is no bundle.`);
    const first = tile.n * TILE_WIDTH;
    const known = first < old_size ? await held(0, { from: first, to: old_size }) : [];
    const leaves = entries.slice(known.length).map((entry) => logLeafOf(entry, sha256));
    stageFile(staged, tile, bundleOf(entries));
    stageFile(staged, { ...tile, level: 0 }, Buffer.concat([...known, ...leaves]));
    tree = growWatched(tree, leaves, node, (height, number, root) => {
      const level = height / TILE_HEIGHT;
      if (level >= 1 && Number.isInteger(level)) above.set(`${level}/${number}`, root);
    });
    const isStep = tree.size % STEP === 0 && tree.size < size;
    if (isStep && !(await isProven(read, { size: tree.size, root: rootOf(tree, node) }, theirs)))
      throw await whyNot();
  }
  if (!isSame(rootOf(tree, node), theirs.root)) throw await whyNot();
  const hashAt = async (level: number, n: number): Promise<Uint8Array> =>
    above.get(`${level}/${n}`) ??
    (await held(level, { from: n, to: n + 1 }))[0] ??
    Buffer.alloc(HASH_BYTES);
  return {
    async bytesOf({ level, n, width }) {
      if (level === "entries" || level === 0)
        return readFileSync(join(staged, tilePath({ level, n, width })));
      const places = Array.from({ length: width }, (_, i) => n * TILE_WIDTH + i);
      return Buffer.concat(await Promise.all(places.map((at) => hashAt(level, at))));
    },
  };
}

/** Whether the log's own tiles lead from a smaller tree to its checkpoint. */
async function isProven(read: ReadLog, old: TreeHead, theirs: SignedCheckpoint): Promise<boolean> {
  const from = hashesFrom(read, theirs.size);
  const ranges = consistencyRanges(old.size, theirs.size);
  const proof = await Promise.all(ranges.map((range) => rootOfRange(from, range, node)));
  return isConsistent(old, theirs, proof, node);
}

function demandRoom(staged: string, read: number, size: number): void {
  const { free_bytes, floor_bytes } = spaceAt(staged);
  if (free_bytes >= floor_bytes) return;
  throw new Stop(
    UNREADABLE,
    `The disk is nearly full, and ${read} of ${size} entries are read. Make room, and run it again.`,
  );
}

/** Staged files go with the run, so they need no flush to the disk. */
function stageFile(staged: string, tile: Tile, bytes: Uint8Array): void {
  const path = join(staged, tilePath(tile));
  makeFolder(dirname(path));
  writeFileSync(path, bytes, { flag: "wx" });
}

/** Compares a checkpoint that is not larger with the copy. */
async function notLarger(
  folder: string,
  ours: SignedCheckpoint,
  theirs: SignedCheckpoint,
): Promise<News> {
  const { origin, size } = ours;
  const hashes = hashesIn(folder, size);
  const root =
    theirs.size === 0 ? theirs.root : await rootOfRange(hashes, { from: 0, to: theirs.size }, node);
  if (!isSame(root, theirs.root)) throw contradiction(folder, ours, theirs);
  if (theirs.size < size)
    throw new Stop(SHORTENED, `The log shows ${theirs.size} entries, and has shown ${size}.`);
  return { origin, old_size: size, size, files: 0, refusal: null, keep: async () => {} };
}

interface Both {
  readonly folder: string;
  readonly ours: SignedCheckpoint | null;
  readonly theirs: SignedCheckpoint;
}

/**
 * Why entries do not make the signed tree: the log's own tiles lead to its checkpoint, and not on from
 * the copy's, or this address just serves something else than its checkpoint says.
 */
async function whyNotUnder(read: ReadLog, { folder, ours, theirs }: Both): Promise<Stop> {
  const wrong = new Stop(UNREADABLE, "The entries at this address are not under its checkpoint.");
  if (ours === null) return wrong;
  const from = hashesFrom(read, theirs.size);
  try {
    const whole = await rootOfRange(from, { from: 0, to: theirs.size }, node);
    if (!isSame(whole, theirs.root)) return wrong;
    return (await isProven(read, ours, theirs)) ? wrong : contradiction(folder, ours, theirs);
  } catch (error) {
    if (error instanceof Stop) return wrong;
    throw error;
  }
}

/** Keeps both notes: together they show that the log has signed two histories. */
function contradiction(folder: string, ours: SignedCheckpoint, theirs: SignedCheckpoint): Stop {
  const both = [ours, theirs].map((checkpoint) => {
    const { text, signatures } = checkpoint.note;
    const path = `evidence/${checkpoint.size}-${checkpoint.root.toHex().slice(0, 16)}.note`;
    place(
      folder,
      path,
      noteOf(
        text,
        signatures.map(({ line }) => line),
      ),
    );
    return path;
  });
  return new Stop(
    CONTRADICTED,
    `The log ${ours.origin} contradicts itself: it has signed ${both.join(" and ")} in ${folder}, and neither continues the other. Keep both: they are the proof.`,
  );
}
