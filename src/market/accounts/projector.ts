import * as z from "zod";
import type { Tx } from "../../db/engine.ts";
import { micro } from "../../kernel/money.ts";
import type { Projector } from "../../ledger/sequence.ts";
import { isOrderKind } from "../rules.ts";
import { addEntry, addTo, readFigures, type Sums } from "./figures.ts";
import { type Book, bookAfter, postingsOf } from "./order-accounts.ts";
import * as sql from "./queries.ts";

/**
 * Keeps the books of all orders at the ledger's head: the lines of every posting, each order's six
 * accounts, and the sums that the market shows. It runs in the sequencing transaction, which holds
 * the head row, so nothing is booked twice and no handler ever waits for a sum.
 */
export const marketProjector: Projector = async (tx, entries) => {
  const sums: Sums = new Map();
  const books = new Map<number, Book | null>();
  for (const { kind, body, ledger_id } of entries) {
    if (isOrderKind(kind)) {
      const { order_id } = ofOrder.parse(body);
      const before = books.get(order_id) ?? (await readBook(tx, order_id));
      const after = bookAfter(before, kind, body);
      if (after === null) continue;
      books.set(order_id, after);
      addEntry(sums, { before, after, kind, body });
      await recordLines(tx, { ledger_id, order_id, kind, body });
    } else {
      await OFFERS[kind]?.(tx, sums, body);
    }
  }
  for (const [order_id, book] of books) if (book !== null) await writeBook(tx, order_id, book);
  await addSums(tx, sums);
};

const ofOrder = z.object({ order_id: z.int() });
const ofOffer = z.object({ offer_id: z.int() });
const ofAgent = z.object({ agent: z.string() });

/** The entries that change the number of listed offers: also the ban of a seller, and its end. */
const OFFERS: Readonly<Record<string, (tx: Tx, sums: Sums, body: unknown) => Promise<void>>> = {
  offer: async (_, sums) => addTo(sums, "offers_open", 1n),
  offer_withdrawn: async (tx, sums, body) => {
    const changed = await sql.unlistOffer.run(tx, { id: ofOffer.parse(body).offer_id });
    addTo(sums, "offers_open", -BigInt(changed));
  },
  agent_banned: async (tx, sums, body) => {
    const changed = await sql.unlistOffersOf.run(tx, { agent_id: ofAgent.parse(body).agent });
    addTo(sums, "offers_open", -BigInt(changed));
  },
  agent_unbanned: async (tx, sums, body) => {
    const changed = await sql.relistOffersOf.run(tx, { agent_id: ofAgent.parse(body).agent });
    addTo(sums, "offers_open", BigInt(changed));
  },
};

async function recordLines(
  tx: Tx,
  entry: { ledger_id: number; order_id: number; kind: string; body: unknown },
): Promise<void> {
  const { ledger_id, order_id, kind, body } = entry;
  const lines = postingsOf(kind, body).map(({ account, amount_raw }, i) => ({
    ...{ ledger_id, line: i + 1, order_id },
    account,
    amount_raw: String(amount_raw),
  }));
  await Promise.all([
    sql.insertEntry.run(tx, { ledger_id, order_id }),
    ...lines.map((line) => sql.insertLine.run(tx, line)),
  ]);
}

/** The book of an order as it is stored; null before its first entry. */
async function readBook(tx: Tx, order_id: number): Promise<Book | null> {
  const row = await sql.bookOf.first(tx, { order_id });
  if (row === undefined) return null;
  return {
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
  };
}

const writeBook = (tx: Tx, order_id: number, book: Book) =>
  sql.writeBook.run(tx, bookRow(order_id, book));

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
  for (const [name, amount] of changed)
    await sql.writeFigure.run(tx, { name, amount: String(known(name) + amount) });
}
