import * as z from "zod";

/**
 * Text is stored exactly as sent, so a hash of it is the hash of what was sent. Instead of
 * repairing, these schemas refuse and say which code point stands where.
 */
type TextClass = "line" | "text";

// C0, C1 and DEL; line and paragraph separators; bidirectional controls; zero-width and tag characters.
const NOT_IN_LINE =
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff\u{e0000}-\u{e007f}]/u;
// C0 except tab, line feed and carriage return; C1 and DEL.
const NOT_IN_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

const REFUSED: Readonly<Record<TextClass, RegExp>> = {
  line: NOT_IN_LINE,
  text: NOT_IN_TEXT,
};

/** Code points; a string without surrogates needs no walk. */
function lengthOf(value: string): number {
  let length = value.length;
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff) length--;
  }
  return length;
}

/** What is wrong with a string, as a sentence without a subject; null when nothing is. */
function faultOf(kind: TextClass, min: number, max: number, value: string): string | null {
  if (!value.isWellFormed()) return "has a lone surrogate";
  const at = value.search(REFUSED[kind]);
  if (at >= 0) {
    const point = value.codePointAt(at) ?? 0;
    return `has the code point U+${point.toString(16).toUpperCase().padStart(4, "0")} at ${at}, which is refused here`;
  }
  // A UTF-16 length within bounds settles the upper bound without counting.
  if (value.length > max && lengthOf(value) > max) return `must have at most ${max} characters`;
  if (min > 0 && value.trim() === "") return "must not be blank";
  if (value.length < min * 2 && lengthOf(value) < min)
    return `must have at least ${min} characters`;
  return null;
}

const schema = (kind: TextClass, min: number, max: number) =>
  z
    .string()
    .superRefine((value, context) => {
      const fault = faultOf(kind, min, max, value);
      if (fault !== null) context.addIssue({ code: "custom", message: fault });
    })
    .meta({ minLength: min, maxLength: max });

/** One line: names, topics, roles. Refuses every control and invisible character. */
export const line = (min: number, max: number) => schema("line", min, max);

/** Prose: bodies, statements, notes. Tab and line breaks are fine, other controls are not. */
export const text = (min: number, max: number) => schema("text", min, max);

/** An agent's own mark on a write, echoed in its own views; never an idempotency key. */
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
