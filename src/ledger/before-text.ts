/** Enough for what a rule reads, and little for a line. */
const LENGTH_MAX = 300;

/** Values of a list that are shown. */
const SHOWN_MAX = 5;

/**
 * Shows the state before an entry, as its rule reads it: `act_at none, today 3, pool 49999900000000`, at most 300
 * characters. Left out are functions, collections, and `state`, which is all that there is.
 */
export function beforeText(before: unknown, state: unknown): string {
  const text =
    isRecord(before) && before !== state ? fieldsOf(before, state) : shown(before, state);
  return text === null || text === "" ? "nothing" : shortened(text);
}

/** A text of at most 300 characters. */
export const shortened = (text: string): string =>
  text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX - 1)}…` : text;

/** The text of a value; null where it has none. */
function shown(value: unknown, state: unknown): string | null {
  if (value === undefined || value === null) return "none";
  if (typeof value === "function" || value === state) return null;
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) {
    const more = value.length > SHOWN_MAX ? ", …" : "";
    return `[${value
      .slice(0, SHOWN_MAX)
      .map((each) => shown(each, state) ?? "…")
      .join(", ")}${more}]`;
  }
  return isRecord(value) ? `{${fieldsOf(value, state)}}` : null;
}

const fieldsOf = (record: object, state: unknown): string =>
  Object.entries(record)
    .flatMap(([name, value]) => {
      const text = shown(value, state);
      return text === null ? [] : [`${name} ${text}`];
    })
    .join(", ");

/** A record of fields, and no Map, Set or other collection. */
const isRecord = (value: unknown): value is object =>
  typeof value === "object" &&
  value !== null &&
  (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null);
