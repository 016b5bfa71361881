import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { leafOf } from "../../kernel/proof/entry.ts";
import {
  type Frontier,
  growWatched,
  HASH_BYTES,
  isSame,
  logNode,
  rootOf,
} from "../../kernel/proof/merkle.ts";
import { parseCheckpoint, type SignedCheckpoint } from "../../kernel/tlog/checkpoint.ts";
import { noteOf } from "../../kernel/tlog/note.ts";
import { faultBy, type Policy } from "../../kernel/tlog/policy.ts";
import {
  entriesOf,
  TILE_HEIGHT,
  TILE_WIDTH,
  type Tile,
  tilePath,
  tilesBetween,
} from "../../kernel/tlog/tiles.ts";
import {
  consistencyRanges,
  type HashesAt,
  isConsistent,
  type LeafRange,
  rootOfRange,
  subtreeRoots,
  type TreeHead,
} from "../../kernel/tlog/tree.ts";
import { verifySignature } from "../../ledger/seals/ed25519.ts";
import { sha256 } from "../../ledger/sha256.ts";
import type { ReadLog } from "../../verify/log/source.ts";
import { REFUSED, Stop, UNREADABLE } from "../command/stop.ts";
import { checkpointIn, extend, hashesFrom, hashesIn, place } from "./log-folder.ts";

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

/** Told of every entry that is new, once it is known to be under the checkpoint. */
type OnEntry = (entry: Uint8Array) => void;

/**
 * Brings a copy of a log up to its newest checkpoint, which has to satisfy the policy. Every entry is
 * hashed, and the tree that they make with those before has to be the signed one. A log that
 * contradicts the copy ends it with a Stop; both notes are kept in the copy's folder `evidence`.
 */
export async function follow(
  read: ReadLog,
  { folder, policy }: { readonly folder: string; readonly policy: Policy },
  onEntry: OnEntry,
): Promise<Followed> {
  const ours = checkpointIn(folder);
  const text = Buffer.from(await read("checkpoint")).toString();
  const theirs = parseCheckpoint(text);
  if (theirs === null) throw new Stop(UNREADABLE, "The log's checkpoint is none.");
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

  const staged = join(folder, STAGED);
  try {
    const made = await stage(read, { folder, staged }, old_size, size);
    if (!isSame(rootOf(made.tree, node), theirs.root))
      throw await whyNot(read, { folder, ours, theirs });
    const { files } = await extend(folder, { old_size, size, note: text }, async (tile) =>
      tile.level === "entries"
        ? readFileSync(join(staged, tilePath(tile)))
        : Buffer.concat(await made.hashesAt(tile.level, placesOf(tile))),
    );
    for (const tile of tilesBetween("entries", old_size, size)) {
      const entries = entriesOf(readFileSync(join(staged, tilePath(tile))), tile.width) ?? [];
      for (const [i, entry] of entries.entries()) {
        const id = tile.n * TILE_WIDTH + i + 1;
        if (id > old_size) onEntry(entry);
      }
    }
    return { origin, old_size, size, files };
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

/** Where bundles are until they are known to be under the checkpoint. */
const STAGED = "staged";

const placesOf = ({ n, width }: Tile): LeafRange => ({
  from: n * TILE_WIDTH,
  to: n * TILE_WIDTH + width,
});

/** The tree of a log with what is new. */
interface Made {
  readonly tree: Frontier;
  readonly hashesAt: HashesAt;
}

/** Reads the bundles with entries after `old_size` and hashes them: the tree goes on from the copy's. */
async function stage(
  read: ReadLog,
  { folder, staged }: { readonly folder: string; readonly staged: string },
  old_size: number,
  size: number,
): Promise<Made> {
  const held = hashesIn(folder, old_size);
  const roots = old_size === 0 ? [] : await subtreeRoots(held, { from: 0, to: old_size }, node);
  let tree: Frontier = { size: old_size, roots };
  const made = new Map<string, Uint8Array>();
  for (const tile of tilesBetween("entries", old_size, size)) {
    const bytes = await read(tilePath(tile));
    const entries = entriesOf(bytes, tile.width);
    if (entries === null) throw new Stop(UNREADABLE, `${tilePath(tile)} is no bundle.`);
    place(staged, tilePath(tile), bytes);
    const first = tile.n * TILE_WIDTH;
    const leaves = entries
      .slice(Math.max(0, old_size - first))
      .map((entry) => leafOf(entry, sha256));
    for (const [i, leaf] of leaves.entries()) made.set(`0/${Math.max(first, old_size) + i}`, leaf);
    tree = growWatched(tree, leaves, node, (height, number, root) => {
      if (height % TILE_HEIGHT === 0) made.set(`${height / TILE_HEIGHT}/${number}`, root);
    });
  }
  const hashAt = async (level: number, n: number): Promise<Uint8Array> =>
    made.get(`${level}/${n}`) ??
    (await held(level, { from: n, to: n + 1 }))[0] ??
    Buffer.alloc(HASH_BYTES);
  return {
    tree,
    hashesAt: (level, { from, to }) =>
      Promise.all(Array.from({ length: to - from }, (_, i) => hashAt(level, from + i))),
  };
}

/** Compares a checkpoint that is not larger with the copy. */
async function notLarger(
  folder: string,
  ours: SignedCheckpoint,
  theirs: SignedCheckpoint,
): Promise<Followed> {
  const { origin, size } = ours;
  const hashes = hashesIn(folder, size);
  const root =
    theirs.size === 0 ? theirs.root : await rootOfRange(hashes, { from: 0, to: theirs.size }, node);
  if (!isSame(root, theirs.root)) throw contradiction(folder, ours, theirs);
  if (theirs.size < size)
    throw new Stop(SHORTENED, `The log shows ${theirs.size} entries, and has shown ${size}.`);
  return { origin, old_size: size, size, files: 0 };
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
async function whyNot(read: ReadLog, { folder, ours, theirs }: Both): Promise<Stop> {
  const wrong = new Stop(UNREADABLE, "The entries at this address are not under its checkpoint.");
  if (ours === null) return wrong;
  const from = hashesFrom(read, theirs.size);
  try {
    const whole = await rootOfRange(from, { from: 0, to: theirs.size }, node);
    if (!isSame(whole, theirs.root)) return wrong;
    const ranges = consistencyRanges(ours.size, theirs.size);
    const proof = await Promise.all(ranges.map((range) => rootOfRange(from, range, node)));
    const old: TreeHead = ours;
    return isConsistent(old, theirs, proof, node) ? wrong : contradiction(folder, ours, theirs);
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
