import assert from "node:assert/strict";
import * as z from "zod";
import { owedWithoutOrder } from "../src/domains/market/accounts/figures.ts";
import {
  type Book,
  bookAfter,
  isSound,
  owedRaw,
} from "../src/domains/market/accounts/order-accounts.ts";
import { refundUsd } from "../src/domains/market/amounts.ts";
import { marketAudit } from "../src/domains/market/audit/audit.ts";
import { STATES } from "../src/domains/market/rules.ts";
import { transferAudit } from "../src/domains/transfers/audit.ts";
import type { Context } from "../src/platform/context.ts";
import { statement } from "./statement.ts";

interface Item {
  readonly id: number;
  readonly kind: string;
  readonly body: Readonly<Record<string, string | number>>;
}

interface Service {
  // Tests read fields of answers freely; the wire's shapes are checked by the contract tests.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  get(path: string): Promise<{ readonly body: any }>;
  /** Where the service runs in the test's own process its tables are looked at, too. */
  readonly service?: { readonly context: Pick<Context, "read"> };
}

/** Every order's book, made again from the ledger alone; I12 holds after every entry. */
export function replayMarket(items: readonly Item[]): ReadonlyMap<number, Book> {
  const books = new Map<number, Book>();
  for (const { id, kind, body } of items) {
    const order_id = body["order_id"];
    if (typeof order_id !== "number") continue;
    const book = bookAfter(books.get(order_id) ?? null, kind, body);
    assert.ok(book, `${kind} of order ${order_id}`);
    assert.ok(isSound(book), `the accounts of order ${order_id} after entry ${id}`);
    books.set(order_id, book);
  }
  for (const [order_id, book] of books) checkEnd(order_id, book);
  return books;
}

/** Where nothing is to come, nothing is held; only what came too much may be owed. */
function checkEnd(order_id: number, { state, balances }: Book): void {
  const { escrow, seller_payable, refund_payable } = balances;
  if (state === "expired") assert.ok(Object.values(balances).every((amount) => amount === 0n));
  if (state === "paid_out" || state === "refunded")
    assert.deepEqual([escrow, seller_payable], [0n, 0n], `order ${order_id}`);
  if (state === "refund_due") assert.equal(seller_payable, 0n, `order ${order_id}`);
  if (state === "refund_due") assert.ok(refund_payable > 0n || escrow > 0n, `order ${order_id}`);
  if (balances.fee > 0n) assert.ok(["released", "paid_out"].includes(state), `order ${order_id}`);
}

/** The rows by which money goes are those that the ledger makes: what the hourly checks look at. */
export async function checkMarketRows(
  context: Pick<Context, "read" | "snapshot" | "isProven">,
): Promise<void> {
  const checking = { ...context, yieldToRequests: async () => {} };
  assert.deepEqual(await marketAudit(checking), [], "orders are as sealed");
  assert.deepEqual(await transferAudit().run(checking), [], "uses are as sealed");
}

/** The sums that the market shows are those of the ledger. */
export async function checkMarket(service: Service, items: readonly Item[]): Promise<void> {
  const { get } = service;
  const books = replayMarket(items);
  const { totals, reserves } = (await get("/market/ledger")).body;
  const reserved = books.values().reduce((sum, book) => sum + owedRaw(book), 0n);
  const strays = items.reduce((sum, { kind, body }) => sum + owedWithoutOrder(kind, body), 0n);
  assert.equal(reserves.owed_raw, String(reserved + strays), "what is owed");
  const inState = (state: string) => books.values().filter((book) => book.state === state);
  const counts = STATES.map((state) => [state, [...inState(state)].length] as const);
  assert.deepEqual(totals.orders_by_state, Object.fromEntries(counts.filter(([, n]) => n > 0)));
  assert.equal(totals.orders, books.size);
  const of = (kind: string) => items.filter((item) => item.kind === kind).map(({ body }) => body);
  const fees = of("fee").reduce((sum, body) => sum + Number(body["usd_micro"]), 0);
  const parts = of("payout_due").reduce((sum, body) => sum + Number(body["usd_micro"]), 0);
  assert.equal(totals.fees_usd, fees / 1e6);
  assert.equal(totals.released_usd, (fees + parts) / 1e6);
  const owed = new Map(
    of("refund_due").map(({ order_id, n, amount_raw = 0 }) => [`${order_id}/${n}`, amount_raw]),
  );
  const refunds = (kind: string) =>
    of(kind).reduce((sum, { order_id, n, debts = n }) => {
      const book = books.get(Number(order_id));
      assert.ok(book);
      const usd = `${debts}`
        .split(",")
        .map((each) => refundUsd(book, BigInt(owed.get(`${order_id}/${each}`) ?? 0)));
      return sum + usd.reduce((all, each) => all + Number(each), 0);
    }, 0);
  assert.equal(totals.refunds_sent_usd, (refunds("refund") - refunds("refund_reopened")) / 1e6);
  assert.equal(totals.refunds_due_usd, (refunds("refund_due") - refunds("refund")) / 1e6);
  await checkOffers(service, items, totals.offers_open);
  if (service.service !== undefined) await checkRows(service.service.context, books);
}

const orders = statement(
  `select o.id, o.state, o.escrow_raw, b.state as booked, b.escrow_raw as booked_raw
   from market_order o join market_book b on b.order_id = o.id`,
);
const lines = statement("select order_id, account, amount_raw from market_posting");

/** The orders' own rows, the kept books and the lines of the postings say what the ledger says. */
async function checkRows(
  { read }: Pick<Context, "read">,
  books: ReadonlyMap<number, Book>,
): Promise<void> {
  const rows = z.array(orderRow).parse(await read.all(orders, []));
  assert.equal(rows.length, books.size);
  for (const { id, state, escrow_raw, booked, booked_raw } of rows) {
    const book = books.get(id);
    const escrow = String(book?.balances.escrow);
    assert.deepEqual(
      [state, escrow_raw, booked, booked_raw],
      [book?.state, escrow, book?.state, escrow],
    );
  }
  const sums = new Map<string, bigint>();
  for (const { order_id, account, amount_raw } of z.array(lineRow).parse(await read.all(lines, [])))
    sums.set(
      `${order_id} ${account}`,
      (sums.get(`${order_id} ${account}`) ?? 0n) + BigInt(amount_raw),
    );
  for (const [id, { balances }] of books)
    for (const [account, amount] of Object.entries(balances))
      assert.equal(sums.get(`${id} ${account}`) ?? 0n, amount, `${account} of order ${id}`);
}

const orderRow = z.object({
  id: z.int(),
  state: z.string(),
  escrow_raw: z.string(),
  booked: z.string(),
  booked_raw: z.string(),
});
const lineRow = z.object({ order_id: z.int(), account: z.string(), amount_raw: z.string() });

async function checkOffers({ get }: Service, items: readonly Item[], open: number): Promise<void> {
  const gone = new Set(
    items.filter(({ kind }) => kind === "offer_withdrawn").map(({ body }) => body["offer_id"]),
  );
  const banned = new Set<unknown>();
  for (const { kind, body } of items) {
    if (kind === "agent_banned") banned.add(body["agent"]);
    if (kind === "agent_unbanned") banned.delete(body["agent"]);
  }
  const offers = items.filter(({ kind }) => kind === "offer").map(({ body }) => body);
  const listed = offers.filter(
    (offer) => !gone.has(offer["offer_id"]) && !banned.has(offer["agent"]),
  );
  assert.equal(open, listed.length, "offers that are listed");
  const { body } = await get("/market?limit=100");
  assert.equal(body.total, listed.length);
  // Of large offers a page shows fewer.
  assert.equal(body.more, body.count < listed.length);
  assert.equal(body.next_before_id === null, !body.more);
}
