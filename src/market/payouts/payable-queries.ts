import { sql } from "kysely";
import { prepared } from "../../db/prepared.ts";
import type { Seconds } from "../../kernel/time.ts";

export const unsentPayouts = prepared((db, p: { now: Seconds; from_id: number; limit: number }) =>
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
    .limit(p.limit),
);

export const openUnmatched = prepared((db, p: { limit: number }) =>
  db
    .selectFrom("market_unmatched")
    .select(["txid", "from_account as from", "amount_raw", "first_seen_at"])
    .where("order_id", "is", null)
    .orderBy("first_seen_at")
    .orderBy("txid")
    .limit(p.limit),
);
