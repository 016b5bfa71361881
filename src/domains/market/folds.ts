import { derived, local } from "../../platform/ledger/rows/columns.ts";
import type { FoldOf, RowFold } from "../../platform/ledger/rows/fold.ts";
import {
  CLOCK_SLACK_S,
  columns,
  countIn,
  type Made,
  near,
  numberIn,
  rowName,
  textIn,
  UNSEALED,
} from "../../platform/ledger/rows/told.ts";
import { withFigures } from "../../platform/ledger/rows/with-figures.ts";
import { foldCapability } from "../identity/rules.ts";
import type { Figure } from "./accounts/figures.ts";
import { type Book, postingsOf } from "./accounts/order-accounts.ts";
import { isOrderKind } from "./rules.ts";
import { orderAfter, orderOpened } from "./steps/order-fold.ts";
import type { KnownOrder } from "./steps/order-state.ts";

/** The tables whose rows no single entry makes. */
export const otherTables = {
  market_watch: local(
    ...(["account", "invoiced_at", "next_at", "scanned_at", "frontier", "unreceived"] as const),
  ),
  market_order_floor: local("one", "first_id"),
  market_recheck: local("sent", "order_id", "recorded_at", "tries", "next_try_at", "found"),
  market_doubt: local(
    ...(["account", "hash", "state", "why", "amount_raw", "from_account", "order_id"] as const),
    ...(["told_by", "untold", "first_seen_at", "tries", "next_try_at", "closed_at"] as const),
    "note",
  ),
  market_entry: derived("ledger_id", "order_id"),
  market_posting: derived("ledger_id", "line", "order_id", "account", "amount_raw"),
  market_book: derived(
    ...(["order_id", "state", "held_from", "price_usd_micro", "base_raw", "in_raw"] as const),
    ...(["escrow_raw", "seller_payable_raw", "refund_payable_raw", "fee_raw", "out_raw"] as const),
  ),
  market_figure: derived("name", "amount"),
} as const;

/** The part of the audit's books that these folds read. */
interface Books {
  readonly market: {
    readonly books: ReadonlyMap<number, Book>;
    readonly offers: ReadonlyMap<number, { readonly isListed: boolean }>;
    readonly sums: ReadonlyMap<Figure, bigint>;
  };
}

/** A capability is also stored as searches compare it. */
const offers = (recorded: RowFold): RowFold =>
  withFigures(recorded, {
    stored: ({ capability, capability_folded }) => ({
      isFolded: capability_folded === foldCapability(String(capability)) ? 1 : 0,
    }),
    made: () => ({ isFolded: 1 }),
  });

/** Which offers the market lists, as of the ledger's head. */
const listings: RowFold<Books> = {
  table: "market_offer",
  stands: "at_head",
  stored: (row) => [rowName("offer", row["id"]), columns(row, "listed")],
  made: ({ market }) =>
    new Map(
      [...market.offers].map(([id, { isListed }]) => [
        rowName("offer", id),
        { listed: isListed ? 1 : 0 },
      ]),
    ),
};

/** Of the addresses that sellers are paid to, one that another replaced before it could be used never is. */
function addresses(recorded: RowFold): RowFold {
  const superseded = new Map<string, 1 | typeof UNSEALED>();
  return withFigures(recorded, {
    stored: (row) => columns(row, "superseded"),
    made: (name) => ({ superseded: superseded.get(name) ?? 0 }),
    add(entry, books) {
      if (entry.kind !== "payout_address") return [];
      const name = rowName(recorded.table, `${textIn(entry, "agent")}/${countIn(entry) - 1}`);
      const left = Number(recorded.row?.(name, books)?.["usable_from"] ?? 0) - entry.at;
      if (left < -CLOCK_SLACK_S) return [];
      superseded.set(name, left > CLOCK_SLACK_S ? 1 : UNSEALED);
      return [name];
    },
  });
}

/** The columns of an order that its entries make together, as the rules lead it. */
const LED = [
  "base_raw",
  "state",
  "received_raw",
  "escrow_raw",
  "deliver_by",
  "refund_at",
  "accept_by",
  "held_until",
] as const;

/** An order as the rules lead it, and the second since which it is in its state. */
interface Led {
  readonly order: KnownOrder;
  readonly since: number;
}

/** Orders, with their states, sums and deadlines by the rules, which share nothing with the books of the market. */
function orders(recorded: RowFold): RowFold {
  const led = new Map<number, Led>();
  return withFigures(recorded, {
    stored: (row) => columns(row, "state_since", ...LED),
    made(name) {
      const found = led.get(Number(name.slice(name.indexOf(" ") + 1)));
      return {
        state_since: near(found?.since ?? Number.NaN),
        ...Object.fromEntries(LED.map((column) => [column, found?.order[column]])),
      };
    },
    add(entry) {
      const { kind, ref, body } = entry;
      if (!isOrderKind(kind)) return [];
      const id = numberIn(entry, "order_id");
      const before = led.get(id);
      const at = Number.isNaN(entry.at) ? 0 : entry.at;
      const order = before ? orderAfter(before.order, { kind, ref, body, at }) : orderOpened(body);
      const isSame = before?.order.state === order.state;
      led.set(id, { order, since: isSame ? before.since : entry.at });
      return [rowName("order", id)];
    },
  });
}

/** A sum of nothing may have a row or none. */
const sums: RowFold<Books> = {
  table: "market_figure",
  stands: "at_head",
  stored: (row) => [String(row["name"]), row["amount"] === "0" ? null : columns(row, "amount")],
  made: ({ market }) =>
    new Map([...market.sums].map(([name, amount]) => [name, amount === 0n ? null : { amount }])),
};

const ACCOUNTS = ["in", "escrow", "seller_payable", "refund_payable", "fee", "out"] as const;
const BOOK = ["state", "held_from", "price_usd_micro", "base_raw"];

const books: RowFold<Books> = {
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
          state,
          held_from,
          price_usd_micro: price,
          base_raw,
          ...Object.fromEntries(ACCOUNTS.map((account) => [`${account}_raw`, balances[account]])),
        },
      ]),
    ),
};

function postings(): RowFold {
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
function entries(): RowFold {
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

/** What offers, orders and their parties' accounts have that no single entry says. */
export const marketFolds = (foldOf: FoldOf): readonly RowFold[] => [
  offers(foldOf("market_offer")),
  listings,
  addresses(foldOf("market_payout_address")),
  orders(foldOf("market_order")),
  foldOf("market_unmatched"),
  sums,
  books,
  postings(),
  entries(),
];
