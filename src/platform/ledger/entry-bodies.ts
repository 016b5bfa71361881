import type { Db } from "../db/engine.ts";
import { entriesByIds } from "./entry-queries.ts";

/** The RFC 8785 texts of the bodies of some entries, by ledger id. */
export async function bodiesOf(
  read: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await entriesByIds.all(read, { ids: JSON.stringify(ids) });
  return new Map(rows.map(({ ledger_id, body }) => [ledger_id, body]));
}
