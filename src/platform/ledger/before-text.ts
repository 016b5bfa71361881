/** Enough for what a rule reads, and little for a line. */
const LENGTH_MAX = 300;

/** Values of a list that are shown. */
const SHOWN_MAX = 5;

/**
 * Shows the state before an entry, as its rule reads it: `act_at none, today 3, pool 49999900000000`, at most 300
 * characters. Collections are left out.
 */
export function beforeText(before: unknown): string {
  const text = isRecord(before) ? fieldsOf(before) : shown(before);
  return text === null || text === "" ? "nothing" : shortened(text);
}

/** A text of at most 300 characters. */
export const shortened = (text: string): string =>
  text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX - 1)}…` : text;

/** The text of a value; null where it has none. */
function shown(value: unknown): string | null {
  if (value === undefined || value === null) return "none";
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) {
    const more = value.length > SHOWN_MAX ? ", …" : "";
    return `[${value
      .slice(0, SHOWN_MAX)
      .map((each) => shown(each) ?? "…")
      .join(", ")}${more}]`;
  }
  return isRecord(value) ? `{${fieldsOf(value)}}` : null;
}

const fieldsOf = (record: object): string =>
  Object.entries(record)
    .flatMap(([name, value]) => {
      const text = shown(value);
      return text === null ? [] : [`${name} ${text}`];
    })
    .join(", ");

/** A record of fields, and no Map, Set or other collection. */
const isRecord = (value: unknown): value is object =>
  typeof value === "object" &&
  value !== null &&
  (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null);
