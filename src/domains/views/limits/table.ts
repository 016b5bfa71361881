import type { Limit } from "../shapes.ts";

/** What, value, unit; by id, by what it applies to. */
export type LimitTable = Readonly<
  Record<string, Readonly<Record<string, readonly [string, Limit["value"], string]>>>
>;

/** The rows of a table, in its order. */
export const limitsIn = (table: LimitTable): Limit[] =>
  Object.entries(table).flatMap(([applies_to, rows]) =>
    Object.entries(rows).map(([id, [what, value, unit]]) => ({
      id,
      what,
      value,
      unit,
      applies_to,
    })),
  );
