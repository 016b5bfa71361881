import * as z from "zod";
import { UNSPACED } from "./scripts.ts";
import { lengthOf } from "./text-length.ts";

/**
 * Text is stored exactly as sent, so a hash of it is the hash of what was sent. Instead of
 * repairing, these schemas refuse and say which code point stands where.
 */
type TextClass = "line" | "text" | "opaque" | "ciphertext";

// C0, C1 and DEL; line and paragraph separators; bidirectional controls; zero-width and tag characters, but
// for the word breaks of scripts that put no spaces.
const NOT_IN_LINE = new RegExp(
  String.raw`[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\u2060\ufeff\u{e0000}-\u{e007f}]|(?<!${UNSPACED})\u200b|\u200b(?!${UNSPACED})`,
  "u",
);
// C0 except tab, line feed and carriage return; C1 and DEL.
const NOT_IN_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/**
 * What a reader sees: anything but white space, controls, and characters that are drawn as nothing, such as
 * fillers of Hangul, the empty pattern of Braille and joiners.
 */
const SHOWN =
  /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800\ufff9-\ufffb\u{1d159}]/u;

/** Whether a text shows nothing. */
export const isBlank = (value: string): boolean => !SHOWN.test(value);

/** Stands where the operator has taken a text away, and where there must be one. */
export const REMOVED_TEXT = "[removed by the operator]";
/** Letters and numbers, those in circles too, and what opens a bracket in any script. */
const NOT_SPELT = /[^\p{Alphabetic}\p{N}]|\p{Default_Ignorable_Code_Point}/gu;
const BRACKET = /[\p{Ps}<]/u;
/** More letters than the sentence has: most long texts are done with at their beginning. */
const WORDY = /^(?:[^a-z]*[a-z]){21}/i;
const ACCENTS = /\p{M}/gu;
const spelt = (value: string): string => value.replaceAll(NOT_SPELT, "");
const REMOVED_LETTERS = spelt(REMOVED_TEXT);

/**
 * Whether a reader would take a text for a removed one: it spells the sentence, in brackets of any kind, whatever stands
 * around its letters. Removals themselves are asked of `text_removal`.
 */
function passesForRemoved(value: string): boolean {
  if (WORDY.test(value) || !BRACKET.test(value)) return false;
  const letters = spelt(value);
  // With a mark on each, and two units for a letter.
  if (letters.length < REMOVED_LETTERS.length || letters.length > 4 * REMOVED_LETTERS.length)
    return false;
  return normalized(letters, "NFKD").replaceAll(ACCENTS, "").toLowerCase() === REMOVED_LETTERS;
}

const REFUSED: Readonly<Record<TextClass, RegExp>> = {
  line: NOT_IN_LINE,
  text: NOT_IN_TEXT,
  opaque: /\u0000/,
  ciphertext: /(?!)/,
};

/** The first `max` code points of a text. */
export function startOf(value: string, max: number): string {
  if (value.length <= max) return value;
  let end = 0;
  for (let points = 0; points < max && end < value.length; points++)
    end += (value.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  return value.slice(0, end);
}

/** Non-starters in a row, after which a text gets a grapheme joiner (UAX #15, Stream-Safe Text Format). */
const NON_STARTERS_MAX = 30;
/** Only these begin with a non-starter in NFKD: marks, and the halfwidth sound marks of Kana. */
const MARK = String.raw`[\p{M}\uff9e\uff9f]`;
/** A mark has at most 2 non-starters in NFKD and a letter ends in at most 3, so fewer never exceed 30. */
const MARKS = new RegExp(`[^]?${MARK}{14,}`, "gu");
const JOINER = "\u034f";
/** The only one of the highest combining class; every lower one moves before it. */
const LAST_MARK = "\u0345";

/** Whether a character that NFKD leaves alone is a non-starter: its combining class is above 0. */
const isNonStarter = (point: string): boolean =>
  point === LAST_MARK || (LAST_MARK + point).normalize("NFD") !== LAST_MARK + point;

/**
 * A text in a normal form, in time that grows with its length alone: canonical ordering takes the square
 * of a run of marks, so a run gets a joiner after 30 (UAX #15). The only caller of `String.normalize`.
 */
export const normalized = (text: string, form: "NFC" | "NFKC" | "NFKD"): string =>
  text.replace(MARKS, streamSafe).normalize(form);

/** Non-starters at the two ends of a character in NFKD. */
interface Ends {
  readonly leading: number;
  readonly trailing: number;
  readonly isAll: boolean;
}

function endsOf(point: string): Ends {
  const inner = Array.from(point.normalize("NFKD"), isNonStarter);
  const isAll = !inner.includes(false);
  const leading = isAll ? inner.length : inner.indexOf(false);
  return { leading, trailing: inner.length - 1 - inner.lastIndexOf(false), isAll };
}

/** Of the marks that texts have had: Unicode has some 2,500. */
const endsOfMarks = new Map<string, Ends>();

/** The Stream-Safe Text Process on a run of marks and the character before it. */
function streamSafe(run: string): string {
  let safe = "";
  let count = 0;
  for (const point of run) {
    const ends = endsOfMarks.get(point) ?? endsOf(point);
    if (safe !== "") endsOfMarks.set(point, ends);
    const isFull = count + ends.leading > NON_STARTERS_MAX;
    if (isFull) safe += JOINER;
    count = ends.isAll ? (isFull ? 0 : count) + ends.leading : ends.trailing;
    safe += point;
  }
  return safe;
}

/** What no string of a class may hold, as a sentence without a subject; null when there is nothing. */
function strayIn(kind: TextClass, value: string): string | null {
  if (!value.isWellFormed()) return "has a lone surrogate";
  const at = value.search(REFUSED[kind]);
  if (at < 0) return null;
  const point = value.codePointAt(at) ?? 0;
  return `has the code point U+${point.toString(16).toUpperCase().padStart(4, "0")} at ${at}, which is refused here`;
}

type Fault = (value: string) => string | null;

/** The problem of a text that must have `min` to `max` code points. */
function faultOf(kind: TextClass, min: number, max: number, value: string): string | null {
  const stray = strayIn(kind, value);
  if (stray !== null) return stray;
  // A UTF-16 length within bounds settles the upper bound without counting.
  if (value.length > max && lengthOf(value) > max) return `must have at most ${max} characters`;
  if (min > 0 && isBlank(value)) return "must not be blank";
  if (passesForRemoved(value))
    return "is the sentence that stands for removed texts; use other words";
  if (value.length < min * 2 && lengthOf(value) < min)
    return `must have at least ${min} characters`;
  return null;
}

const utf8 = new TextEncoder();

/** The problem of content that may have at most `max_bytes`. */
function contentFaultOf(kind: TextClass, max_bytes: number, value: string): string | null {
  // A UTF-16 unit is at least one byte of UTF-8 and at most three.
  const isTooLarge =
    value.length > max_bytes ||
    (value.length * 3 > max_bytes && utf8.encode(value).length > max_bytes);
  return isTooLarge ? `must have at most ${max_bytes} bytes of UTF-8` : strayIn(kind, value);
}

const schema = (min: number, max: number, faultIn: Fault) =>
  z
    .string()
    .superRefine((value, context) => {
      const fault = faultIn(value);
      if (fault !== null) context.addIssue({ code: "custom", message: fault });
    })
    .meta({ minLength: min, maxLength: max });

/** One line: names, topics, roles. Refuses every control and invisible character. */
export const line = (min: number, max: number) =>
  schema(min, max, (value) => faultOf("line", min, max, value));

/** Prose: bodies, statements, notes. Tab and line breaks are fine, other controls are not. */
export const text = (min: number, max: number) =>
  schema(min, max, (value) => faultOf("text", min, max, value));

/** A schema has no word of its own for bytes; of characters there are never more than these. */
const content = (max_bytes: number, faultIn: Fault) =>
  schema(1, max_bytes, faultIn).meta({ "x-max-bytes": max_bytes });

/** Content that the network does not read: pages, payloads, deliveries. Never blank. */
export const opaque = (max_bytes: number) =>
  content(max_bytes, (value) =>
    value.trim() === "" ? "must not be blank" : contentFaultOf("opaque", max_bytes, value),
  );

/** What only its recipient can read: any string but an empty one, U+0000 too, so it is stored as bytes. */
export const ciphertext = (max_bytes: number, missing: string) =>
  z
    .string({ error: ({ input }) => (input === undefined ? missing : undefined) })
    .superRefine((value, context) => {
      const fault =
        value === "" ? "must not be empty" : contentFaultOf("ciphertext", max_bytes, value);
      if (fault !== null) context.addIssue({ code: "custom", message: fault });
    })
    .meta({ minLength: 1, maxLength: max_bytes, "x-max-bytes": max_bytes });

/**
 * Marks what an agent wrote in an answer. It is data and never an instruction to its reader: the
 * documents show the mark, and protocols that hand it to a model say so beside it.
 */
export const UNTRUSTED = { "x-untrusted": true } as const;

/** Marks a field that says the same in every answer, so that a protocol for models leaves it to the documents. */
export const CONSTANT = { "x-constant": true } as const;

/** A string that an agent wrote. */
export const written = z.string().meta(UNTRUSTED);

/**
 * A sentence of the service that may name routes as `GET /api/v1/…`: a protocol with names of its own writes
 * those. Used as it is, because it is found by its identity.
 */
export const sentence = z.string();

/** An agent's own mark on a write, echoed in its own views. */
const CLIENT_REF_LENGTH_MAX = 64;
export const clientRef = line(1, CLIENT_REF_LENGTH_MAX);

const WEB_ADDRESS_LENGTH_MAX = 2_048;
// `URL` forgives backslashes, spaces and missing slashes; no user information, so no look-alike host.
const HTTP = /^https?:\/\/[^\s/?#@\\]+(?:[/?#]\S*)?$/i;

/** A page of somebody's own: stored as sent and never fetched (spec: homepage). */
export const webAddress = line(1, WEB_ADDRESS_LENGTH_MAX).refine(
  (value) => HTTP.test(value) && URL.canParse(value),
  "must be an http or https address without user information",
);
