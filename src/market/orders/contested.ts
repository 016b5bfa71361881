import type { Db } from "../../db/engine.ts";
import * as sql from "../queries.ts";

type Hold = NonNullable<Awaited<ReturnType<typeof sql.holdOf.first>>>;

/** Whether an order is held by its buyer's dispute: its last hold has the salt of that commitment, and the operator's none. */
export const isContested = (
  { state }: Pick<sql.OrderRow, "state">,
  last: Pick<Hold, "salt"> | undefined,
): boolean => state === "held" && last !== undefined && last.salt !== null;

/** The same of an order whose last hold is still to be read. */
export async function isContestedIn(read: Db, order: sql.OrderRow): Promise<boolean> {
  if (order.state !== "held") return false;
  return isContested(order, await sql.holdOf.first(read, { order_id: order.id, n: order.holds }));
}
