import type { ChainAdapter, FoundSend } from "../../chain/adapter.ts";
import { ChainInconsistent, ChainUnavailable } from "../../chain/adapter.ts";
import type { Context } from "../../context.ts";
import type { Db, Tx } from "../../db/engine.ts";
import { Rejection } from "../../kernel/contract/errors.ts";
import { HOUR_S, type Seconds } from "../../kernel/time.ts";
import { enact, enactSurely } from "../../ledger/rows/enact.ts";
import { sellerRaw } from "../amounts.ts";
import { addressesSinceRelease } from "../orders/payout-address.ts";
import { change } from "../orders/take-step.ts";
import { escrowKeys, isWanted, PATIENTLY } from "../payments/proof-of-send.ts";
import * as sql from "../queries.ts";
import { rows } from "../rows.ts";
import { isOwnDebt, RECHECK_WAITS_S, type RecheckEnd, UNKNOWN_MAX_S } from "../rules.ts";
import type { MarketSend } from "../tables.ts";
import { settled, sumOf } from "./debt-lines.ts";
import { endRecheck, postponeRecheck, rechecksDue } from "./recheck-queries.ts";

export const RECHECK_EVERY_S = HOUR_S;

/** The name of a payout; the first of an order has no number of its own. */
export const payoutUse = (order_id: number, n: number): MarketSend =>
  n === 1 ? `payout/${order_id}` : `payout/${order_id}/${n}`;

type Needs = Pick<Context, "read" | "write" | "clock" | "settings" | "reject"> & {
  readonly chain: ChainAdapter;
};

/** A payout or a refund as it was recorded. */
interface Recorded {
  readonly sent: MarketSend;
  readonly order: sql.OrderRow;
  /** Of a refund: which debt. Of a payout: which of the order's. */
  readonly n: number;
  readonly txid: string;
  readonly amounts_raw: readonly [string];
  /** The accounts, any of which is right. */
  readonly to: readonly string[];
}

/** What the chain says of it. */
interface Finding {
  readonly found: RecheckEnd;
  readonly to?: string;
  readonly amount_raw?: string;
}

/**
 * Asks the chain again about transfers that were recorded on the operator's word. Each is answered once, in
 * a sealed entry; one that the chain does not show as it was recorded is owed again. Resolves to those.
 */
export async function recheckSends(context: Needs, limit: number): Promise<readonly MarketSend[]> {
  const { read, write, clock } = context;
  const reopened: MarketSend[] = [];
  for (const due of await rechecksDue.all(read, { now: clock.now(), limit })) {
    const recorded = await recordedSend(context, due);
    const now = clock.now();
    const finding = await findingOf(context, recorded, now - due.recorded_at);
    if (finding !== null) {
      if (await settle(context, recorded, finding)) reopened.push(due.sent);
    } else if (now - due.recorded_at >= RECHECK_WAITS_S.silence) {
      await settle(context, recorded, { found: "silence" }); // Nobody is asked for longer.
    } else {
      const next = { sent: due.sent, tries: due.tries + 1, next_try_at: now + RECHECK_EVERY_S };
      await write((tx) => postponeRecheck.run(tx, next));
    }
  }
  return reopened;
}

async function recordedSend(
  context: Needs,
  { sent, order_id }: { readonly sent: MarketSend; readonly order_id: number },
): Promise<Recorded> {
  const { read } = context;
  const order = await sql.orderById.first(read, { id: order_id });
  const [what, , number = "1"] = sent.split("/");
  const n = Number(number);
  if (what === "refund") {
    const debts = await paidWith(read, order_id, n);
    const [{ txid, sent_to } = {}] = debts;
    if (order === undefined || !txid) throw new Error(`There is no ${sent}.`);
    const to = sent_to == null ? [] : [sent_to];
    return { sent, order, n, txid, amounts_raw: [String(sumOf(debts))], to };
  }
  const payout = await sql.payoutOf.first(read, { order_id });
  if (order === undefined || payout?.n !== n) throw new Error(`There is no ${sent}.`);
  const to = await addressesSinceRelease(context, order);
  return { sent, order, n, txid: payout.txid, amounts_raw: [String(sellerRaw(order))], to };
}

/** The debts that one transfer has paid, of which one has the number. */
async function paidWith(read: Db, order_id: number, n: number) {
  const debts = await sql.refundsOf.all(read, { order_id });
  const txid = debts.find((debt) => debt.n === n)?.txid;
  return txid == null ? [] : debts.filter((debt) => debt.txid === txid);
}

/** Null while nothing is certain: no node can be believed, or the transfer may still appear. */
async function findingOf(
  context: Needs,
  recorded: Recorded,
  age_s: Seconds,
): Promise<Finding | null> {
  const from = escrowKeys(context, recorded.order.escrow_address);
  const found = await context.chain.findSend(recorded.txid, from, PATIENTLY).catch(unlessSilent);
  if (found === null) return null;
  if (found.kind === "no_send") return { found: "mismatch" };
  const mayAppear = age_s < UNKNOWN_MAX_S || (found.kind === "not_found" && !found.isCertain);
  if (found.kind !== "sent") return mayAppear ? null : { found: "not_found" };
  const evidence = { to: found.to, amount_raw: String(found.amountRaw) };
  return { found: isWanted(found, recorded) ? "ok" : "mismatch", ...evidence };
}

function unlessSilent(error: unknown): FoundSend | null {
  const isBusy = error instanceof Rejection && error.code === "overloaded";
  const isSilent = error instanceof ChainUnavailable || error instanceof ChainInconsistent;
  if (isBusy || isSilent) return null;
  throw error;
}

/** Seals what was found, once. Resolves to whether the debt is open again. */
async function settle(
  { write, clock }: Needs,
  { sent, order: { id }, n }: Recorded,
  { found, ...evidence }: Finding,
): Promise<boolean> {
  return write(async (tx) => {
    const order = await sql.lockOrder.first(tx, { id });
    if (order === undefined || (await endRecheck.run(tx, { sent, found })) !== 1) return false;
    const now = clock.now();
    const told = { order_id: id, of: sent, found, ...evidence };
    await enactSurely(tx, rows.transferChecked, told, now);
    if (found === "ok" || found === "silence") return false;
    await (sent.startsWith("payout/") ? reopenPayout : reopenRefund)(tx, order, n, now);
    return true;
  });
}

async function reopenPayout(tx: Tx, order: sql.OrderRow, n: number, now: Seconds): Promise<void> {
  await change(tx, order, { state: "released", state_since: now });
  const owed = { order_id: order.id, amount_raw: String(sellerRaw(order)) };
  await enactSurely(tx, rows.payoutReopened, { ...owed, ...(n > 1 && { n }) }, now);
}

/** Debts whose transfer the chain does not show are owed again, one new debt for each reason. */
async function reopenRefund(tx: Tx, order: sql.OrderRow, n: number, now: Seconds): Promise<void> {
  const order_id = order.id;
  const debts = await paidWith(tx, order_id, n);
  const amount_raw = String(sumOf(debts));
  const escrow_raw = String(BigInt(order.escrow_raw) + BigInt(amount_raw));
  const isOver = order.state === "refunded" && debts.some(({ why }) => isOwnDebt(why));
  const state = isOver ? { state: "refund_due" as const, state_since: now } : {};
  const back = await change(tx, order, { escrow_raw, ...state });
  const reopened = { order_id, amount_raw, ...settled(order, debts) };
  if ((await enact(tx, rows.refundReopened, reopened, now)) === undefined)
    throw new Error("A refund was recorded without its debt.");
  const again = Map.groupBy(debts, ({ why }) => why);
  const to = debts[0]?.to_account ?? null;
  let owing = back;
  for (const [why, same] of again) {
    const owed = sumOf(same);
    const debt = { n: owing.refunds + 1, amount_raw: String(owed), why, to_account: to };
    await enactSurely(tx, rows.refundDue, { order_id, ...debt }, now);
    const left_raw = String(BigInt(owing.escrow_raw) - owed);
    owing = await change(tx, owing, { refunds: debt.n, escrow_raw: left_raw });
  }
}
