import { sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import { places } from "../../../platform/ledger/entry-queries.ts";

interface Which {
  readonly limit: number;
  readonly before_id: number;
  readonly order_id?: number;
}

/** Entries before a ledger id, newest first: one index range, to which what they say is joined. */
export const entriesOf = prepared((db, p: Which) => {
  const ids = db
    .selectFrom("market_entry")
    .select(["ledger_id", "order_id"])
    .where("ledger_id", "<", p.before_id)
    .orderBy("ledger_id", "desc")
    .limit(p.limit);
  const page = p.order_id === undefined ? ids : ids.where("order_id", "=", p.order_id);
  return db
    .selectFrom(page.as("page"))
    .innerJoin(places(db).as("e"), "e.ledger_id", "page.ledger_id")
    .innerJoin("market_order as o", "o.id", "page.order_id")
    .innerJoin("agent as b", "b.id", "o.buyer")
    .innerJoin("agent as s", "s.id", "o.seller")
    .leftJoin("market_hold as h", (join) =>
      join
        .onRef("h.order_id", "=", "page.order_id")
        .on(sql<boolean>`e.kind in ('order_held', 'order_resolved')`)
        .on(sql<boolean>`e.ref = o.id || '/' || h.n`),
    )
    .select(["page.ledger_id as id", "page.order_id", "e.at", "e.kind", "e.ref"])
    .select(["b.agent_id as buyer_id", "b.handle as buyer_handle"])
    .select(["s.agent_id as seller_id", "s.handle as seller_handle"])
    .select(["h.reason", "h.outcome_reason"])
    .orderBy("page.ledger_id", "desc");
});
