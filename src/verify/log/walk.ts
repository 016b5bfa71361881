import { type Entry, logLeafOf, parseEntry } from "../../platform/kernel/proof/entry.ts";
import { logNode } from "../../platform/kernel/proof/merkle.ts";
import { faultOf } from "../../platform/kernel/proof/unproven.ts";
import type { SignedCheckpoint } from "../../platform/kernel/tlog/checkpoint.ts";
import { TILE_WIDTH, type Tile, tilePath, tilesBetween } from "../../platform/kernel/tlog/tiles.ts";
import { platformHere } from "../platform.ts";
import { type LogFault, type LogFiles, logFiles } from "./files.ts";
import type { ReadLog } from "./source.ts";
import { comparedTree } from "./tree.ts";

/** Faults that are kept; after so many the rest only counts. */
const FAULTS_MAX = 100;

/** Bundles that are read while another is checked. */
const AHEAD = 4;

/** What a walk over all files of a log saw. */
export interface LogWalked {
  readonly entries: number;
  readonly files: number;
  readonly faults: readonly LogFault[];
  /** All of them, also those that were not kept. */
  readonly faults_count: number;
  /** Those among them that are files which could not be read. */
  readonly unread: number;
}

/** Told of every entry, in order; what is wrong with it, or null. */
export type OnEntry = (entry: Entry) => string | null;

/**
 * Reads every file of a log below its checkpoint: each entry has to be one, to have its place, and to
 * make the hashes above it; the whole tree has to be the signed one. In the same memory however long
 * the log is. A Stop when too many files cannot be read.
 */
export async function walkLog(
  read: ReadLog,
  { size, root }: SignedCheckpoint,
  onEntry: OnEntry,
): Promise<LogWalked> {
  const { sha256 } = await platformHere();
  const tally = { entries: 0, faults_count: 0, unread: 0 };
  const faults: LogFault[] = [];
  const report = (fault: LogFault): void => {
    tally.faults_count++;
    if (fault.unread) tally.unread++;
    if (faults.length < FAULTS_MAX) faults.push(fault);
  };
  const files = logFiles(read, size, report);
  const tree = comparedTree(files, logNode(sha256), report);
  for await (const { tile, entries, hashes } of bundlesOf(files, size)) {
    const bundle = await entries;
    const leaves = bundle?.map((bytes) => logLeafOf(bytes, sha256)) ?? null;
    await tree.add(tile, leaves, await hashes);
    for (const [i, bytes] of (bundle ?? []).entries()) {
      const ledger_id = tile.n * TILE_WIDTH + i + 1;
      const reason = entryFault(bytes, ledger_id, onEntry);
      if (reason !== null) report({ file: tilePath(tile), ledger_id, reason, unread: false });
      tally.entries++;
    }
  }
  const isSigned = tree.end(root);
  if (!isSigned) {
    const reason = `the files make another tree of ${size} entries`;
    report({ file: "checkpoint", ledger_id: null, reason, unread: false });
  }
  return { ...tally, files: files.count(), faults };
}

/** A bundle, and the tile with the hashes of its entries. */
interface Bundle {
  readonly tile: Tile;
  readonly entries: Promise<readonly Uint8Array[] | null>;
  readonly hashes: Promise<readonly Uint8Array[] | null>;
}

async function* bundlesOf(files: LogFiles, size: number): AsyncGenerator<Bundle> {
  const asked: Bundle[] = [];
  for (const tile of tilesBetween("entries", 0, size)) {
    const bundle = { tile, entries: files.parts(tile), hashes: files.parts({ ...tile, level: 0 }) };
    for (const part of [bundle.entries, bundle.hashes]) part.catch(() => {}); // Told in its turn.
    asked.push(bundle);
    const next = asked.length > AHEAD && asked.shift();
    if (next) yield next;
  }
  yield* asked;
}

function entryFault(bytes: Uint8Array, ledger_id: number, onEntry: OnEntry): string | null {
  let problem: string | null = null;
  const unproven = faultOf(() => {
    const entry = parseEntry(bytes);
    problem = entry.id === ledger_id ? onEntry(entry) : `its id says ${entry.id}`;
  });
  return unproven ?? problem;
}
