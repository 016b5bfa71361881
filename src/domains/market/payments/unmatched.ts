import type { Lookup } from "../../../platform/chain/adapter.ts";
import type { Context } from "../../../platform/context.ts";
import type { Db, Tx } from "../../../platform/db/engine.ts";
import { fieldsIn } from "../../../platform/kernel/contract/entry-kind.ts";
import { append } from "../../../platform/ledger/append.ts";
import { recordedBody } from "../../../platform/ledger/entry-queries.ts";
import * as entries from "../entries.ts";
import * as sql from "./queries.ts";

type Credited = Extract<Lookup, { readonly kind: "credited" }>;

/** A payment that names no order is owed to its sender, and sealed as that. */
export async function noteUnmatched(
  { write, clock }: Pick<Context, "write" | "clock">,
  { sendHash: txid, from, amountRaw }: Credited,
): Promise<void> {
  const amount_raw = String(amountRaw);
  await write(async (tx) => {
    const made_at = clock.now();
    const seen = { txid, from_account: from, amount_raw, first_seen_at: made_at };
    if (await isReturned(tx, txid)) return;
    const isSealed = (await sealedPayment(tx, txid)) !== null; // Somebody has deleted its row.
    if ((await sql.sealUnmatched.run(tx, { ...seen, sealed_at: made_at })) === 0) return;
    if (isSealed) return;
    append(tx, entries.paymentUnmatched, { txid, amount_raw, from, made_at });
  });
}

/** A payment without an order as it was sealed; the row may have been edited, or added by anybody. */
export async function sealedPayment(read: Db, txid: string) {
  const { paymentUnmatched } = entries;
  const entry = await recordedBody(read, { kind: paymentUnmatched.kind, ref: txid });
  return entry === undefined ? null : fieldsIn(paymentUnmatched, entry.body, "amount_raw", "from");
}

/** Whether the ledger says that it went back, whatever its row says. */
export const isReturned = async (read: Db, txid: string): Promise<boolean> =>
  (await recordedBody(read, { kind: entries.paymentRefunded.kind, ref: txid })) !== undefined;

/** Whether a payment is known as one without an order. */
export const isUnmatched = async (read: Db, txid: string): Promise<boolean> =>
  (await sql.unmatched.first(read, { txid })) !== undefined &&
  (await sealedPayment(read, txid)) !== null;

type Row = NonNullable<Awaited<ReturnType<typeof sql.unmatched.first>>>;

export const isOpen = ({ sealed_at, order_id, sent_at }: Row): boolean =>
  sealed_at !== null && order_id === null && sent_at === null;

/** What the payment of an order says when it was sealed as one without an order before. */
export async function wasUnmatched(tx: Tx, txid: string): Promise<1 | undefined> {
  const row = await sql.unmatched.first(tx, { txid });
  return row !== undefined && isOpen(row) ? 1 : undefined;
}
