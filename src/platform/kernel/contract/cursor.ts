import * as z from "zod";
import { fromBase64url, toBase64url } from "../bytes.ts";
import { cut } from "./page.ts";

/** Stands beside a list that a cursor continues. */
const next = z.string().nullable().describe("The cursor of the next page; null at the end.");

const PROBLEM = "is not one of this list; take next from its last answer";

/**
 * The cursors of a list in the order of a number and then of a name: a letter, the number and the name,
 * which is of a-z, 0-9, _ and -.
 */
export function namedCursorOf(letter: string) {
  const form = new RegExp(`^${letter}\\.(-?[0-9]{1,16})\\.([a-z0-9_-]{1,40})$`);
  return {
    cursor: z
      .string()
      .transform((text, issues) => {
        const [, number = "", name = ""] = form.exec(text) ?? [];
        const at = Number(number);
        if (name !== "" && Number.isSafeInteger(at)) return { at, name };
        issues.addIssue({ code: "custom", message: PROBLEM });
        return z.NEVER;
      })
      .optional()
      .describe("From next."),
    next,
    after: ({ at, name }: { readonly at: number; readonly name: string }): string =>
      `${letter}.${at}.${name}`,
  };
}

/** The cursors of a list in the order of a path: a letter and the last path, in base64url. */
export function pathCursor(letter: string) {
  const form = new RegExp(`^${letter}\\.([A-Za-z0-9_-]{1,4000})$`);
  return {
    cursor: z
      .string()
      .transform((sent, issues) => {
        const [, packed] = form.exec(sent) ?? [];
        const path = packed === undefined ? null : textIn(packed);
        if (path !== null) return { path };
        issues.addIssue({ code: "custom", message: PROBLEM });
        return z.NEVER;
      })
      .optional()
      .describe("From next."),
    next,
    after: (path: string): string => `${letter}.${toBase64url(new TextEncoder().encode(path))}`,
  };
}

/** The text that base64url stands for; null where it stands for none. */
function textIn(packed: string): string | null {
  const bytes = fromBase64url(packed);
  if (bytes === null) return null;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

/** A position in the order of a list: ids, seconds, counts. */
type Position<Name extends string> = Readonly<Record<Name, number>>;

/** The integers of a cursor's text under their names; null when one is too large. */
function positionIn<Name extends string>(
  names: readonly Name[],
  text: string,
): Position<Name> | null {
  const numbers = text.split(".").slice(1).map(Number);
  if (!numbers.every(Number.isSafeInteger)) return null;
  return Object.fromEntries(names.map((name, i) => [name, numbers[i]])) as Position<Name>;
}

/**
 * The first rows of an order that is made of ranges, each of which an index serves: those that share
 * the first columns of a position, then those beyond. One condition for all would make SQLite read every
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
 * The cursors of one list: a letter and one to four integers, which are the last item's position in the
 * list's order. A cursor is a position and grants nothing, so it is not signed. Clients send back the
 * `next` of an answer as it is.
 */
export function cursorOf<const Name extends string>(letter: string, ...names: readonly Name[]) {
  const form = new RegExp(`^${letter}(\\.-?[0-9]{1,16}){${names.length}}$`);
  const after = (position: Position<Name>): string =>
    [letter, ...names.map((name) => position[name])].join(".");
  /** The first items of a list, as `cut` gives them, and the cursor of the others. */
  function pageBy<T>(found: readonly T[], limit: number, positionOf: (item: T) => Position<Name>) {
    const { items, more } = cut(found, limit);
    const last = items.at(-1);
    return { items, more, next: more && last !== undefined ? after(positionOf(last)) : null };
  }
  /** The same for items that show their position. */
  const page = <T extends Position<Name>>(found: readonly T[], limit: number) =>
    pageBy(found, limit, (item) => item);
  return {
    /** The input of the list. */
    cursor: z
      .string()
      .transform((text, issues) => {
        const position = form.test(text) ? positionIn(names, text) : null;
        if (position !== null) return position;
        issues.addIssue({ code: "custom", message: PROBLEM });
        return z.NEVER;
      })
      .optional()
      .describe("From next."),
    /** The output beside the list's `more`. */
    next,
    /** The cursor of what lies behind a position. */
    after,
    pageBy,
    page,
    /** A page as answers have it: the items under their name, how many they are, and how the list goes on. */
    list<List extends string, T extends Position<Name>>(
      name: List,
      found: readonly T[],
      limit: number,
    ) {
      const { items, more, next: behind } = page(found, limit);
      const named = { [name]: items } as Readonly<Record<List, T[]>>;
      return { ...named, count: items.length, more, next: behind };
    },
  };
}
