import type * as sql from "../queries.ts";

type Hold = NonNullable<Awaited<ReturnType<typeof sql.holdOf.first>>>;

/** Whether an order is held by its buyer's dispute: its last hold has the salt of that commitment, and the operator's none. */
export const isContested = (
  { state }: Pick<sql.OrderRow, "state">,
  last: Pick<Hold, "salt"> | undefined,
): boolean => state === "held" && last !== undefined && last.salt !== null;
