import type { Insertable } from "kysely";
import { prepared } from "../../db/prepared.ts";
import type { MarketTables } from "../tables.ts";

export const insertEntry = prepared((db, p: { ledger_id: number; order_id: number }) =>
  db.insertInto("market_entry").values(p),
);

export const insertLine = prepared((db, p: Insertable<MarketTables["market_posting"]>) =>
  db.insertInto("market_posting").values(p),
);

export const bookOf = prepared((db, p: { order_id: number }) =>
  db.selectFrom("market_book").selectAll().where("order_id", "=", p.order_id),
);

export const writeBook = prepared((db, p: Insertable<MarketTables["market_book"]>) =>
  db
    .insertInto("market_book")
    .values(p)
    .onConflict((conflict) =>
      conflict.column("order_id").doUpdateSet((set) => ({
        state: set.ref("excluded.state"),
        held_from: set.ref("excluded.held_from"),
        in_raw: set.ref("excluded.in_raw"),
        escrow_raw: set.ref("excluded.escrow_raw"),
        seller_payable_raw: set.ref("excluded.seller_payable_raw"),
        refund_payable_raw: set.ref("excluded.refund_payable_raw"),
        fee_raw: set.ref("excluded.fee_raw"),
        out_raw: set.ref("excluded.out_raw"),
      })),
    ),
);

export const figures = prepared((db, _: Record<string, never>) =>
  db.selectFrom("market_figure").select(["name", "amount"]),
);

export const writeFigure = prepared((db, p: { name: string; amount: string }) =>
  db
    .insertInto("market_figure")
    .values(p)
    .onConflict((conflict) =>
      conflict.column("name").doUpdateSet((set) => ({ amount: set.ref("excluded.amount") })),
    ),
);

export const unlistOffer = prepared((db, p: { id: number }) =>
  db.updateTable("market_offer").set({ listed: 0 }).where("id", "=", p.id).where("listed", "=", 1),
);

/** Of a banned seller; an offer that is withdrawn counts by its own entry. */
export const unlistOffersOf = prepared((db, p: { agent_id: string }) =>
  db
    .updateTable("market_offer")
    .set({ listed: 0 })
    .where("agent", "=", (eb) =>
      eb.selectFrom("agent").select("id").where("agent_id", "=", p.agent_id),
    )
    .where("withdrawn_at", "is", null)
    .where("listed", "=", 1),
);

export const relistOffersOf = prepared((db, p: { agent_id: string }) =>
  db
    .updateTable("market_offer")
    .set({ listed: 1 })
    .where("agent", "=", (eb) =>
      eb.selectFrom("agent").select("id").where("agent_id", "=", p.agent_id),
    )
    .where("withdrawn_at", "is", null)
    .where("listed", "=", 0),
);
