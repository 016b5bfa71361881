import * as z from "zod";
import type { Db } from "../db/engine.ts";
import { sellerUsd } from "./amounts.ts";
import * as sql from "./book-queries.ts";
import { type Book, owedRaw, refundUsd } from "./books.ts";
import type { State } from "./rules.ts";

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
const moved = z.object({ amount_raw: z.string().transform(BigInt) });

/** What an entry adds to the sums: USD by its kind, the rest by what it changed in its order's book. */
export function addEntry(sums: Sums, entry: Moved): void {
  const { before, after, kind, body } = entry;
  if (before !== null) addTo(sums, `orders_${before.state}`, -1n);
  addTo(sums, `orders_${after.state}`, 1n);
  addTo(sums, "owed_raw", owedRaw(after) - (before === null ? 0n : owedRaw(before)));
  if (kind === "fee") addTo(sums, "fees_usd", priced.parse(body).usd_micro);
  if (kind === "payout_due") addTo(sums, "payouts_due_usd", priced.parse(body).usd_micro);
  if (kind === "payout") {
    addTo(sums, "payouts_due_usd", -sellerUsd(after.price));
    addTo(sums, "payouts_sent_usd", sellerUsd(after.price));
  }
  if (kind !== "refund_due" && kind !== "refund") return;
  const usd = refundUsd(after, moved.parse(body).amount_raw);
  const sign = kind === "refund_due" ? 1n : -1n;
  addTo(sums, "refunds_due", sign);
  addTo(sums, "refunds_due_usd", sign * usd);
  if (kind === "refund") addTo(sums, "refunds_sent_usd", usd);
}

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
