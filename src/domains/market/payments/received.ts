import type { ServiceContext } from "../../../platform/context.ts";
import { refuseEditedOrder } from "../audit/commitments.ts";
import { orderNamed } from "../doubts/doubts.ts";
import { closeDoubt } from "../doubts/queries.ts";
import { demandReason, findOrder, refuseUnknown } from "../orders/operator.ts";
import { refuseState } from "../orders/parties.ts";
import * as sql from "../queries.ts";
import { bookableDoubt } from "./doubt-acts.ts";
import { type Payment, receive } from "./payments.ts";
import { demandPayment, type NamedTransfer, shownTxid } from "./proof-of-send.ts";
import { assignUnmatched } from "./queries.ts";

type Needs = Pick<
  ServiceContext,
  "read" | "snapshot" | "write" | "clock" | "chain" | "settings" | "isProven" | "edited" | "reject"
>;

interface Received extends NamedTransfer {
  readonly order_id: number;
  /** `unproven`: XNO that nodes have listed for long and that nothing proves; needs a reason. */
  readonly proof?: "unproven" | undefined;
  readonly reason?: string | undefined;
  /** The other order that the digits of the amount name. Then a reason is needed. */
  readonly although_it_names?: number | undefined;
}

/**
 * Records a payment that the watcher could not give to its order. Of XNO the chain says how much it
 * is; of another currency the operator says that it is all that is missing, keeps it and owes XNO.
 */
export async function recordPayment(context: Needs, received: Received): Promise<void> {
  const { write, clock } = context;
  const { order_id, currency, proof } = received;
  const order = await findOrder(context, order_id);
  await refuseEditedOrder(context, order);
  const paymentIn = proof === undefined ? provenPayment : doubtedPayment;
  const payment =
    currency === "xno"
      ? await paymentIn(context, order, received)
      : declaredPayment(context, received);
  if (payment.amount_raw !== null) await refuseOthers(context, payment.amount_raw, received);
  await write(async (tx) => {
    const locked = await sql.lockOrder.first(tx, { id: order_id });
    if (locked === undefined) return refuseUnknown(context);
    const isDeclared = payment.amount_raw === null;
    if (isDeclared && locked.state !== "awaiting_payment")
      return refuseState(context, locked.state);
    const missing = BigInt(locked.due_raw) - BigInt(locked.received_raw);
    const amount_raw = payment.amount_raw ?? missing;
    await receive(tx, locked, clock.now(), { ...payment, amount_raw });
    if (isDeclared) return;
    const { txid: hash } = payment;
    await assignUnmatched.run(tx, { txid: hash, order_id });
    await closeDoubt.run(tx, { hash, state: "settled", closed_at: clock.now(), note: null });
  });
}

/** A payment whose digits name another order is that order's, unless the operator says that it knows. */
async function refuseOthers(
  context: Needs,
  amount_raw: bigint,
  { order_id, although_it_names, reason }: Received,
): Promise<void> {
  const named = await orderNamed(context.read, amount_raw);
  if (named === null || named.id === order_id) return;
  if (although_it_names !== named.id)
    return context.reject(
      "validation_failed",
      `The digits of this amount name order ${named.id}. To give it to another one, say --although-it-names ${named.id} --reason.`,
      [{ field: "although_it_names", problem: `must be ${named.id}` }],
    );
  demandReason(context, reason);
}

type Named = Omit<Payment, "amount_raw"> & { readonly amount_raw: bigint | null };

async function provenPayment(
  context: Needs,
  { escrow_address }: sql.OrderRow,
  received: Received,
): Promise<Named> {
  const hash = shownTxid(context, received);
  const found = await demandPayment(context, hash, escrow_address);
  return {
    currency: "xno",
    txid: found.sendHash,
    receive_txid: found.receiveHash,
    amount_raw: found.amountRaw,
    from: found.from,
    checked: 1,
    by: { reason: received.reason ?? null },
  };
}

/** What the nodes list, without a proof. Rejects with `invalid_state` unless all name one amount. */
async function doubtedPayment(
  context: Needs,
  _order: sql.OrderRow,
  received: Received,
): Promise<Named> {
  const reason = demandReason(context, received.reason);
  const { hash, amount_raw, from_account } = await bookableDoubt(
    context,
    shownTxid(context, received),
  );
  return {
    currency: "xno",
    txid: hash,
    receive_txid: null,
    amount_raw: BigInt(amount_raw),
    from: from_account,
    checked: 0,
    by: { reason },
  };
}

function declaredPayment(context: Needs, received: Received): Named {
  const reason = demandReason(context, received.reason);
  const txid = shownTxid(context, received);
  return {
    currency: received.currency,
    txid,
    receive_txid: null,
    amount_raw: null,
    from: null,
    checked: 0,
    by: { reason },
  };
}
