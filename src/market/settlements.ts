import { accountKey, accountText } from "../chain/account.ts";
import type { Context } from "../context.ts";
import { reject } from "../kernel/errors.ts";
import { sha256IfAny } from "../ledger/sha256.ts";
import { transferKey } from "../transfers/rules.ts";
import { dueRaw, sellerRaw } from "./amounts.ts";
import { bookableDoubt } from "./doubt-acts.ts";
import { closeDoubt } from "./doubt-queries.ts";
import { change, record } from "./moves.ts";
import { demandReason, findOrder, refuseUnknown } from "./operator.ts";
import { payoutAddress } from "./order-view.ts";
import { refuseState } from "./parties.ts";
import { type Payment, receive, sealedTxid, takeTransfer } from "./payments.ts";
import { demandPayment, demandSend, type NamedTransfer, shownTxid } from "./proof-of-send.ts";
import * as sql from "./queries.ts";
import { assignUnmatched } from "./watch-queries.ts";

type Needs = Pick<Context, "read" | "write" | "clock" | "chain" | "settings">;

/** Money that the operator has sent, and how far anybody else can see that. */
interface Sent extends NamedTransfer {
  readonly order_id: number;
  /** `unchecked` when no node answers; other currencies always are. Both need a reason. */
  readonly proof: "checked" | "unchecked";
  readonly reason?: string | undefined;
}

/** What is not proven is recorded as such, and explained. */
function trustIn({ currency, proof, reason }: Sent): { checked: 0 | 1; reason: string | null } {
  if (currency === "xno" && proof === "checked") return { checked: 1, reason: reason ?? null };
  return { checked: 0, reason: demandReason(reason) };
}

/** Records that the seller was paid its part. Rejects unless the chain shows exactly that transfer. */
export async function recordPayout(context: Needs, sent: Sent): Promise<void> {
  const { read, write, clock } = context;
  const { order_id, currency } = sent;
  const order = await findOrder(context, order_id);
  if (order.state !== "released") refuseState(order.state);
  const txid = shownTxid(sent);
  const trust = trustIn(sent);
  const amount_raw = sellerRaw(order);
  const to = currency === "xno" ? await usableAddress(context, order.seller) : null;
  if (trust.checked === 1 && to !== null)
    await demandSend(context, txid, { escrow_address: order.escrow_address, to, amount_raw });
  const seller = await sql.agentName.first(read, { id: order.seller });

  await write(async (tx) => {
    const locked = await sql.lockOrder.first(tx, { id: order_id });
    if (locked === undefined) return refuseUnknown();
    if (locked.state !== "released") return refuseState(locked.state);
    const now = clock.now();
    await takeTransfer(tx, [transferKey(txid)], `payout/${order_id}`);
    const row = { currency, txid, to_account: to, amount_raw: String(amount_raw), ...trust };
    await sql.insertPayout.run(tx, { order_id, ...row, at: now });
    const paid = await change(tx, locked, { state: "paid_out", state_since: now });
    const fields = {
      agent: seller?.agent_id,
      currency,
      ...sealedTxid(currency, txid),
      to: to ?? undefined,
      amount_raw: row.amount_raw,
      checked: trust.checked,
      reason_sha256: sha256IfAny(trust.reason),
    };
    await record(tx, paid, now, { kind: "payout", fields });
  });
}

async function usableAddress({ read, clock }: Needs, seller: number): Promise<string> {
  const { address, blocked } = await payoutAddress(read, seller, clock.now());
  if (address !== null) return address;
  return reject("validation_failed", "The seller has no payout address that may be used now.", [
    { field: "address", problem: blocked ?? "no_address" },
  ]);
}

interface SentBack extends Sent {
  /** Which debt; the oldest open one unless told. */
  readonly n?: number | undefined;
  /** Instead of the account that paid; needs a reason. */
  readonly to?: string | undefined;
}

/** Records that a debt was paid back. The last one of an order that is to be refunded ends it. */
export async function recordRefund(context: Needs, sent: SentBack): Promise<void> {
  const { read, write, clock } = context;
  const { order_id, currency } = sent;
  const order = await findOrder(context, order_id);
  const debts = await sql.refundsOf.all(read, { order_id });
  const debt = debts.find((each) => each.txid === null && each.n === (sent.n ?? each.n));
  if (debt === undefined) return refuseDebt();
  const { n } = debt;
  const txid = shownTxid(sent);
  const trust =
    sent.to === undefined ? trustIn(sent) : { ...trustIn(sent), reason: demandReason(sent.reason) };
  const to = currency === "xno" ? accountOf(sent.to ?? debt.to_account) : null;
  const isRedirected = to !== null && debt.to_account !== null && to !== debt.to_account;
  const amount_raw = BigInt(debt.amount_raw);
  if (trust.checked === 1 && to !== null)
    await demandSend(context, txid, { escrow_address: order.escrow_address, to, amount_raw });

  await write(async (tx) => {
    const locked = await sql.lockOrder.first(tx, { id: order_id });
    if (locked === undefined) return refuseUnknown();
    const now = clock.now();
    await takeTransfer(tx, [transferKey(txid)], `refund/${order_id}/${n}`);
    const row = { order_id, n, currency, txid, sent_to: to, ...trust, sent_at: now };
    if ((await sql.sendRefund.run(tx, row)) !== 1) return refuseDebt();
    const open = (await sql.refundsOf.all(tx, { order_id })).filter((each) => each.txid === null);
    const isLast = locked.state === "refund_due" && open.length === 0;
    if (isLast) await change(tx, locked, { state: "refunded", state_since: now });
    const fields = {
      currency,
      ...sealedTxid(currency, txid),
      to: to ?? undefined,
      amount_raw: debt.amount_raw,
      checked: trust.checked,
      reason_sha256: sha256IfAny(trust.reason),
      redirected: isRedirected ? 1 : undefined,
      ends: isLast ? 1 : undefined,
    };
    await record(tx, locked, now, { kind: "refund", n, fields });
  });
}

const refuseDebt = (): never =>
  reject("validation_failed", "The order has no such open debt.", [
    { field: "n", problem: "is no open debt of this order" },
  ]);

function accountOf(text: string | null): string {
  const key = text === null ? null : accountKey(text);
  if (key !== null) return accountText(key);
  return reject("validation_failed", "Name the Nano account that the money went to.", [
    { field: "to", problem: "must be a Nano account with a right checksum" },
  ]);
}

interface Received extends NamedTransfer {
  readonly order_id: number;
  /** `unproven`: XNO that nodes have listed for long and that nothing proves; needs a reason. */
  readonly proof?: "unproven" | undefined;
  readonly reason?: string | undefined;
}

/**
 * Records a payment that the watcher could not give to its order. Of XNO the chain says how much it
 * is; of another currency the operator says that it is all that is missing, keeps it and owes XNO.
 */
export async function recordPayment(context: Needs, received: Received): Promise<void> {
  const { write, clock } = context;
  const { order_id, currency, proof } = received;
  const order = await findOrder(context, order_id);
  const paymentIn = proof === undefined ? provenPayment : doubtedPayment;
  const payment =
    currency === "xno" ? await paymentIn(context, order, received) : declaredPayment(received);
  await write(async (tx) => {
    const locked = await sql.lockOrder.first(tx, { id: order_id });
    if (locked === undefined) return refuseUnknown();
    const isDeclared = payment.amount_raw === null;
    if (isDeclared && locked.state !== "awaiting_payment") return refuseState(locked.state);
    const missing = dueRaw(locked) - BigInt(locked.received_raw);
    const amount_raw = payment.amount_raw ?? missing;
    await receive(tx, locked, clock.now(), { ...payment, amount_raw });
    if (isDeclared) return;
    const { txid: hash } = payment;
    await assignUnmatched.run(tx, { txid: hash, order_id });
    await closeDoubt.run(tx, { hash, state: "settled", closed_at: clock.now(), note: null });
  });
}

type Named = Omit<Payment, "amount_raw"> & { readonly amount_raw: bigint | null };

async function provenPayment(
  context: Needs,
  { escrow_address }: sql.OrderRow,
  received: Received,
): Promise<Named> {
  const hash = shownTxid(received);
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
  const reason = demandReason(received.reason);
  const { hash, amount_raw, from_account } = await bookableDoubt(context, shownTxid(received));
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

function declaredPayment(received: Received): Named {
  const reason = demandReason(received.reason);
  const txid = shownTxid(received);
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
