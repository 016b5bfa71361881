import {
  type ChainState,
  chainStart,
  contentsAfter,
  type Finding,
  verifySeal,
} from "../platform/kernel/proof/chain.ts";
import { type EntryProof, provenTurns } from "../platform/kernel/proof/inclusion.ts";
import type { Seal } from "../platform/kernel/proof/seal-text.ts";
import { readEntries } from "./entry-check.ts";
import { type Platform, platformHere } from "./platform.ts";
import type { ChainSource, EntryRecord, SourceHead } from "./shapes.ts";

/** Findings that are kept; after so many the rest only counts. */
const FINDINGS_MAX = 100;

/** A reason may quote what a stranger sent. */
const REASON_MAX = 500;

/** Entries that are hashed at once, and the characters that they may have until then. */
const SLICE = 1_000;
const SLICE_LENGTH = 4 * 1024 * 1024;

/** What the reader holds before the walk. */
export interface Pins {
  /** The origin of seal 1. */
  readonly origin: string;
  /** The key of seal 1 first, then keys that no rotation links; none for a ledger without a key. */
  readonly keys: readonly string[];
}

/** What a walk over a whole chain saw. */
export interface Walked {
  readonly state: ChainState;
  readonly seals: number;
  readonly unsigned: number;
  readonly entries: number;
  readonly findings: readonly Finding[];
  /** All of them, also those that were not kept. */
  readonly faults: number;
}

/** The observer of a verification. */
export interface Onlooker {
  /** Told of each seal, and of the state of the walk after it. */
  seal(seal: Seal, after: ChainState): void;
  /** A fault of an entry that the chain itself does not show; null without one. */
  entry(entry: EntryRecord): string | null;
}

export const NOBODY: Onlooker = { seal: () => {}, entry: () => null };

/** Verifies a chain from seal 1 on while it is read, in the same memory however long it is. */
export async function walkChain(
  { header, records, faultsMax = Number.POSITIVE_INFINITY }: ChainSource,
  { origin, keys }: Pins,
  onlooker: Onlooker,
): Promise<Walked> {
  const platform = await platformHere();
  const { sha256 } = platform;
  const verifier = { ...platform, trusts: (key: string) => keys.includes(key) };
  const tally = { seals: 0, unsigned: 0, entries: 0, faults: 0 };
  const findings: Finding[] = [];
  const proofs: EntryProof[] = [];
  let waiting: EntryRecord[] = [];
  let waitingLength = 0;
  let state = chainStart(origin, keys[0] ?? null);
  let contents = contentsAfter(state);

  const report = (found: readonly Finding[]) => {
    findings.push(...found.slice(0, FINDINGS_MAX - findings.length).map(shortened));
    tally.faults += found.length;
  };
  const readWaiting = () => {
    const added = readEntries(contents, waiting, sha256);
    report(added.findings);
    for (const entry of waiting) {
      report(textFaults(contents.seq, entry, platform));
      const reason = onlooker.entry(entry);
      if (reason !== null) report([{ seq: contents.seq, reason: `entry ${entry.id}: ${reason}` }]);
    }
    tally.entries += waiting.length;
    contents = added.contents;
    waiting = [];
    waitingLength = 0;
  };

  for await (const record of records) {
    if (record.type === "proof") proofs.push(record);
    if (record.type === "entry") {
      waiting.push(record);
      waitingLength += lengthOf(record);
    }
    if (waiting.length === SLICE || waitingLength > SLICE_LENGTH) readWaiting();
    if (record.type !== "seal") continue;
    readWaiting();
    const proven = provenTurns(record, proofs, sha256);
    const step = verifySeal(verifier, state, record, header.entries ? contents : proven);
    report([...proven.findings, ...step.findings]);
    state = step.state;
    contents = contentsAfter(state);
    tally.seals++;
    if (!record.signed) tally.unsigned++;
    onlooker.seal(record, state);
    if (tally.faults >= faultsMax) break;
  }
  readWaiting(); // What no seal covers yet.
  const isCut = tally.faults >= faultsMax;
  report(isCut ? [cutAfter(state)] : headFaults(header.head, state));
  return { state, findings, ...tally };
}

/** What an entry takes in memory, roughly: a stranger may show long texts beside it. */
function lengthOf({ kind, ref, body, text, entry }: EntryRecord): number {
  let length = kind.length + ref.length + entry.length;
  for (const name in body) length += name.length + String(body[name]).length;
  for (const name in text) length += name.length + String(text[name]).length;
  return length;
}

const shortened = ({ seq, reason }: Finding): Finding => ({
  seq,
  reason: reason.length > REASON_MAX ? `${reason.slice(0, REASON_MAX)}…` : reason,
});

/** The source might go on with such seals for ever. */
const cutAfter = ({ last }: ChainState): Finding => ({
  seq: last?.seq ?? 1,
  reason: "there are too many faults: nothing after this seal was read",
});

function isEmpty(of: object): boolean {
  for (const _ in of) return false;
  return true;
}

/** A text shown beside an entry must be the one whose hash it holds; a hidden one is absent. */
function textFaults(
  seq: number,
  { id, body, text }: EntryRecord,
  { sha256Hex }: Platform,
): readonly Finding[] {
  if (isEmpty(text)) return [];
  return Object.entries(text).flatMap(([name, value]) => {
    // Of a list of texts this is the RFC 8785 text.
    const shown = typeof value === "string" ? value : JSON.stringify(value);
    if (body[`${name}_sha256`] === sha256Hex(shown)) return [];
    return [{ seq, reason: `entry ${id}: the ${name} beside it is not the one that was sealed` }];
  });
}

function headFaults(head: SourceHead | null, state: ChainState): Finding[] {
  const { last } = state;
  if (last?.seq === head?.seq && last?.seal_hash === head?.seal_hash) return [];
  const seq = (last?.seq ?? 0) + 1;
  const named = head === null ? "no head" : `seal ${head.seq} (${head.seal_hash}) as its head`;
  return [{ seq, reason: `the chain ends here, but its source names ${named}` }];
}
