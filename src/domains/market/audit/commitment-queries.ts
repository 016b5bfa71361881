import { sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";

export const addressesOf = prepared((db, p: { agent_id: string }) =>
  db
    .selectFrom("market_payout_address as a")
    .innerJoin("agent as s", "s.id", "a.agent")
    .select(["a.n", "a.address", "a.usable_from", "a.superseded"])
    .where("s.agent_id", "=", p.agent_id)
    .orderBy("a.n"),
);

export const contentsOf = prepared((db, p: { order_id: number }) =>
  db
    .selectFrom("market_delivery")
    .select(["n", "body", "salt"])
    .where("order_id", "=", p.order_id)
    .orderBy("n"),
);

/** Orders after one whose sellers are to be paid. */
export const releasedAfter = prepared((db, p: { after: number; limit: number }) =>
  db
    .selectFrom("market_order as o")
    .innerJoin("agent as s", "s.id", "o.seller")
    .select(["o.id", "s.agent_id"])
    .where(sql<boolean>`o.state = 'released'`)
    .where("o.id", ">", p.after)
    .orderBy("o.id")
    .limit(p.limit),
);

/** Orders after one that owe something back. */
export const indebtedAfter = prepared((db, p: { after: number; limit: number }) =>
  db
    .selectFrom("market_refund")
    .select("order_id as id")
    .distinct()
    .where("txid", "is", null)
    .where("order_id", ">", p.after)
    .orderBy("order_id")
    .limit(p.limit),
);

/** The oldest first. */
export const openDebtsOf = prepared((db, p: { order_id: number }) =>
  db
    .selectFrom("market_refund")
    .select(["n", "amount_raw", "to_account", "why", "at"])
    .where("order_id", "=", p.order_id)
    .where("txid", "is", null)
    .orderBy("n"),
);
