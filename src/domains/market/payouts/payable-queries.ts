import { sql } from "kysely";
import { prepared, preparedRead } from "../../../platform/db/prepared.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { DUST_END_RAW } from "../../transfers/rules.ts";

interface UnsentRange {
  readonly now: Seconds;
  readonly from_id: number;
  readonly limit: number;
  readonly offset?: number | undefined;
}

export const unsentPayouts = prepared((db, p: UnsentRange) =>
  db
    .selectFrom("market_order as o")
    .innerJoin("agent as s", "s.id", "o.seller")
    .select(["o.id", "o.seller", "o.base_raw", "o.escrow_address", "o.created_at", "o.state_since"])
    .select("s.agent_id")
    .select((select) => [
      select
        .selectFrom("market_payout_address as a")
        .select("a.address")
        .whereRef("a.agent", "=", "o.seller")
        .where("a.superseded", "=", 0)
        .where("a.usable_from", "<=", p.now)
        .orderBy("a.n", "desc")
        .limit(1)
        .as("address"),
      select
        .selectFrom("market_payout_address as a")
        .select("a.n")
        .whereRef("a.agent", "=", "o.seller")
        .orderBy("a.n", "desc")
        .limit(1)
        .as("last_n"),
    ])
    .where(sql<boolean>`o.state = 'released'`)
    .where("o.id", ">=", p.from_id)
    .orderBy("o.id")
    .limit(p.limit)
    .$if(p.offset !== undefined, (all) => all.offset(p.offset ?? 0)),
);

/** Orders whose buyers have stopped the clock, the oldest first. */
export const openDisputes = prepared((db, p: { limit: number; offset: number }) =>
  db
    .selectFrom("market_order as o")
    .innerJoin("market_hold as h", (join) =>
      join.onRef("h.order_id", "=", "o.id").onRef("h.n", "=", "o.holds"),
    )
    .select(["o.id as order_id", "h.reason", "h.at as disputed_at", "o.held_until"])
    .where(sql<boolean>`o.state = 'held'`)
    .where("h.salt", "is not", null)
    .orderBy("o.id")
    .limit(p.limit)
    .offset(p.offset),
);

/** The lines of one page. */
export interface Range {
  readonly limit: number;
  readonly offset: number;
}

/** A longer decimal text is a larger number, so the largest come first. */
export const openUnmatched = prepared((db, p: Range) =>
  db
    .selectFrom("market_unmatched")
    .select(["txid", "from_account as from", "amount_raw", "first_seen_at"])
    .where("order_id", "is", null)
    .where("sent_at", "is", null)
    .orderBy(sql`length(amount_raw)`, "desc")
    .orderBy("amount_raw", "desc")
    .orderBy("first_seen_at")
    .orderBy("txid")
    .limit(p.limit)
    .offset(p.offset),
);

/** What an order owes to one account; a debt to nobody's account stands alone. */
interface OpenGroup {
  readonly order_id: number;
  /** The account, or `#` and the number of the debt. */
  readonly of: string;
  /** How many there are in all. */
  readonly total: number;
}

/** Decimal texts of 31 digits, near enough to be compared. */
const OWED = sql`sum(cast(amount_raw as double precision))`;

/** Dust comes last, however much of it there is; before it the order that owes most to one account comes first. */
export const openGroups = preparedRead(
  (_, p: Range) =>
    sql<OpenGroup>`select order_id, coalesce(to_account, '#' || n) as "of", count(*) over () as total
      from market_refund where txid is null
      group by order_id, coalesce(to_account, '#' || n)
      order by ${OWED} < ${sql.lit(Number(DUST_END_RAW))},
        max(${OWED}) over (partition by order_id) desc, order_id, min(n)
      limit ${p.limit} offset ${p.offset}`,
);
