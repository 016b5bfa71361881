import type { Context } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import * as sql from "./queries.ts";
import { settledIds } from "./settled.ts";

/** Private tables, whose rows have no entry in the ledger. */
const TABLES = {
  direct_messages: { between: sql.messagesBetween, last: sql.lastMessage },
  reports: { between: sql.reportsBetween, last: sql.lastReport },
} as const;

type RowCounter = keyof typeof TABLES;
const NAMES = ["direct_messages", "reports"] as const satisfies readonly RowCounter[];

const END = Number.MAX_SAFE_INTEGER;

/** How many rows a table has: what is kept and what came since. `db` shows one state to both queries. */
export async function countRows(db: Db, name: RowCounter): Promise<number> {
  const kept = await sql.rowCount.first(db, { name });
  const after_id = kept?.through_id ?? 0;
  const since = await TABLES[name].between.first(db, { after_id, to_id: END });
  return (kept?.n ?? 0) + (since?.n ?? 0);
}

/**
 * A job that keeps these counts. Ids may have gaps, so the largest is no count, and a counter that
 * every write raised would make all of them wait for one row. Settled rows are counted once; later
 * rows are few.
 */
export function rowCounting(): (
  context: Pick<Context, "read" | "write" | "clock">,
) => Promise<void> {
  const settled = settledIds<RowCounter>();
  const lastOf = async (read: Db, name: RowCounter): Promise<[RowCounter, number]> => [
    name,
    (await TABLES[name].last.first(read, {}))?.id ?? 0,
  ];

  return async (context) => {
    const { read, clock } = context;
    const lastIds = async () => new Map(await Promise.all(NAMES.map((name) => lastOf(read, name))));
    for (const [name, to_id] of (await settled(clock.now(), lastIds)) ?? [])
      await countRow(context, name, to_id);
  };
}

/** Counts what is settled and not counted yet; another node that did the same at once changes nothing. */
async function countRow(
  { read, write }: Pick<Context, "read" | "write">,
  name: RowCounter,
  to_id: number,
): Promise<void> {
  const after_id = (await sql.rowCount.first(read, { name }))?.through_id ?? 0;
  if (to_id <= after_id) return;
  const settled = await TABLES[name].between.first(read, { after_id, to_id });
  await write((tx) => sql.keepRows.run(tx, { name, n: settled?.n ?? 0, after_id, to_id }));
}
