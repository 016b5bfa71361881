import { postingsOf } from "../../../market/accounts/order-accounts.ts";
import { isOrderKind } from "../../../market/rules.ts";
import { numberIn } from "../entry.ts";
import { columns, type DerivedTable, type Made, rowName } from "./derived.ts";

/** A sum of nothing may have a row or none. */
const sums: DerivedTable = {
  table: "market_figure",
  stands: "at_head",
  stored: (row) => [String(row["name"]), row["amount"] === "0" ? null : columns(row, "amount")],
  made: ({ market }) =>
    new Map([...market.sums].map(([name, amount]) => [name, amount === 0n ? null : { amount }])),
};

const ACCOUNTS = ["in", "escrow", "seller_payable", "refund_payable", "fee", "out"] as const;
const BOOK = ["state", "held_from", "price_usd_micro", "base_raw"];

const books: DerivedTable = {
  table: "market_book",
  stands: "at_head",
  stored: (row) => [
    rowName("order", row["order_id"]),
    columns(row, ...BOOK, ...ACCOUNTS.map((account) => `${account}_raw`)),
  ],
  made: ({ market }) =>
    new Map(
      [...market.books].map(([id, { state, held_from, price, base_raw, balances }]) => [
        rowName("order", id),
        {
          ...{ state, held_from, price_usd_micro: price, base_raw },
          ...Object.fromEntries(ACCOUNTS.map((account) => [`${account}_raw`, balances[account]])),
        },
      ]),
    ),
};

function postings(): DerivedTable {
  const rows = new Map<string, Made>();
  return {
    table: "market_posting",
    stands: "at_head",
    stored: (row) => [
      `${row["ledger_id"]}/${row["line"]}`,
      columns(row, "order_id", "account", "amount_raw"),
    ],
    add(entry) {
      const { id, kind, body } = entry;
      const order_id = numberIn(entry, "order_id");
      for (const [i, line] of postingsOf(kind, body).entries())
        rows.set(`${id}/${i + 1}`, { order_id, ...line });
    },
    made: () => rows,
  };
}

/** Which entries the market's ledger shows. */
function entries(): DerivedTable {
  const rows = new Map<string, Made>();
  return {
    table: "market_entry",
    stands: "at_head",
    stored: (row) => [rowName("entry", row["ledger_id"]), columns(row, "order_id")],
    add(entry) {
      if (isOrderKind(entry.kind))
        rows.set(rowName("entry", entry.id), { order_id: numberIn(entry, "order_id") });
    },
    made: () => rows,
  };
}

/** The market's books. */
export const bookTables = (): readonly DerivedTable[] => [sums, books, postings(), entries()];
