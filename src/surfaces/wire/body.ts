import { gunzipSync } from "node:zlib";
import { reject } from "../../platform/kernel/contract/errors.ts";
import type { Incoming, Read } from "../incoming/incoming.ts";
import type { Fields } from "./edge.ts";
import type { InFlightLimit, Uploader } from "./in-flight-limit.ts";
import { faultIn } from "./json-fault.ts";
import { countMembers } from "./json-members.ts";

export const BODY_MAX_BYTES = 128 * 1024;
export const DEPTH_MAX = 32;
/** Values of one body, each member of an object and of a list among them: the largest payload of a task has 32,768. */
export const VALUES_MAX = 40_000;
/** Members of the objects among them: a name costs more than a value. 64 KiB hold fewer different ones. */
export const MEMBERS_MAX = 12_000;

/** With any parameters (RFC 9110, 5.6.6); of charsets only UTF-8 by its names. */
export const JSON_IN_UTF8 =
  /^application\/json(?:[ \t]*;[ \t]*(?:charset="?utf-?8"?|(?!charset=)[\w!#$%&'*+.^`|~-]+=(?:[\w!#$%&'*+.^`|~-]+|"[^"]*")))*[ \t]*$/i;
/** The form of a page, and of OAuth (RFC 6749, 4.1.3). */
export const FORM_TYPE = /^application\/x-www-form-urlencoded(?:\s*;.*)?$/i;
const IDENTITY = /^identity$/i;
const GZIP = /^(?:x-)?gzip$/i;

/** The one JSON object that a body is. Rejects like `jsonOf`, and with 422 for JSON that is no object. */
export async function bodyOf(
  req: Incoming,
  fields: Fields,
  parts: Omit<Readable, "type">,
): Promise<object | null> {
  const body = await jsonOf(req, fields, { ...parts, type: JSON_IN_UTF8 });
  if (body === null) return null;
  const { value } = body;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  const details = [{ field: "", problem: "must be a JSON object" }];
  return reject("validation_failed", "Send one JSON object as the body.", details);
}

/** How a body is read, and for whom. */
export interface Reading {
  readonly inFlight: InFlightLimit;
  readonly uploader: Uploader;
}

interface Readable extends Reading {
  readonly max_bytes: number;
  /** Matches a whole Content-Type. */
  readonly type: RegExp;
  /** Levels of arrays and objects; `DEPTH_MAX` unless it says otherwise. */
  readonly depth_max?: number;
}

/**
 * The JSON value that a body is; an empty body is `{}`, whatever its type. Null when the sender went
 * away. Rejects with 415 for another type or encoding, 413 for more than `max_bytes`, 400 for what is
 * not JSON, 422 for more than `VALUES_MAX` values, and 503 when too much is on its way.
 */
export async function jsonOf(
  req: Incoming,
  { contentLength, contentType, contentEncoding, transferEncoding }: Fields,
  { max_bytes, type, depth_max = DEPTH_MAX, ...by }: Readable,
): Promise<{ readonly value: unknown } | null> {
  const announced_bytes = Number(contentLength ?? 0);
  if (announced_bytes === 0 && transferEncoding === undefined) return { value: {} };
  const isReadable = type.test(contentType ?? "") && IDENTITY.test(contentEncoding ?? "identity");
  // Of what cannot be read, no byte is taken, and none is missed when none comes.
  const bound_bytes = isReadable ? max_bytes : 0;
  const bytes = announced_bytes > bound_bytes ? "excess" : await readBody(req, bound_bytes, by);
  if (bytes === "excess") return isReadable ? tooLarge(max_bytes) : unsupported();
  return bytes === null ? null : { value: parseBody(bytes, depth_max) };
}

/** The same of a text of any type. Undecodable bytes become U+FFFD. */
export async function textOf(
  req: Incoming,
  { contentLength, contentEncoding }: Fields,
  { max_bytes, ...by }: Omit<Readable, "type" | "depth_max">,
): Promise<string | null> {
  if (!IDENTITY.test(contentEncoding ?? "identity")) return unsupported();
  const isLong = Number(contentLength ?? 0) > max_bytes;
  const bytes = isLong ? "excess" : await readBody(req, max_bytes, by);
  return bytes === "excess" ? tooLarge(max_bytes) : (bytes?.toString() ?? null);
}

/**
 * The bytes of a body, which may be sent with gzip; not more than `max_bytes` come of it. Null when the sender went
 * away.
 */
export async function bytesFrom(
  req: Incoming,
  { contentLength, contentEncoding = "identity" }: Fields,
  { max_bytes, ...by }: Omit<Readable, "type" | "depth_max">,
): Promise<Buffer | null> {
  const isZipped = GZIP.test(contentEncoding);
  if (!isZipped && !IDENTITY.test(contentEncoding)) return unsupported();
  const isLong = Number(contentLength ?? 0) > max_bytes;
  const bytes = isLong ? "excess" : await readBody(req, max_bytes, by);
  if (bytes === "excess") return tooLarge(max_bytes);
  if (bytes === null || !isZipped) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: max_bytes });
  } catch {
    return reject("bad_request", `Send gzip of at most ${max_bytes} bytes.`);
  }
}

function tooLarge(max_bytes: number): never {
  return reject("body_too_large", `The body may have at most ${max_bytes} bytes.`);
}

function unsupported(): never {
  return reject(
    "unsupported_media_type",
    "Send the body with Content-Type: application/json, in UTF-8 and without a Content-Encoding.",
  );
}

/** All bytes, or `excess` at the first byte too many. */
async function readBody(req: Incoming, max_bytes: number, by: Reading): Promise<Read> {
  // Head and body mostly come in one packet. Then all is here, and is taken without waiting for anything.
  if (req.complete) return req.takeBody(max_bytes);
  return req.destroyed ? null : arriving(req, max_bytes, by);
}

/** A body that is still arriving: a slow upload holds memory but no request slot. */
async function arriving(
  req: Incoming,
  max_bytes: number,
  { inFlight, uploader }: Reading,
): Promise<Read> {
  const upload = inFlight.upload(uploader, (error) => req.giveUp(error));
  try {
    const read = await inFlight.suspend(() => req.restOfBody(max_bytes, upload.hold));
    inFlight.refuseExcess();
    return read;
  } finally {
    upload.release();
  }
}

/** A byte order mark is kept, so that it is seen and refused. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const parseBody = (bytes: Buffer, depth_max: number): unknown =>
  bytes.length === 0 ? {} : parseJson(decode(bytes), depth_max);

function decode(bytes: Buffer): string {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return reject("malformed_json", "The body is not UTF-8.");
  }
  if (text.startsWith("\ufeff")) reject("malformed_json", "Send the body without byte order mark.");
  return text;
}

/**
 * The JSON value of a text, as of a body. Rejects with 400 for what is not JSON, nests deeper than `depth_max` or has a
 * name twice, and with 422 for more than `VALUES_MAX` values. The engine's own error would quote the text.
 */
export function parseJson(text: string, depth_max: number): unknown {
  const members = membersIn(text, depth_max);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const offset_bytes = Buffer.byteLength(text.slice(0, faultIn(text)));
    const how = "Bytes count from 0. Send one JSON object, with names and texts in double quotes.";
    return reject("malformed_json", `The body is not JSON at byte ${offset_bytes}. ${how}`);
  }
  // JSON.parse keeps the last of two equal names, and other readers may keep the first (RFC 8259, 4).
  if (countMembers(value) !== members)
    reject("malformed_json", "An object of the body has a name twice. Send each name once.");
  return value;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

function refuseCrowd(): never {
  const bound = `at most ${VALUES_MAX} values and ${MEMBERS_MAX} members`;
  return reject("validation_failed", `Send ${bound} in one body.`, [
    { field: "", problem: `must have ${bound}` },
  ]);
}

/**
 * The members of all objects as they were written: each has a colon outside strings. Refuses brackets outside
 * strings that nest too deep, and too many values or members. Looked at before `JSON.parse`: it takes 100,000
 * levels that then break every recursive reader, and to check a value costs more than to read it.
 */
function membersIn(text: string, depth_max: number): number {
  let depth = 0;
  let members = 0;
  let values = 1;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) {
      i = endOfString(text, i);
      if (i < 0) return members;
    } else if (unit === COLON) members++;
    // With bit 5 set, `[` reads as `{` and `]` as `}`.
    else if ((unit | 0x20) === 0x7b) {
      if (++depth > depth_max)
        reject("malformed_json", `Nest the body at most ${depth_max} levels deep.`);
      values++;
    } else if ((unit | 0x20) === 0x7d) depth--;
    else if (unit === COMMA) values++;
    if (values > VALUES_MAX || members > MEMBERS_MAX) refuseCrowd();
  }
  return members;
}

/** Where the string that opens at `start` closes; -1 when it does not. */
function endOfString(text: string, start: number): number {
  for (let end = start; ; ) {
    end = text.indexOf('"', end + 1);
    if (end < 0) return -1;
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end;
  }
}
