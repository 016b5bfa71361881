import type { Tx } from "../../../platform/db/engine.ts";
import { fieldsIn, type PlacedEntry } from "../../../platform/kernel/contract/entry-kind.ts";
import { micro } from "../../../platform/kernel/money.ts";
import type { Projector } from "../../../platform/ledger/sequencing/sequence.ts";
import { agentBanned } from "../../identity/entries.ts";
import * as kinds from "../entries.ts";
import { isOrderKind } from "../rules.ts";
import type { MarketTables } from "../tables.ts";
import { addEntry, addTo, owedWithoutOrder, readFigures, type Sums } from "./figures.ts";
import { type Book, bookAfter, postingsOf } from "./order-accounts.ts";
import * as sql from "./queries.ts";

/**
 * Keeps the books of all orders at the ledger's head: the lines of every posting, each order's six
 * accounts, and the sums that the market shows. It runs in the sequencing transaction, which holds
 * the head row, so nothing is booked twice and no handler ever waits for a sum.
 */
export const marketProjector: Projector = async (tx, entries) => {
  const sums: Sums = new Map();
  for (const { kind, body } of entries) addTo(sums, "owed_raw", owedWithoutOrder(kind, body));
  const ofOrders = entries.flatMap((entry) =>
    isOrderKind(entry.kind) ? [{ ...entry, ...fieldsIn(kinds.order, entry.body, "order_id") }] : [],
  );
  const books = await readBooks(tx, new Set(ofOrders.map(({ order_id }) => order_id)));
  const changed = new Map<number, Book>();
  const booked: typeof ofOrders = [];
  for (const entry of ofOrders) {
    const { kind, body, order_id } = entry;
    const before = changed.get(order_id) ?? books.get(order_id) ?? null;
    const after = bookAfter(before, kind, body);
    if (after === null) continue;
    changed.set(order_id, after);
    addEntry(sums, { before, after, kind, body });
    booked.push(entry);
  }
  await recordLines(tx, booked);
  await sql.writeBooks(
    tx,
    [...changed].map(([order_id, book]) => bookRow(order_id, book)),
  );
  await countOffers(tx, entries, sums);
  await addSums(tx, sums);
};

/** Keeps the number of listed offers, which the ban of a seller changes, too, and its end. */
async function countOffers(tx: Tx, entries: readonly PlacedEntry[], sums: Sums): Promise<void> {
  let withdrawn: number[] = [];
  /** A withdrawal and a ban of its seller count in their order. */
  const unlist = async () => {
    if (withdrawn.length === 0) return;
    const changed = await sql.unlistOffers.run(tx, { ids: JSON.stringify(withdrawn) });
    addTo(sums, "offers_open", -BigInt(changed));
    withdrawn = [];
  };
  for (const { kind, body } of entries) {
    if (kind === "offer") addTo(sums, "offers_open", 1n);
    else if (kind === "offer_withdrawn")
      withdrawn.push(fieldsIn(kinds.offerWithdrawn, body, "offer_id").offer_id);
    else if (kind === "agent_banned" || kind === "agent_unbanned") {
      await unlist();
      const [query, sign] =
        kind === "agent_banned" ? [sql.unlistOffersOf, -1n] : [sql.relistOffersOf, 1n];
      const changed = await query.run(tx, { agent_id: fieldsIn(agentBanned, body, "agent").agent });
      addTo(sums, "offers_open", sign * BigInt(changed));
    }
  }
  await unlist();
}

type OrderEntry = PlacedEntry & { readonly order_id: number };

async function recordLines(tx: Tx, entries: readonly OrderEntry[]): Promise<void> {
  await sql.insertEntries(
    tx,
    entries.map(({ ledger_id, order_id }) => ({ ledger_id, order_id })),
  );
  await sql.insertLines(
    tx,
    entries.flatMap(({ ledger_id, order_id, kind, body }) =>
      postingsOf(kind, body).map(({ account, amount_raw }, i) => ({
        ledger_id,
        line: i + 1,
        order_id,
        account,
        amount_raw: String(amount_raw),
      })),
    ),
  );
}

/** The books of orders as they are stored; before its first entry an order has none. */
async function readBooks(tx: Tx, orders: ReadonlySet<number>): Promise<ReadonlyMap<number, Book>> {
  if (orders.size === 0) return new Map();
  const rows = await sql.booksOf.all(tx, { orders: JSON.stringify([...orders]) });
  return new Map(rows.map((row) => [row.order_id, bookIn(row)]));
}

const bookIn = (row: MarketTables["market_book"]): Book => ({
  state: row.state,
  held_from: row.held_from,
  price: micro(row.price_usd_micro),
  base_raw: BigInt(row.base_raw),
  balances: {
    in: BigInt(row.in_raw),
    escrow: BigInt(row.escrow_raw),
    seller_payable: BigInt(row.seller_payable_raw),
    refund_payable: BigInt(row.refund_payable_raw),
    fee: BigInt(row.fee_raw),
    out: BigInt(row.out_raw),
  },
});

/** A book as it is stored. */
export const bookRow = (order_id: number, { balances, ...book }: Book) => ({
  order_id,
  state: book.state,
  held_from: book.held_from,
  price_usd_micro: Number(book.price),
  base_raw: String(book.base_raw),
  in_raw: String(balances.in),
  escrow_raw: String(balances.escrow),
  seller_payable_raw: String(balances.seller_payable),
  refund_payable_raw: String(balances.refund_payable),
  fee_raw: String(balances.fee),
  out_raw: String(balances.out),
});

async function addSums(tx: Tx, sums: Sums): Promise<void> {
  const changed = [...sums].filter(([, amount]) => amount !== 0n);
  if (changed.length === 0) return;
  const known = await readFigures(tx);
  await sql.writeFigures(
    tx,
    changed.map(([name, amount]) => ({ name, amount: String(known(name) + amount) })),
  );
}
