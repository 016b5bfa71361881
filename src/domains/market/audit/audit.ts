import type { Db } from "../../../platform/db/engine.ts";
import { bodiesOf } from "../../../platform/ledger/entry-bodies.ts";
import type { JobContext } from "../../../platform/ledger/seals/seal.ts";
import { type Book, bookAfter, isSound } from "../accounts/order-accounts.ts";
import { bookRow } from "../accounts/projector.ts";
import { indebtedAfter, releasedAfter } from "./commitment-queries.ts";
import {
  areAddressesSealed,
  areDeliveriesSealed,
  editedDebts,
  isOrderSealed,
} from "./commitments.ts";
import * as sql from "./queries.ts";

/** Orders that are looked at in one state of the database. */
const ORDERS = 50;
/** Entries that are in memory at once, however many an order has. */
const ENTRIES = 250;

/** Violations that one check reports, at most: so many are more than a mistake. */
const VIOLATIONS_MAX = 100;

/** An order whose book is not what its entries make or does not balance, or whose money would go elsewhere. */
export interface MarketViolation {
  readonly invariant: "I12" | "I16";
  readonly order_id: number;
}

/**
 * Makes the book of every order again from its entries, and compares it with the one that is stored:
 * the accounts sum to 0, and none but `in` is below it (I12). Then it compares by what the open payouts
 * and refunds will be paid with what was sealed (I16). Order by order, so that what it holds in memory
 * does not grow with the market.
 */
export async function marketAudit(context: Checking): Promise<readonly MarketViolation[]> {
  const { snapshot, yieldToRequests } = context;
  const found: MarketViolation[] = [];
  for (const { invariant, check } of CHECKS)
    for (let after = 0; after < END && found.length < VIOLATIONS_MAX; ) {
      const { broken, last } = await snapshot((db) => check(db, after, context));
      found.push(...broken.map((order_id) => ({ invariant, order_id })));
      after = last;
      await yieldToRequests();
    }
  return found.slice(0, VIOLATIONS_MAX);
}

type Checking = Pick<JobContext, "snapshot" | "isProven" | "yieldToRequests">;

/** Each looks at the next orders after one. */
const CHECKS = [
  { invariant: "I12", check: brokenBooks },
  { invariant: "I16", check: editedPayouts },
  { invariant: "I16", check: editedRefunds },
  { invariant: "I16", check: editedOrders },
] as const;

const END = Number.MAX_SAFE_INTEGER;

/** Orders whose book is wrong. */
async function brokenBooks(db: Db, after: number): Promise<Slice> {
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

interface Slice {
  readonly broken: readonly number[];
  /** The last order that was looked at; `END` when no more are stored. */
  readonly last: number;
}

/** Orders that are to be paid out to an address, or for a delivery, that was not sealed. */
async function editedPayouts(db: Db, after: number): Promise<Slice> {
  const orders = await releasedAfter.all(db, { after, limit: ORDERS });
  const broken: number[] = [];
  for (const { id, agent_id } of orders)
    if (!(await areAddressesSealed(db, agent_id)) || !(await areDeliveriesSealed(db, id)))
      broken.push(id);
  return { broken, last: lastOf(orders) };
}

/** Orders with a debt that is owed to somebody else, or is another amount, than was sealed. */
async function editedRefunds(db: Db, after: number): Promise<Slice> {
  const orders = await indebtedAfter.all(db, { after, limit: ORDERS });
  const broken: number[] = [];
  for (const { id } of orders) if ((await editedDebts(db, id)).size > 0) broken.push(id);
  return { broken, last: lastOf(orders) };
}

/** Orders that are not over, and that have other parties or another invoice than was sealed. */
async function editedOrders(db: Db, after: number, context: Checking): Promise<Slice> {
  const orders = await sql.openOrdersAfter.all(db, { after, limit: ORDERS });
  const broken: number[] = [];
  for (const { id } of orders) if (!(await isOrderSealed(context, db, id))) broken.push(id);
  return { broken, last: lastOf(orders) };
}

const lastOf = (orders: readonly { readonly id: number }[]): number =>
  orders.length < ORDERS ? END : (orders.at(-1)?.id ?? END);

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
    const bodyOf = await bodiesOf(
      db,
      entries.map(({ ledger_id }) => ledger_id),
    );
    for (const entry of entries) {
      const isNext = entry.order_id !== at.order_id;
      if (isNext && at.order_id !== after) yield { order_id: at.order_id, book };
      book = bookWith(isNext ? null : book, entry.kind, bodyOf.get(entry.ledger_id));
      at = entry;
    }
  }
  if (at.order_id !== after) yield { order_id: at.order_id, book };
}

/** Null from the first entry on that no order can have, or that leaves its accounts unbalanced. */
function bookWith(book: Book | null, kind: string, body = ""): Book | null {
  try {
    const next = bookAfter(book, kind, JSON.parse(body));
    return next !== null && isSound(next) ? next : null;
  } catch {
    return null;
  }
}
