import type { Sha256 } from "./merkle.ts";
import { demand, Unproven } from "./unproven.ts";

/** A body is flat; its integers lie within ±(2^53−1). */
export type EntryBody = Readonly<Record<string, string | number>>;

export interface Entry {
  readonly id: number;
  readonly at: number;
  readonly kind: string;
  readonly ref: string;
  readonly body: EntryBody;
}

const KIND = /^[a-z][a-z_]{1,39}$/;
export const REF = /^[A-Za-z0-9_/-]{1,128}$/;

/**
 * Bytes of one body's RFC 8785 text. With `KIND` and `REF` this keeps every entry between 77 and
 * 16,654 bytes, so giving an id to an entry cannot fail on its size.
 */
export const BODY_BYTES_MAX = 16_384;
const ENTRY_BYTES_MIN = 64;
export const ENTRY_BYTES_MAX = 65_535;

const TAG = "agent-network/ledger-entry/v1\n";

const encoder = new TextEncoder();
// A byte order mark counts as text: dropping it would let two byte strings pass as one entry.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Whether a field of a body may hold it. */
export const isBodyValue = (value: unknown): value is string | number =>
  typeof value === "string" ? value.isWellFormed() : Number.isSafeInteger(value);

const isFlat = (body: object): body is EntryBody =>
  Object.entries(body).every(([name, value]) => name.isWellFormed() && isBodyValue(value));

/** RFC 8785 of a flat object without fractions: names in the order of their UTF-16 code units. */
export function flatJson(body: EntryBody): string {
  const names = Object.keys(body);
  // A list of names is several times slower to print by.
  return isSorted(names) ? JSON.stringify(body) : JSON.stringify(body, names.sort());
}

const isSorted = (names: readonly string[]): boolean =>
  names.every((name, i) => i === 0 || (names[i - 1] ?? "") < name);

/** The RFC 8785 text of a body; a RangeError when no entry may hold it. */
export function bodyText(body: object): string {
  if (!isFlat(body)) throw new RangeError("A body holds well-formed strings and safe integers.");
  return ofBodySize(flatJson(body));
}

/** The same of a body whose values were checked, and whose names are in order and none is a number. */
export const sortedText = (body: EntryBody): string => ofBodySize(JSON.stringify(body));

function ofBodySize(text: string): string {
  if (isBodySize(text)) return text;
  throw new RangeError(`A body has at most ${BODY_BYTES_MAX} bytes.`);
}

/** Only a text that could be too long in UTF-8 is worth encoding. */
const isBodySize = (text: string): boolean =>
  text.length * 3 <= BODY_BYTES_MAX || encoder.encode(text).length <= BODY_BYTES_MAX;

/** The sealed text. `body` is RFC 8785 text; `kind` and `ref` hold nothing that JSON escapes. */
export const entryText = (of: Omit<Entry, "body"> & { readonly body: string }): string =>
  `${TAG}{"at":${of.at},"body":${of.body},"id":${of.id},"kind":"${of.kind}","ref":"${of.ref}"}`;

const isEntrySize = (bytes: number): boolean =>
  bytes >= ENTRY_BYTES_MIN && bytes <= ENTRY_BYTES_MAX;

/** The sealed text of these fields; null when the ledger takes no entry that has them. */
export function sealedText({ id, at, kind, ref, body }: Entry): string | null {
  if (!isCount(id) || !isCount(at) || !KIND.test(kind) || !REF.test(ref) || !isFlat(body))
    return null;
  const written = flatJson(body);
  return isBodySize(written) ? entryText({ id, at, kind, ref, body: written }) : null;
}

// 0x00 and room for one entry: a hash is finished before the next begins, so one buffer is enough.
const preimage = new Uint8Array(1 + ENTRY_BYTES_MAX);

/**
 * SHA-256(0x00 ‖ entry). A RangeError outside 64 to 65,535 bytes: interior preimages of the seal
 * tree have exactly 64, and one in 256 begins with 0x00, so a 63-byte "entry" could be forged.
 */
export function leafOf(entry: Uint8Array, sha256: Sha256): Uint8Array {
  if (!isEntrySize(entry.length)) {
    throw new RangeError(`An entry has ${ENTRY_BYTES_MIN} to ${ENTRY_BYTES_MAX} bytes.`);
  }
  return logLeafOf(entry, sha256);
}

/**
 * The same of bytes of any size that a bundle can hold, for the tree of a log alone, whose interior preimages begin
 * with another byte (RFC 6962, 2.1): a reader goes on behind bytes that are no entry.
 */
export function logLeafOf(bytes: Uint8Array, sha256: Sha256): Uint8Array {
  preimage.set(bytes, 1);
  return sha256(preimage.subarray(0, 1 + bytes.length));
}

function decoded(entry: Uint8Array): string {
  try {
    return decoder.decode(entry);
  } catch {
    throw new Unproven("the entry is not well-formed UTF-8");
  }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Unproven("the entry is not JSON after its tag line");
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/**
 * Reads a sealed entry as strictly as its writer made it; anything else is Unproven. Writing it
 * again and comparing the texts settles canonical form, doubled members and members too many.
 */
export function parseEntry(bytes: Uint8Array): Entry {
  demand(isEntrySize(bytes.length), "the entry has a size that no entry has");
  const text = decoded(bytes);
  demand(text.startsWith(TAG), "the entry does not begin with the tag line of version 1");
  const value = parsed(text.slice(TAG.length));
  demand(isObject(value), "the entry is not an object");
  const { id, at, kind, ref, body } = value;
  demand(isCount(id) && isCount(at), "the id or the time of the entry is not a whole number");
  demand(typeof kind === "string" && KIND.test(kind), "the entry has a malformed kind");
  demand(typeof ref === "string" && REF.test(ref), "the entry has a malformed ref");
  demand(isObject(body) && isFlat(body), "the body holds more than strings and safe integers");
  const written = flatJson(body);
  demand(isBodySize(written), `the body has more than ${BODY_BYTES_MAX} bytes`);
  const again = entryText({ id, at, kind, ref, body: written });
  demand(again === text, "the entry is not its own RFC 8785 text with exactly five members");
  return { id, at, kind, ref, body };
}
