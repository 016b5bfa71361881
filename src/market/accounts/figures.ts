import * as z from "zod";
import type { Db } from "../../db/engine.ts";
import { refundUsd, sellerUsd } from "../amounts.ts";
import type { State } from "../rules.ts";
import { type Book, owedRaw } from "./order-accounts.ts";
import * as sql from "./queries.ts";

/** What the market's ledger shows in sums. They are kept by the projector, so nothing is counted. */
export type Figure =
  | "offers_open"
  | `orders_${State}`
  | "owed_raw"
  | "fees_usd"
  | "payouts_due_usd"
  | "payouts_sent_usd"
  | "refunds_due_usd"
  | "refunds_sent_usd"
  | "refunds_due";

export type Sums = Map<Figure, bigint>;

export const addTo = (sums: Sums, figure: Figure, amount: bigint): void =>
  void sums.set(figure, (sums.get(figure) ?? 0n) + amount);

const priced = z.object({ usd_micro: z.int().transform(BigInt) });
const moved = z.object({
  amount_raw: z.string().transform(BigInt),
  debts: z.string().optional(),
  usd_micro: z.int().transform(BigInt).optional(),
});

/** What an entry adds to the sums: USD by its kind, the rest by what it changed in its order's book. */
export function addEntry(sums: Sums, entry: Moved): void {
  const { before, after, kind, body } = entry;
  if (before !== null) addTo(sums, `orders_${before.state}`, -1n);
  addTo(sums, `orders_${after.state}`, 1n);
  addTo(sums, "owed_raw", owedRaw(after) - (before === null ? 0n : owedRaw(before)));
  if (kind === "fee") addTo(sums, "fees_usd", priced.parse(body).usd_micro);
  if (kind === "payout_due") addTo(sums, "payouts_due_usd", priced.parse(body).usd_micro);
  const paid = PAID[kind] ?? 0n;
  addTo(sums, "payouts_due_usd", -paid * sellerUsd(after.price));
  addTo(sums, "payouts_sent_usd", paid * sellerUsd(after.price));
  const refund = REFUNDS[kind];
  if (refund === undefined) return;
  const { amount_raw, debts = "1", usd_micro } = moved.parse(body);
  const usd = usd_micro ?? refundUsd(after, amount_raw);
  addTo(sums, "refunds_due", refund.due * BigInt(debts.split(",").length));
  addTo(sums, "refunds_due_usd", refund.due * usd);
  addTo(sums, "refunds_sent_usd", refund.sent * usd);
}

/** What an entry adds to what is owed to senders of payments that name no order. */
export function owedWithoutOrder(kind: string, body: unknown): bigint {
  const sign = { payment_unmatched: 1n, payment_refunded: -1n, order_payment: -1n }[kind];
  if (sign === undefined) return 0n;
  const { amount_raw, unmatched } = withoutOrder.parse(body);
  return kind === "order_payment" && unmatched !== 1 ? 0n : sign * amount_raw;
}

const withoutOrder = z.object({
  amount_raw: z.string().transform(BigInt),
  unmatched: z.int().optional(),
});

/** How many payouts an entry adds to those that were sent. */
const PAID: Readonly<Record<string, bigint>> = { payout: 1n, payout_reopened: -1n };

/** What an entry adds for each debt that it names to those that are due and to those that were sent. */
const REFUNDS: Readonly<Record<string, { readonly due: bigint; readonly sent: bigint }>> = {
  refund_due: { due: 1n, sent: 0n },
  refund: { due: -1n, sent: 1n },
  refund_reopened: { due: 0n, sent: -1n },
};

/** An entry, and the book of its order on both sides of it. */
interface Moved {
  readonly before: Book | null;
  readonly after: Book;
  readonly kind: string;
  readonly body: unknown;
}

/** All sums at the ledger's head; what was never added is 0. */
export async function readFigures(read: Db): Promise<(figure: Figure) => bigint> {
  const rows = await sql.figures.all(read, {});
  const sums = new Map(rows.map(({ name, amount }) => [name, BigInt(amount)]));
  return (figure) => sums.get(figure) ?? 0n;
}
