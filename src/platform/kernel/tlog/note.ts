import { fromBase64, fromHex, toBase64, toHex } from "../bytes.ts";
import type { Sha256 } from "../proof/merkle.ts";
import { isPublicKey, type SignatureCheck } from "../proof/signature.ts";

/** Signed notes (c2sp.org/signed-note) and the two kinds of signature that a log and its witnesses make. */

/** The types of keys: a log's, and a witness's (c2sp.org/tlog-cosignature). */
export const LOG_KEY = 1;
export const WITNESS_KEY = 4;

/** A key and the name that it signs under. */
export interface NoteKey {
  readonly name: string;
  readonly type: number;
  /** 64 lower-case hex characters. */
  readonly pubkey: string;
  /** 8 lower-case hex characters. */
  readonly key_id: string;
}

export interface NoteSignature {
  readonly name: string;
  readonly key_id: string;
  readonly bytes: Uint8Array;
  /** As it stands in the note, without its line feed. */
  readonly line: string;
}

/** A text, which ends with a line feed, and its signatures. */
export interface Note {
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

const KEY_ID_BYTES = 4;
const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;
/** More make a note invalid; the standard demands 16 at least. */
const SIGNATURES_MAX = 64;
/** The standard forbids the control characters of ASCII, but the line feed. */
const CONTROL = /[^\P{Cc}\x7f-\x9f]/u;
const NAME = /^[^\s+\p{Z}]+$/u;
const encoder = new TextEncoder();

const bytesOf = (...parts: readonly (string | Uint8Array | readonly number[])[]): Uint8Array => {
  const all = parts.map((part) => (typeof part === "string" ? encoder.encode(part) : part));
  const bytes = new Uint8Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of all) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
};

/** The key with this name, and its id. */
export function noteKey(name: string, type: number, pubkey: string, sha256: Sha256): NoteKey {
  const hash = sha256(bytesOf(name, "\n", [type], fromHex(pubkey)));
  return { name, type, pubkey, key_id: toHex(hash.subarray(0, KEY_ID_BYTES)) };
}

/** `name+key id+base64 of type and key`. */
export const vkeyOf = ({ name, type, pubkey, key_id }: NoteKey): string =>
  `${name}+${key_id}+${toBase64(bytesOf([type], fromHex(pubkey)))}`;

/** The Ed25519 key that a vkey names; null for any other text. */
export function parseVkey(vkey: string, sha256: Sha256): NoteKey | null {
  const [, name = "", key_id = "", base64 = ""] =
    /^([^+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(vkey) ?? [];
  if (!NAME.test(name)) return null;
  const [type, ...key] = base64Of(base64) ?? [];
  const pubkey = toHex(new Uint8Array(key));
  if (type === undefined || !isPublicKey(pubkey)) return null;
  const made = noteKey(name, type, pubkey, sha256);
  return made.key_id === key_id ? made : null;
}

/** The bytes of a text; null when it is no base64. */
export function base64Of(text: string): Uint8Array | null {
  try {
    return fromBase64(text);
  } catch {
    return null;
  }
}

const lineOf = ({ name, key_id }: NoteKey, signature: Uint8Array): string =>
  `\u2014 ${name} ${toBase64(bytesOf(fromHex(key_id), signature))}`;

/** A log's signature line over a text. `signature` is Ed25519 over the text with its last line feed. */
export const logLine = (key: NoteKey, signature: Uint8Array): string => lineOf(key, signature);

/** What a witness signs. */
export const cosignedMessage = (text: string, time: number): string =>
  `cosignature/v1\ntime ${time}\n${text}`;

/** A witness's signature line. `signature` is Ed25519 over `cosignedMessage`. */
export function cosignatureLine(key: NoteKey, time: number, signature: Uint8Array): string {
  const bytes = new Uint8Array(TIME_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(time));
  return lineOf(key, bytesOf(bytes, signature));
}

/** A note of a text, which ends with a line feed, and lines. */
export const noteOf = (text: string, lines: readonly string[]): string =>
  `${text}\n${lines.map((line) => `${line}\n`).join("")}`;

/** Reads a note; null when it is none. Signatures are not checked. */
export function parseNote(note: string): Note | null {
  if (!note.isWellFormed() || CONTROL.test(note.replaceAll("\n", "")) || !note.endsWith("\n"))
    return null;
  const end = note.lastIndexOf("\n\n");
  if (end <= 0) return null;
  const signatures = signaturesIn(note.slice(end + 2));
  return signatures === null || signatures.length === 0
    ? null
    : { text: note.slice(0, end + 1), signatures };
}

/** Reads signature lines, each with its line feed; null when a line is none. */
export function signaturesIn(lines: string): NoteSignature[] | null {
  if (!lines.endsWith("\n")) return null;
  const all = lines.slice(0, -1).split("\n");
  if (all.length > SIGNATURES_MAX) return null;
  const signatures = all.map(signatureIn);
  return signatures.every((signature) => signature !== null) ? signatures : null;
}

function signatureIn(line: string): NoteSignature | null {
  const [, name = "", base64 = ""] = /^\u2014 (\S+) (\S+)$/.exec(line) ?? [];
  const bytes = base64Of(base64);
  if (!NAME.test(name) || bytes === null || bytes.length <= KEY_ID_BYTES) return null;
  const key_id = toHex(bytes.subarray(0, KEY_ID_BYTES));
  return { name, key_id, bytes: bytes.subarray(KEY_ID_BYTES), line };
}

const isOf = ({ name, key_id }: NoteKey, signature: NoteSignature): boolean =>
  signature.name === name && signature.key_id === key_id;

/** Whether a log has signed the note; a wrong signature under its name and id spoils the note. */
export function isSignedBy(
  { verifySignature }: SignatureCheck,
  key: NoteKey,
  { text, signatures }: Note,
): boolean {
  const own = signatures.filter((signature) => isOf(key, signature));
  const message = encoder.encode(text);
  return (
    own.length > 0 &&
    own.every(
      ({ bytes }) =>
        bytes.length === SIGNATURE_BYTES && verifySignature(fromHex(key.pubkey), message, bytes),
    )
  );
}

/** A witness's word that it has seen a checkpoint. */
export interface Cosignature {
  readonly name: string;
  readonly key_id: string;
  readonly line: string;
  /** Unix seconds. */
  readonly time: number;
}

/** The valid cosignatures of a witness among those given; time 0 is none. */
export function cosignaturesBy(
  { verifySignature }: SignatureCheck,
  key: NoteKey,
  { text, signatures }: Note,
): Cosignature[] {
  return signatures.flatMap((signature) => {
    const { bytes, line, name, key_id } = signature;
    if (!isOf(key, signature) || bytes.length !== TIME_BYTES + SIGNATURE_BYTES) return [];
    const time = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));
    if (time === 0 || !Number.isSafeInteger(time)) return [];
    const message = encoder.encode(cosignedMessage(text, time));
    const isRight = verifySignature(fromHex(key.pubkey), message, bytes.subarray(TIME_BYTES));
    return isRight ? [{ name, key_id, line, time }] : [];
  });
}
