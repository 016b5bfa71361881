import { foldCapability } from "../identity/rules.ts";
import { derived, local } from "../ledger/rows/columns.ts";
import type { FoldOf, RowFold } from "../ledger/rows/fold.ts";
import {
  CLOCK_SLACK_S,
  columns,
  countIn,
  type Entry,
  type Made,
  near,
  numberIn,
  rowName,
  textIn,
  UNSEALED,
} from "../ledger/rows/told.ts";
import { withFigures } from "../ledger/rows/with-figures.ts";
import type { Figure } from "./accounts/figures.ts";
import { type Book, postingsOf } from "./accounts/order-accounts.ts";
import { isCounted, isOrderKind, PAYMENT_ROLES } from "./rules.ts";

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

/** What an order's row has of its entries together. */
interface Standing {
  readonly state: string;
  readonly since: number;
  readonly received_raw: bigint;
}

/**
 * A clock that was stopped goes on by the second in which that was written, which is not sealed: so
 * the deadlines of an order that was ever held do not follow from the ledger.
 */
const STOPPED: Made = { deliver_by: UNSEALED, refund_at: UNSEALED, accept_by: UNSEALED };

/** The state of an order, and the sums that it is in. */
function orders(recorded: RowFold): RowFold<Books> {
  const standings = new Map<number, Standing>();
  return withFigures<Books>(recorded, {
    stored: (row) => columns(row, "base_raw", "state", "state_since", "received_raw", "escrow_raw"),
    made(name, { market }, { holds }) {
      const id = Number(name.slice(name.indexOf(" ") + 1));
      const book = market.books.get(id);
      const standing = standings.get(id);
      return {
        base_raw: book?.base_raw,
        state: book?.state,
        escrow_raw: book?.balances.escrow,
        state_since: near(standing?.since ?? Number.NaN),
        received_raw: standing?.received_raw,
        ...(holds !== 0 && STOPPED),
      };
    },
    add(entry, { market }) {
      if (!isOrderKind(entry.kind)) return [];
      const id = numberIn(entry, "order_id");
      const before = standings.get(id);
      const state = market.books.get(id)?.state ?? "";
      standings.set(id, {
        state,
        since: before?.state === state ? before.since : entry.at,
        received_raw: (before?.received_raw ?? 0n) + countedIn(entry),
      });
      return [rowName("order", id)];
    },
  });
}

/** What an entry counts towards the price of its order. */
function countedIn({ kind, body }: Entry): bigint {
  const role = PAYMENT_ROLES.find((each) => each === body["role"]);
  const isPayment = kind === "order_payment" && role !== undefined && isCounted(role);
  return isPayment ? BigInt(body["amount_raw"] ?? 0) : 0n;
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
