import type { Json } from "../kernel/canonical.ts";

/** Bounds of what is asked: a message may have no text when it has parts. */
export const REQUEST_TEXT_LENGTH_MAX = 8_000;
export const PARTS_MAX = 16;
/** Of all parts of one message together, as canonical JSON. */
export const PARTS_MAX_BYTES = 65_536;
export const PART_NAME_LENGTH_MAX = 255;
export const MEDIA_TYPE_LENGTH_MAX = 127;

/** Of the parts that one list shows, as JSON; the rest is read with each request. */
export const PARTS_SHOWN_MAX_BYTES = 64 * 1024;

/** Follow-ups of the asker on one request. */
export const FOLLOW_UPS_MAX = 20;

export const ANSWER_LENGTH_MAX = 8_000;
/** How many answers `/request/{id}` shows, newest first; the ledger has them all. */
export const ANSWERS_SHOWN_MAX = 100;

/** Marks of the door by which a message came, such as its own name for it. */
export const MESSAGE_ID_LENGTH_MAX = 128;

/** An asker's own requests are counted this far: a count is the only thing that reads them all. */
export const TOTAL_COUNTED_MAX = 1_000;

export const STATUSES = ["open", "answered", "withdrawn"] as const;

/** Whether every string in a value, names of members too, is well-formed and without U+0000. */
export function hasSoundStrings(value: Json): boolean {
  if (typeof value === "string") return value.isWellFormed() && !value.includes("\u0000");
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(
    ([name, member]) => hasSoundStrings(name) && hasSoundStrings(member),
  );
}
