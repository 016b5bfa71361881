import { sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import { places } from "../../../platform/ledger/entry-queries.ts";

export const booksAfter = prepared((db, p: { after: number; limit: number }) =>
  db
    .selectFrom("market_book")
    .selectAll()
    .where("order_id", ">", p.after)
    .orderBy("order_id")
    .limit(p.limit),
);

/** Orders that are not over, by their number: any index of states would have to sort them. */
export const openOrdersAfter = prepared((db, p: { after: number; limit: number }) =>
  db
    .selectFrom("market_order")
    .select("id")
    .where("id", ">", p.after)
    .where(sql<boolean>`not (state in ('paid_out', 'refunded', 'expired'))`)
    .orderBy("id")
    .limit(p.limit),
);

interface Page {
  /** The entry that was read last: its order and its ledger id. */
  readonly after_order: number;
  readonly after_id: number;
  readonly last_order: number;
  readonly limit: number;
}

/** The entries of some orders, order by order. */
export const entriesOfOrders = prepared((db, p: Page) =>
  db
    .selectFrom("market_entry as m")
    .innerJoin(places(db).as("e"), "e.ledger_id", "m.ledger_id")
    .select(["m.order_id", "m.ledger_id", "e.kind"])
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple("m.order_id", "m.ledger_id"), ">", tuple(p.after_order, p.after_id)),
    )
    .where("m.order_id", "<=", p.last_order)
    .orderBy("m.order_id")
    .orderBy("m.ledger_id")
    .limit(p.limit),
);
