import type { Db } from "../../../platform/db/engine.ts";
import { prepared } from "../../../platform/db/prepared.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { places } from "../../../platform/ledger/entry-queries.ts";
import { time } from "../values.ts";

/** The newest row up to an id, of tables whose ids rise with time. */
const upTo = {
  agent: prepared((db, p: { id: number }) =>
    db
      .selectFrom("agent")
      .select(["id", "created_at as at"])
      .where("id", "<=", p.id)
      .orderBy("id", "desc")
      .limit(1),
  ),
  coin_transfer: prepared((db, p: { id: number }) =>
    db
      .selectFrom("coin_transfer")
      .select(["id", "created_at as at"])
      .where("id", "<=", p.id)
      .orderBy("id", "desc")
      .limit(1),
  ),
  market_order: prepared((db, p: { id: number }) =>
    db
      .selectFrom("market_order")
      .select(["id", "created_at as at"])
      .where("id", "<=", p.id)
      .orderBy("id", "desc")
      .limit(1),
  ),
  entry: prepared((db, p: { id: number }) =>
    places(db)
      .clearSelect()
      .select(["e.ledger_id as id", "e.at"])
      .where("e.ledger_id", "<=", p.id)
      .orderBy("e.ledger_id", "desc")
      .limit(1),
  ),
};

/** Values of a list that narrow it to a time. */
export const SPAN = {
  since: time.optional().describe("only from then on"),
  until: time.optional().describe("only before then"),
};

export interface Span {
  readonly since?: Seconds | undefined;
  readonly until?: Seconds | undefined;
}

/** A range of ids: from behind one to before the other; and the times, as the rows must have them. */
export interface Ids {
  readonly after: number;
  readonly before: number;
  readonly since: Seconds;
  readonly until: Seconds;
}

/** Writes that overlap get their ids and their times in another order. */
const SLACK = 1_000;
const NEWEST = Number.MAX_SAFE_INTEGER;

/** The ids between which all rows of a span lie, by some twenty lookups: no index has the times. */
export async function idsIn(
  read: Db,
  table: keyof typeof upTo,
  { since = 0, until = NEWEST }: Span,
  before: number = NEWEST,
): Promise<Ids> {
  const first = since === 0 ? 0 : await firstAt(read, table, since);
  const end = until === NEWEST ? NEWEST : await firstAt(read, table, until);
  return { after: first - 1 - SLACK, before: Math.min(before, end + SLACK), since, until };
}

/** The first id from a time on, or one behind the last. */
async function firstAt(read: Db, table: keyof typeof upTo, at: Seconds): Promise<number> {
  const last = await upTo[table].first(read, { id: NEWEST });
  let [low, high] = [1, (last?.id ?? 0) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await upTo[table].first(read, { id: middle });
    if (row === undefined || row.at < at) low = middle + 1;
    else high = Math.min(middle, row.id);
  }
  return low;
}
