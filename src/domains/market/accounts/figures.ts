import type { Db } from "../../../platform/db/engine.ts";
import { fieldsIn } from "../../../platform/kernel/contract/entry-kind.ts";
import { refundUsd, sellerUsd } from "../amounts.ts";
import * as entries from "../entries.ts";
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

/** What an entry adds to the sums: USD by its kind, the rest by what it changed in its order's book. */
export function addEntry(sums: Sums, entry: Moved): void {
  const { before, after, kind, body } = entry;
  if (before !== null) addTo(sums, `orders_${before.state}`, -1n);
  addTo(sums, `orders_${after.state}`, 1n);
  addTo(sums, "owed_raw", owedRaw(after) - (before === null ? 0n : owedRaw(before)));
  if (kind === "fee")
    addTo(sums, "fees_usd", BigInt(fieldsIn(entries.fee, body, "usd_micro").usd_micro));
  if (kind === "payout_due")
    addTo(
      sums,
      "payouts_due_usd",
      BigInt(fieldsIn(entries.payoutDue, body, "usd_micro").usd_micro),
    );
  const paid = PAID[kind] ?? 0n;
  addTo(sums, "payouts_due_usd", -paid * sellerUsd(after.price));
  addTo(sums, "payouts_sent_usd", paid * sellerUsd(after.price));
  const refund = REFUNDS[kind];
  if (refund === undefined) return;
  const { amount_raw, debts = "1", usd_micro } = debtsIn(kind, body);
  const usd = usd_micro === undefined ? refundUsd(after, BigInt(amount_raw)) : BigInt(usd_micro);
  addTo(sums, "refunds_due", refund.due * BigInt(debts.split(",").length));
  addTo(sums, "refunds_due_usd", refund.due * usd);
  addTo(sums, "refunds_sent_usd", refund.sent * usd);
}

/** What an entry says of the debts that it makes, pays or reopens; several of them have their list prices beside. */
function debtsIn(kind: string, body: unknown) {
  if (kind === "refund_due")
    return {
      debts: undefined,
      usd_micro: undefined,
      ...fieldsIn(entries.refundDue, body, "amount_raw"),
    };
  const record = kind === "refund" ? entries.refund : entries.refundReopened;
  return fieldsIn(record, body, "amount_raw", "debts", "usd_micro");
}

/** What an entry adds to what is owed to senders of payments that name no order. */
export function owedWithoutOrder(kind: string, body: unknown): bigint {
  if (kind === "payment_unmatched")
    return BigInt(fieldsIn(entries.paymentUnmatched, body, "amount_raw").amount_raw);
  if (kind === "payment_refunded")
    return -BigInt(fieldsIn(entries.paymentRefunded, body, "amount_raw").amount_raw);
  if (kind !== "order_payment") return 0n;
  const { amount_raw, unmatched } = fieldsIn(entries.orderPayment, body, "amount_raw", "unmatched");
  return unmatched === 1 ? -BigInt(amount_raw) : 0n;
}

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
