import { columns, type Made, near, numberIn, rowName } from "../../../ledger/rows/told.ts";
import { postingsOf } from "../../../market/accounts/order-accounts.ts";
import { isOrderKind } from "../../../market/rules.ts";
import { entryRows, hashIn } from "./rows.ts";
import type { DerivedTable } from "./table.ts";

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

/** Payments without an order. A row of before they were sealed has no entry yet, and is not compared. */
function unmatched(): DerivedTable {
  const rows = entryRows({
    table: "market_unmatched",
    kinds: ["payment_unmatched"],
    id: { row: ({ txid }) => String(txid), entry: ({ ref }) => ref },
    columns: { from_account: "from", amount_raw: "amount_raw" },
    times: ["first_seen_at", "sealed_at"],
    more: {
      row: (row) => ({
        ...columns(row, "order_id", "sent_txid", "sent_to", "sent_at"),
        reason: hashIn(row, "reason"),
      }),
      entry: () => ({
        order_id: null,
        sent_txid: null,
        sent_to: null,
        sent_at: null,
        reason: null,
      }),
    },
    later: {
      of: ({ kind, body }) => {
        const isAssigned = kind === "order_payment" && body["unmatched"] === 1;
        return isAssigned || kind === "payment_refunded" ? [String(body["txid"])] : [];
      },
      figures: ({ kind, at, body }) =>
        kind === "order_payment"
          ? { order_id: body["order_id"] }
          : {
              ...{ sent_txid: body["sent_txid"], sent_to: body["to"], sent_at: near(at) },
              reason: body["reason_sha256"] ?? null,
            },
    },
  });
  return {
    ...rows,
    stored: (row, agentOf) => {
      const [name, figures] = rows.stored(row, agentOf);
      return [name, row["sealed_at"] === null ? null : figures];
    },
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
export const bookTables = (): readonly DerivedTable[] => [
  sums,
  books,
  postings(),
  unmatched(),
  entries(),
];
