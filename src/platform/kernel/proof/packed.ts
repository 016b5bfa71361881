import { toHex } from "../bytes.ts";
import { BODY_BYTES_MAX, type EntryBody } from "./entry.ts";

/**
 * A body for storage: its names, which all entries of one shape share, and its values in that order.
 * A value is a byte for its type and what the type says; numbers are LEB128 in the shortest form.
 */
export interface Packed {
  /** A JSON list in the order of RFC 8785. */
  readonly names: string;
  readonly bytes: Uint8Array;
}

/** A number of bytes, and as many of UTF-8. */
const TEXT = 0;
/** A number of bytes, and the bytes: lower-case hex of at least HEX_MIN_BYTES. */
const HEX = 1;
/** An integer from 0 on. */
const WHOLE = 2;
/** A number n that stands for −n − 1. */
const NEGATIVE = 3;

const HEX_MIN_BYTES = 8;
const isHex = (text: string): boolean => text.length % 2 === 0 && /^[0-9a-f]{16,}$/.test(text);

/** 2^53 − 1 takes eight bytes of seven bits. */
const LAST_SCALE = 2 ** 49;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

// One body is packed before the next begins, so one buffer is enough. No packed body is longer than its text.
const scratch = new Uint8Array(BODY_BYTES_MAX);

/** The one packed form of a body that `bodyText` takes. */
export function pack(body: EntryBody): Packed {
  const { sorted, json } = namesOf(Object.keys(body));
  let place = 0;
  for (const name of sorted) place = packValue(place, body[name] ?? "");
  demandRoom(place);
  return { names: json, bytes: scratch.slice(0, place) };
}

/** The names of a body in the order of RFC 8785, and as JSON. */
interface Names {
  readonly sorted: readonly string[];
  readonly json: string;
}

/** There are as many as kinds and their optional fields make; more of them come from no ledger. */
const SHAPES_MAX = 1_024;
const shapes = new Map<string, Names>();

/** Bodies of one kind are made with their names in one order, so most are found as they come. */
function namesOf(keys: readonly string[]): Names {
  const key = keys.join("\0");
  const known = shapes.get(key);
  // A name may hold any character, so another list could have the same key.
  if (known !== undefined && known.sorted.length === keys.length) return known;
  const sorted = keys.toSorted();
  const fresh = { sorted, json: JSON.stringify(sorted) };
  if (shapes.size === SHAPES_MAX) shapes.clear();
  if (!keys.some((name) => name.includes("\0"))) shapes.set(key, fresh);
  return fresh;
}

/** Where the next one goes. */
function packValue(place: number, value: string | number): number {
  if (typeof value === "number") {
    scratch[place] = value < 0 ? NEGATIVE : WHOLE;
    return packNumber(place + 1, value < 0 ? -value - 1 : value);
  }
  return isHex(value) ? packHex(place, value) : packText(place, value);
}

function packHex(place: number, value: string): number {
  scratch[place] = HEX;
  const start = packNumber(place + 1, value.length / 2);
  const end = start + value.length / 2;
  demandRoom(end);
  scratch.subarray(start, end).setFromHex(value);
  return end;
}

/** Most texts are ASCII: their length is known before they are encoded. */
function packText(place: number, value: string): number {
  scratch[place] = TEXT;
  const start = packNumber(place + 1, value.length);
  const { read, written } = encoder.encodeInto(value, scratch.subarray(start));
  if (read < value.length) demandRoom(Number.POSITIVE_INFINITY);
  if (written === value.length) return start + written;
  // Its length may take more bytes than was thought.
  const bytes = scratch.slice(start, start + written);
  const moved = packNumber(place + 1, written);
  demandRoom(moved + written);
  scratch.set(bytes, moved);
  return moved + written;
}

function demandRoom(bytes: number): void {
  if (bytes > scratch.length) throw new RangeError("A body is too long to be packed.");
}

function packNumber(place: number, value: number): number {
  let end = place;
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    scratch[end++] = rest < 128 ? rest : 128 + (rest % 128);
    if (rest < 128) return end;
  }
}

/** The RFC 8785 text of a packed body; a RangeError for bytes that `pack` never writes. */
export function unpack({ names, bytes }: Packed): string {
  let text = "{";
  let place = 0;

  function number(): number {
    let value = 0;
    for (let scale = 1; scale <= LAST_SCALE; scale *= 128) {
      const byte = bytes[place++];
      if (byte === undefined) throw unreadable("ends too early");
      value += (byte % 128) * scale;
      if (byte >= 128) continue;
      if (byte === 0 && scale > 1) throw unreadable("has a number in a longer form");
      if (!Number.isSafeInteger(value)) break;
      return value;
    }
    throw unreadable("has a number beyond 2^53 − 1");
  }

  function run(): Uint8Array {
    const length = number();
    const found = bytes.subarray(place, place + length);
    if (found.length < length) throw unreadable("ends too early");
    place += length;
    return found;
  }

  function value(): string | number {
    const type = bytes[place++];
    if (type === TEXT) return textOf(run());
    if (type === HEX) return hexOf(run());
    if (type === WHOLE) return number();
    if (type !== NEGATIVE) throw unreadable("has a value of no type");
    const found = -number() - 1;
    if (Number.isSafeInteger(found)) return found;
    throw unreadable("has a number below −2^53 + 1");
  }

  for (const lead of leadsOf(names)) {
    const found = value();
    text += lead + (typeof found === "number" ? found : JSON.stringify(found));
  }
  if (place < bytes.length) throw unreadable("has bytes behind its end");
  return `${text}}`;
}

function textOf(bytes: Uint8Array): string {
  const text = decoded(bytes);
  if (isHex(text)) throw unreadable("has hex as text");
  return text;
}

function decoded(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw unreadable("has text that is not UTF-8");
  }
}

function hexOf(bytes: Uint8Array): string {
  if (bytes.length < HEX_MIN_BYTES) throw unreadable("has text as hex");
  return toHex(bytes);
}

const leads = new Map<string, readonly string[]>();

/** The text before each value. */
function leadsOf(names: string): readonly string[] {
  const known = leads.get(names);
  if (known !== undefined) return known;
  const list: readonly string[] = JSON.parse(names);
  const fresh = list.map((name, i) => `${i === 0 ? "" : ","}${JSON.stringify(name)}:`);
  if (leads.size === SHAPES_MAX) leads.clear();
  leads.set(names, fresh);
  return fresh;
}

/** The stored form of an entry gives no body back. */
export class CorruptEntry extends Error {
  readonly ledger_id: number;

  constructor(ledger_id: number, cause: unknown) {
    super(`Entry ${ledger_id} cannot be read: its stored form is damaged.`, { cause });
    this.ledger_id = ledger_id;
  }
}

const unreadable = (why: string): RangeError => new RangeError(`A packed body ${why}.`);
