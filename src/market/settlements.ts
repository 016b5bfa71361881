import { accountKey, accountText } from "../chain/account.ts";
import type { Context } from "../context.ts";
import type { Tx } from "../db/engine.ts";
import { Rejection, reject } from "../kernel/errors.ts";
import type { Seconds } from "../kernel/time.ts";
import { sha256IfAny } from "../ledger/sha256.ts";
import { sealedTxid } from "../transfers/contributions.ts";
import { transferKey } from "../transfers/rules.ts";
import { sellerRaw } from "./amounts.ts";
import { refuseEditedDebt, refuseEditedPayout } from "./commitments.ts";
import * as entries from "./entries.ts";
import { change, record, sellerName } from "./moves.ts";
import { demandReason, findOrder, refuseUnknown } from "./operator.ts";
import { payoutAddress } from "./order-view.ts";
import { refuseState } from "./parties.ts";
import { takeTransfer } from "./payments.ts";
import { addressesSinceRelease } from "./payout-address.ts";
import { demandSend, type NamedTransfer, shownTxid, type WantedSend } from "./proof-of-send.ts";
import * as sql from "./queries.ts";
import { insertRecheck } from "./recheck-queries.ts";
import { payoutUse, RECHECK_FIRST_S } from "./rechecks.ts";
import { refuseUnscanned } from "./restored.ts";
import { type SentLine, sentAlready } from "./sent-already.ts";
import type { MarketSend } from "./tables.ts";

type Needs = Pick<Context, "read" | "write" | "clock" | "chain" | "settings">;

/** Money that the operator has sent, and how far anybody else can see that. */
interface Sent extends NamedTransfer {
  readonly order_id: number;
  /** `unchecked` when no node answers; other currencies always are. Both need a reason. */
  readonly proof: "checked" | "unchecked";
  /** Of a payout, where no node tells: one of the seller's addresses since the release. Of a refund: see there. */
  readonly to?: string | undefined;
  readonly reason?: string | undefined;
}

/** How a transfer is recorded: where it went, and whether the chain says so. */
interface Recorded {
  readonly to: string | null;
  readonly checked: 0 | 1;
  readonly reason: string | null;
}

/**
 * What the chain says of a transfer. The operator's word is taken only in its place: when no node says
 * anything that can be believed. What a node does not know, or shows otherwise, is never recorded.
 */
async function recordable(
  context: Needs,
  sent: Sent,
  wanted: () => Promise<WantedSend>,
): Promise<Recorded> {
  const { currency, proof, reason = null } = sent;
  const word = { checked: 0, reason: null } as const;
  if (currency !== "xno") return { ...word, to: null, reason: demandReason(sent.reason) };
  const excuse = proof === "unchecked" ? demandReason(sent.reason) : null;
  const owed = await wanted();
  try {
    return { to: await demandSend(context, shownTxid(sent), owed), checked: 1, reason };
  } catch (error) {
    const isSilent = error instanceof Rejection && error.code === "chain_unavailable";
    if (excuse === null || !isSilent) throw error;
    return { ...word, to: owed.to[0] ?? null, reason: excuse };
  }
}

/** Has the chain asked again about what is recorded on the operator's word. */
async function recheckLater(
  tx: Tx,
  use: MarketSend,
  {
    order_id,
    currency,
    checked,
    at,
  }: Pick<Sent, "order_id" | "currency"> & {
    readonly checked: 0 | 1;
    readonly at: Seconds;
  },
): Promise<void> {
  if (currency !== "xno" || checked === 1) return;
  const next_try_at = at + RECHECK_FIRST_S;
  await insertRecheck.run(tx, { sent: use, order_id, recorded_at: at, next_try_at });
}

/**
 * Records that the seller was paid its part, to any of its addresses in force since the release. Rejects
 * unless the chain shows exactly that transfer, or says nothing.
 */
export async function recordPayout(context: Needs, sent: Sent): Promise<void> {
  const { read, write, clock } = context;
  const { order_id, currency } = sent;
  const order = await findOrder(context, order_id);
  if (order.state !== "released") refuseState(order.state);
  await refuseUnscanned(context, order);
  await refuseEditedPayout(read, order, sent);
  const txid = shownTxid(sent);
  const amount_raw = sellerRaw(order);
  const { to, ...trust } = await recordable(context, sent, async () => ({
    escrow_address: order.escrow_address,
    to: await payoutTargets(context, order, sent.to),
    amount_raw,
  }));
  const agent = await sellerName(read, order);

  await write(async (tx) => {
    const locked = await sql.lockOrder.first(tx, { id: order_id });
    if (locked === undefined) return refuseUnknown();
    if (locked.state !== "released") return refuseState(locked.state);
    const at = clock.now();
    const n = ((await sql.payoutOf.first(tx, { order_id }))?.n ?? 0) + 1;
    const use = payoutUse(order_id, n);
    await takeTransfer(tx, [transferKey(txid)], use);
    const row = { currency, txid, to_account: to, amount_raw: String(amount_raw), ...trust };
    await sql.insertPayout.run(tx, { order_id, n, ...row, at });
    await recheckLater(tx, use, { order_id, currency, checked: trust.checked, at });
    await change(tx, locked, { state: "paid_out", state_since: at });
    await record(tx, at, entries.payout, {
      order_id,
      n: n === 1 ? undefined : n,
      agent,
      currency,
      ...sealedTxid(txid),
      to: to ?? undefined,
      amount_raw: row.amount_raw,
      checked: trust.checked,
      reason_sha256: sha256IfAny(trust.reason),
    });
  });
}

/** Where a seller may be paid to: one of its addresses, if the operator names it, or any. */
async function payoutTargets(
  context: Needs,
  order: sql.OrderRow,
  named: string | undefined,
): Promise<readonly string[]> {
  const usable = await addressesSinceRelease(context, order);
  if (usable.length === 0) {
    const { blocked } = await payoutAddress(context.read, order.seller, context.clock.now());
    return reject("validation_failed", "The seller has no payout address that may be used now.", [
      { field: "address", problem: blocked ?? "no_address" },
    ]);
  }
  if (named === undefined) return usable;
  const to = accountOf(named);
  if (usable.includes(to)) return [to];
  return reject("validation_failed", "Name an account that the seller wants to be paid to.", [
    { field: "to", problem: "was no payout address of the seller since the release" },
  ]);
}

interface SentBack extends Sent {
  /** Which debt; the oldest open one unless told. */
  readonly n?: number | undefined;
}

/**
 * Records that a debt was paid back. `to` is instead of the account that paid, and needs a reason. The last
 * one of an order that is to be refunded ends it.
 */
export async function recordRefund(context: Needs, sent: SentBack): Promise<void> {
  const { read, write, clock } = context;
  const { order_id, currency } = sent;
  const order = await findOrder(context, order_id);
  const debts = await sql.refundsOf.all(read, { order_id });
  const debt = debts.find((each) => each.txid === null && each.n === (sent.n ?? each.n));
  if (debt === undefined) return refuseDebt();
  await refuseUnscanned(context, order);
  const { n } = debt;
  await refuseEditedDebt(read, order_id, n);
  const txid = shownTxid(sent);
  if (sent.to !== undefined) demandReason(sent.reason);
  const { to, ...trust } = await recordable(context, sent, async () => ({
    escrow_address: order.escrow_address,
    to: [accountOf(sent.to ?? debt.to_account)],
    amount_raw: BigInt(debt.amount_raw),
  }));
  const isRedirected = to !== null && debt.to_account !== null && to !== debt.to_account;

  await write(async (tx) => {
    const locked = await sql.lockOrder.first(tx, { id: order_id });
    if (locked === undefined) return refuseUnknown();
    const at = clock.now();
    const use = `refund/${order_id}/${n}` as const;
    await takeTransfer(tx, [transferKey(txid)], use);
    const row = { order_id, n, currency, txid, sent_to: to, ...trust, sent_at: at };
    if ((await sql.sendRefund.run(tx, row)) !== 1) return refuseDebt();
    await recheckLater(tx, use, { order_id, currency, checked: trust.checked, at });
    const open = (await sql.refundsOf.all(tx, { order_id })).filter((each) => each.txid === null);
    const isLast = locked.state === "refund_due" && open.length === 0;
    if (isLast) await change(tx, locked, { state: "refunded", state_since: at });
    await record(tx, at, entries.refund, {
      order_id,
      n,
      currency,
      ...sealedTxid(txid),
      to: to ?? undefined,
      amount_raw: debt.amount_raw,
      checked: trust.checked,
      reason_sha256: sha256IfAny(trust.reason),
      redirected: isRedirected ? 1 : undefined,
      ends: isLast ? 1 : undefined,
    });
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

/** Records everything that is owed and that the chain shows as sent, the oldest first; what it recorded. */
export async function recordSent(context: Needs, limit: number): Promise<readonly SentLine[]> {
  const { lines } = await sentAlready(context, limit);
  const recorded: SentLine[] = [];
  for (const line of lines.filter(({ state }) => state === "sent")) {
    const { order_id, n, txid } = line;
    const transfer = { order_id, currency: "xno", txid, proof: "checked" } as const;
    try {
      if (n === null) await recordPayout(context, transfer);
      else await recordRefund(context, { ...transfer, n });
      recorded.push(line);
    } catch (error) {
      // What somebody has edited waits for the operator; the others do not wait for it.
      if (!(error instanceof Rejection && error.code === "validation_failed")) throw error;
    }
  }
  return recorded;
}
