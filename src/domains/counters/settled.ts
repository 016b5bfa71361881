import { MINUTE_S, type Seconds } from "../../platform/kernel/time.ts";

/** Far longer than a write can run: an id that was drawn so long ago is stored by now, or never will be. */
const SETTLED_S = 5 * MINUTE_S;

/** The largest id of each table, as one look sees it. */
type LastIds<Name extends string> = ReadonlyMap<Name, number>;

/**
 * Tells which ids of some tables are settled. Ids may become visible out of order, so a row up to the
 * largest id that is seen may still be missing; five minutes later it is there or never comes. Each
 * call resolves to the ids that were the largest then, and to null in between.
 */
export function settledIds<Name extends string>(): (
  now: Seconds,
  lastIds: () => Promise<LastIds<Name>>,
) => Promise<LastIds<Name> | null> {
  let marks: { readonly at: Seconds; readonly last: LastIds<Name> } | null = null;

  return async (now, lastIds) => {
    if (marks !== null && now - marks.at < SETTLED_S) return null;
    const settled = marks?.last ?? null;
    marks = { at: now, last: await lastIds() };
    return settled;
  };
}
