import * as z from "zod";

/** The most JSON that the items of one answer come to; a larger item goes alone. */
export const PAGE_MAX_BYTES = 1_048_576;

/** A page that may be long is read so many items at a time, so that little is read in vain. */
export const PAGE_STEP = 64;

/** Stands beside a list in an answer. */
export const more = z.boolean().describe("Whether there is more of it than this answer shows.");

/** What one answer shows of a list. */
export interface Page<T> {
  readonly items: T[];
  readonly more: boolean;
}

/**
 * The first items of a list: at most `limit`, and as many as come to `PAGE_MAX_BYTES`. A caller that asks
 * the storage for `limit + 1` items learns here whether there is more.
 */
export const cut = <T>(found: readonly T[], limit: number): Page<T> =>
  pageOf(found, limit, PAGE_MAX_BYTES);

/** The same with another bound on the bytes. */
export function pageOf<T>(found: readonly T[], limit: number, max_bytes: number): Page<T> {
  const items = found.slice(0, limit);
  const n = roomOf(max_bytes).fitting(items, boundOf(items, CHARACTER_MAX_BYTES));
  return { items: items.slice(0, n), more: n < found.length };
}

/**
 * Tells how many of the items fit into so many bytes, but one at least. Counting means writing the
 * texts, so that is done where what they cannot exceed does not fit, and once for each item.
 */
function roomOf(max_bytes: number) {
  let counted = 0;
  let counted_bytes = 0;
  let bound_bytes = 0;
  return {
    /** `items` are those of before and new ones, which do not exceed `more_bytes`. */
    fitting(items: readonly unknown[], more_bytes: number): number {
      bound_bytes += more_bytes;
      if (counted_bytes + bound_bytes <= max_bytes) return items.length;
      for (const item of items.slice(counted)) {
        counted_bytes += bytesOf(item);
        if (counted_bytes > max_bytes && counted > 0) break;
        counted++;
      }
      bound_bytes = 0;
      return counted;
    },
  };
}

type Lists = Readonly<Record<string, readonly unknown[]>>;
type Cut<L extends Lists> = { readonly [K in keyof L]: L[K][number][] } & {
  readonly [K in keyof L & string as `${K}_more`]: boolean;
};

/**
 * The same for an answer with several lists. Each has an equal share of what those before it have
 * left, so that none is crowded out, and a field `<name>_more`.
 */
export function cutParts<L extends Lists>(
  lists: L,
  limits: Readonly<Record<keyof L & string, number>>,
): Cut<L> {
  const all = Object.entries(lists);
  const answer: Record<string, unknown> = {};
  let left_bytes = PAGE_MAX_BYTES;
  for (const [i, [name, found]] of all.entries()) {
    const page = pageOf(found, limits[name] ?? 0, left_bytes / (all.length - i));
    answer[name] = page.items;
    answer[`${name}_more`] = page.more;
    if (i < all.length - 1) left_bytes -= Math.min(left_bytes, bytesOf(page.items));
  }
  return answer as Cut<L>;
}

/** Some items of a list, and bytes of JSON that they do not exceed. */
export interface Step<T> {
  readonly items: readonly T[];
  readonly bound_bytes: number;
}

/**
 * The same for a list that is read in steps, until it ends or the page is full. `next` reads the
 * `count` items after `last`, a `step` at most; fewer are the last ones.
 */
export async function cutInSteps<T>(
  limit: number,
  next: (count: number, last: T | undefined) => Promise<Step<T>>,
  step = PAGE_STEP,
): Promise<Page<T>> {
  const room = roomOf(PAGE_MAX_BYTES);
  const all: T[] = [];
  for (;;) {
    const count = Math.min(step, limit + 1 - all.length);
    const { items, bound_bytes } = await next(count, all.at(-1));
    all.push(...items);
    const n = Math.min(room.fitting(all, bound_bytes), limit);
    if (n < all.length) return { items: all.slice(0, n), more: true };
    if (items.length < count) return { items: all, more: false };
  }
}

/** In JSON a character takes at most six bytes; one of prose, which has few controls, three. */
export const CHARACTER_MAX_BYTES = 6;
export const PROSE_CHARACTER_MAX_BYTES = 3;

/** An amount of money is written with a point, and with zeros before it. */
const NUMBER_MAX_BYTES = 24;

/** Bytes that a value does not exceed as JSON, where a character takes at most so many. */
export function boundOf(value: unknown, character_bytes: number): number {
  if (typeof value === "string") return value.length * character_bytes + 2;
  if (typeof value !== "object" || value === null) return NUMBER_MAX_BYTES;
  let bytes = 2;
  if (Array.isArray(value)) for (const item of value) bytes += boundOf(item, character_bytes) + 1;
  else
    for (const [name, member] of Object.entries(value))
      bytes += name.length * character_bytes + 4 + boundOf(member, character_bytes);
  return bytes;
}

const utf8 = new TextEncoder();

/** The bytes of a value as JSON; an amount of money is counted as the longest. */
export function bytesOf(value: unknown): number {
  if (typeof value === "string") return utf8.encode(JSON.stringify(value)).length;
  if (typeof value === "bigint") return NUMBER_MAX_BYTES;
  if (typeof value !== "object" || value === null) return String(value).length;
  if (Array.isArray(value))
    return value.reduce((bytes, item) => bytes + bytesOf(item) + 1, value.length === 0 ? 2 : 1);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return members.reduce(
    (bytes, [name, member]) => bytes + bytesOf(name) + 2 + bytesOf(member),
    members.length === 0 ? 2 : 1,
  );
}
