import { toBase64 } from "../bytes.ts";
import { HASH_BYTES } from "../proof/merkle.ts";
import { base64Of, type Note, parseNote } from "./note.ts";
import type { TreeHead } from "./tree.ts";

/** Checkpoints (c2sp.org/tlog-checkpoint), requests to witnesses (tlog-witness) and receipts (tlog-proof). */

/** The state of a log. */
export interface Checkpoint extends TreeHead {
  /** The name of the log and of its key. */
  readonly origin: string;
}

/** The text that is signed: three lines. */
export const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${toBase64(root)}\n`;

const DECIMAL = /^(?:0|[1-9]\d{0,15})$/;

/** A decimal number without leading zeros; null for any other text. */
function numberOf(text: string): number | null {
  const value = Number(text);
  return DECIMAL.test(text) && Number.isSafeInteger(value) ? value : null;
}

function hashOf(line: string): Uint8Array | null {
  const bytes = base64Of(line);
  return bytes?.length === HASH_BYTES ? bytes : null;
}

/** A checkpoint and the note that it came in. */
export interface SignedCheckpoint extends Checkpoint {
  readonly note: Note;
}

/** Reads a signed checkpoint; null when it is none. Further lines are allowed. Signatures are not checked. */
export function parseCheckpoint(text: string): SignedCheckpoint | null {
  const note = parseNote(text);
  if (note === null) return null;
  const [origin = "", decimal = "", base64 = "", ...more] = note.text.split("\n");
  const size = numberOf(decimal);
  const root = hashOf(base64);
  if (origin === "" || size === null || root === null || more.length === 0) return null;
  if (more.slice(0, -1).includes("")) return null; // Further lines are not empty.
  return { origin, size, root, note };
}

/** Lines of a consistency proof at most. */
const PROOF_LINES_MAX = 63;

/** A log's request to a witness. */
export interface AddCheckpoint {
  readonly old_size: number;
  readonly proof: readonly Uint8Array[];
  /** The whole signed note. */
  readonly note: string;
}

const hashLines = (hashes: readonly Uint8Array[]): string =>
  hashes.map((hash) => `${toBase64(hash)}\n`).join("");

export const addCheckpointBody = ({ old_size, proof, note }: AddCheckpoint): string =>
  `old ${old_size}\n${hashLines(proof)}\n${note}`;

/** Reads a request to a witness; null when it is malformed. */
export function parseAddCheckpoint(body: string): AddCheckpoint | null {
  const end = body.indexOf("\n\n");
  if (end < 0) return null;
  const [first = "", ...lines] = body.slice(0, end).split("\n");
  const old_size = first.startsWith("old ") ? numberOf(first.slice(4)) : null;
  const proof = lines.map(hashOf);
  if (old_size === null || proof.length > PROOF_LINES_MAX) return null;
  if (!proof.every((hash) => hash !== null)) return null;
  return { old_size, proof, note: body.slice(end + 2) };
}

const PROOF_TAG = "c2sp.org/tlog-proof@v1";

/** A receipt: an entry's place in a log, and the checkpoint that holds it. */
export interface Receipt {
  /** From 0. */
  readonly index: number;
  /** From the leaf up. */
  readonly path: readonly Uint8Array[];
  /** The whole signed note. */
  readonly note: string;
}

export const receiptText = ({ index, path, note }: Receipt): string =>
  `${PROOF_TAG}\nindex ${index}\n${hashLines(path)}\n${note}`;
