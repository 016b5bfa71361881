import type { Db } from "../db/engine.ts";
import type { JobContext } from "../ledger/seal.ts";
import * as sql from "./audit-queries.ts";
import { type Book, bookAfter, isSound } from "./books.ts";
import { bookRow } from "./projector.ts";

/** Orders that are looked at in one state of the database. */
const ORDERS = 50;
/** Entries that are in memory at once, however many an order has. */
const ENTRIES = 250;

/** Violations that one check tells of, at most: whoever has so many has more than a mistake. */
const VIOLATIONS_MAX = 100;

/** An order whose book is not what its entries make, or does not balance. */
export interface MarketViolation {
  readonly invariant: "I12";
  readonly order_id: number;
}

/**
 * Makes the book of every order again from its entries, and compares it with the one that is stored:
 * the accounts sum to 0, and none but `in` is below it (I12). Order by order, so that what it holds
 * in memory does not grow with the market.
 */
export async function marketAudit({
  snapshot,
  breathe,
}: Pick<JobContext, "snapshot" | "breathe">): Promise<readonly MarketViolation[]> {
  const found: MarketViolation[] = [];
  for (let after = 0; after < END && found.length < VIOLATIONS_MAX; ) {
    const { broken, last } = await snapshot((db) => slice(db, after));
    found.push(...broken.map((order_id) => ({ invariant: "I12" as const, order_id })));
    after = last;
    await breathe();
  }
  return found.slice(0, VIOLATIONS_MAX);
}

const END = Number.MAX_SAFE_INTEGER;

/** The next orders: those that are broken, and which was the last; `END` when no more are stored. */
async function slice(db: Db, after: number): Promise<{ broken: number[]; last: number }> {
  const rows = await sql.booksAfter.all(db, { after, limit: ORDERS });
  const last = rows.length < ORDERS ? END : (rows.at(-1)?.order_id ?? END);
  const stored = new Map(rows.map((row) => [row.order_id, printed(row)]));
  const broken: number[] = [];
  for await (const { order_id, book } of booksBetween(db, after, last)) {
    const isRight = book !== null && stored.get(order_id) === printed(bookRow(order_id, book));
    if (!isRight && broken.length < VIOLATIONS_MAX) broken.push(order_id);
    stored.delete(order_id);
  }
  return { broken: [...broken, ...stored.keys()], last };
}

const printed = (row: ReturnType<typeof bookRow>): string =>
  Object.entries(row)
    .map(([column, value]) => `${column} ${value}`)
    .toSorted()
    .join();

/** The books that the entries of some orders make; null for one that they do not make. */
async function* booksBetween(
  db: Db,
  after: number,
  last_order: number,
): AsyncGenerator<{ order_id: number; book: Book | null }> {
  let at = { order_id: after, ledger_id: END };
  let book: Book | null = null;
  for (let isMore = true; isMore; ) {
    const page = { after_order: at.order_id, after_id: at.ledger_id, last_order, limit: ENTRIES };
    const entries = await sql.entriesOfOrders.all(db, page);
    isMore = entries.length === ENTRIES;
    for (const entry of entries) {
      const isNext = entry.order_id !== at.order_id;
      if (isNext && at.order_id !== after) yield { order_id: at.order_id, book };
      book = bookWith(isNext ? null : book, entry);
      at = entry;
    }
  }
  if (at.order_id !== after) yield { order_id: at.order_id, book };
}

/** Null from the first entry on that no order can have, or that leaves its accounts unbalanced. */
function bookWith(book: Book | null, entry: { kind: string; body: string }): Book | null {
  try {
    const next = bookAfter(book, entry.kind, JSON.parse(entry.body));
    return next !== null && isSound(next) ? next : null;
  } catch {
    return null;
  }
}
