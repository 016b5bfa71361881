import { prepared } from "../../../platform/db/prepared.ts";
import { adding, inserting, isOneOf } from "../../../platform/db/rows.ts";

export const insertEntries = inserting("market_entry", { ledger_id: "bigint", order_id: "bigint" });

export const insertLines = inserting("market_posting", {
  ledger_id: "bigint",
  line: "bigint",
  order_id: "bigint",
  account: "text",
  amount_raw: "text",
});

/** Of a JSON list of orders. */
export const booksOf = prepared((db, p: { orders: string }) =>
  db
    .selectFrom("market_book")
    .selectAll()
    .where(isOneOf(db, "order_id", "bigint", p.orders)),
);

/** The price of an order and its base never change, so they are the same in each row. */
export const writeBooks = adding(
  "market_book",
  {
    order_id: "bigint",
    state: "text",
    held_from: "text",
    price_usd_micro: "bigint",
    base_raw: "text",
    in_raw: "text",
    escrow_raw: "text",
    seller_payable_raw: "text",
    refund_payable_raw: "text",
    fee_raw: "text",
    out_raw: "text",
  },
  {
    key: "order_id",
    latest: [
      "state",
      "held_from",
      "price_usd_micro",
      "base_raw",
      "in_raw",
      "escrow_raw",
      "seller_payable_raw",
      "refund_payable_raw",
      "fee_raw",
      "out_raw",
    ],
  },
);

export const figures = prepared((db, _: Record<string, never>) =>
  db.selectFrom("market_figure").select(["name", "amount"]),
);

export const writeFigures = adding(
  "market_figure",
  { name: "text", amount: "text" },
  { key: "name", latest: ["amount"] },
);

/** Of a JSON list of ids. */
export const unlistOffers = prepared((db, p: { ids: string }) =>
  db
    .updateTable("market_offer")
    .set({ listed: 0 })
    .where("listed", "=", 1)
    .where(isOneOf(db, "id", "bigint", p.ids)),
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
