import * as z from "zod";
import { cut } from "./page.ts";

/** Stands beside a list that a cursor continues. */
const next = z.string().nullable().describe("The cursor of the next page; null at the end.");

const PROBLEM = "is not one of this list; take next from its last answer";

/** The places of a position in the order of a list: ids, seconds, counts. */
type Place<Name extends string> = Readonly<Record<Name, number>>;

/** The integers of a cursor's text under their names; null when one is too large. */
function placeIn<Name extends string>(names: readonly Name[], text: string): Place<Name> | null {
  const numbers = text.split(".").slice(1).map(Number);
  if (!numbers.every(Number.isSafeInteger)) return null;
  return Object.fromEntries(names.map((name, i) => [name, numbers[i]])) as Place<Name>;
}

/**
 * The first rows of an order that is made of ranges, each of which an index serves: those that share
 * the first columns of a place, then those beyond. One condition for all would make SQLite read every
 * row of the first column's value where an id comes last.
 */
export async function readRanges<Range extends object, Row>(
  ranges: readonly Range[],
  limit: number,
  read: (range: Range & { readonly limit: number }) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const range of ranges)
    if (rows.length < limit) rows.push(...(await read({ ...range, limit: limit - rows.length })));
  return rows;
}

/** For `refine`: a list that also takes `before_id` takes one of the two. */
export const ONE_POSITION = [
  (sent: { readonly cursor?: unknown; readonly before_id?: unknown }): boolean =>
    sent.cursor === undefined || sent.before_id === undefined,
  { path: ["cursor"], message: "send cursor or before_id, not both" },
] as const satisfies Parameters<z.ZodObject["refine"]>;

/**
 * The cursors of one list: a letter and one to four integers, which are the last item's place in the
 * list's order. A cursor is a position and grants nothing, so it is not signed. Clients send back the
 * `next` of an answer as it is.
 */
export function cursorOf<const Name extends string>(letter: string, ...names: readonly Name[]) {
  const form = new RegExp(`^${letter}(\\.-?[0-9]{1,16}){${names.length}}$`);
  const after = (place: Place<Name>): string =>
    [letter, ...names.map((name) => place[name])].join(".");
  /** The first items of a list, as `cut` gives them, and the cursor of the others. */
  function pageBy<T>(found: readonly T[], limit: number, placeOf: (item: T) => Place<Name>) {
    const { items, more } = cut(found, limit);
    const last = items.at(-1);
    return { items, more, next: more && last !== undefined ? after(placeOf(last)) : null };
  }
  return {
    /** The input of the list. */
    cursor: z
      .string()
      .transform((text, issues) => {
        const place = form.test(text) ? placeIn(names, text) : null;
        if (place !== null) return place;
        issues.addIssue({ code: "custom", message: PROBLEM });
        return z.NEVER;
      })
      .optional()
      .describe("Next of the last page."),
    /** The output beside the list's `more`. */
    next,
    /** The cursor of what lies behind a place. */
    after,
    pageBy,
    /** The same for items that show their place. */
    page: <T extends Place<Name>>(found: readonly T[], limit: number) =>
      pageBy(found, limit, (item) => item),
  };
}
