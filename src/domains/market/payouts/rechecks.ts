import type { ChainAdapter, FoundSend } from "../../../platform/chain/adapter.ts";
import { ChainInconsistent, ChainUnavailable } from "../../../platform/chain/adapter.ts";
import type { Context } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import { Rejection } from "../../../platform/kernel/contract/errors.ts";
import { HOUR_S, type Seconds } from "../../../platform/kernel/time.ts";
import { NOBODY } from "../../../platform/ledger/decide.ts";
import { apart, Forbidden } from "../../../platform/ledger/forbidden.ts";
import { sellerRaw } from "../amounts.ts";
import { addressesSinceRelease } from "../orders/payout-address.ts";
import { takeStep } from "../orders/take-step.ts";
import { escrowKeys, isWanted, PATIENTLY } from "../payments/proof-of-send.ts";
import * as sql from "../queries.ts";
import { rows } from "../rows.ts";
import { RECHECK_WAITS_S, type RecheckEnd, UNKNOWN_MAX_S } from "../rules.ts";
import { sumOf } from "../steps/debts.ts";
import { transferChecked } from "../steps/sending.ts";
import type { MarketSend } from "../tables.ts";
import { endRecheck, postponeRecheck, rechecksDue } from "./recheck-queries.ts";

export const RECHECK_EVERY_S = HOUR_S;

type Needs = Pick<Context, "read" | "write" | "clock" | "settings" | "reject"> & {
  readonly chain: ChainAdapter;
};

/** A payout or a refund as it was recorded. */
interface Recorded {
  readonly sent: MarketSend;
  readonly order: sql.OrderRow;
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
 * a sealed entry; one that the chain does not show as it was recorded is owed again, and told of. One whose rule
 * forbids the answer waits, and is told of after the others.
 */
export async function recheckSends(
  context: Needs,
  limit: number,
  reopened: (sent: MarketSend) => void,
): Promise<void> {
  const { read, write, clock } = context;
  const each = apart();
  for (const due of await rechecksDue.all(read, { now: clock.now(), limit })) {
    const end = await each.attempt(() => recheck(context, due));
    if (end === "reopened") reopened(due.sent);
    if (end === "answered" || end === "reopened") continue;
    const next_try_at = clock.now() + RECHECK_EVERY_S;
    const next = { sent: due.sent, tries: due.tries + 1, next_try_at };
    await write((tx) => postponeRecheck.run(tx, next));
  }
  each.end();
}

type DueRecheck = Awaited<ReturnType<typeof rechecksDue.all>>[number];

async function recheck(
  context: Needs,
  due: DueRecheck,
): Promise<"reopened" | "answered" | "unanswered"> {
  const recorded = await recordedSend(context, due);
  const age_s = context.clock.now() - due.recorded_at;
  let finding = await findingOf(context, recorded, age_s);
  if (finding === null && age_s >= RECHECK_WAITS_S.silence) finding = { found: "silence" }; // Nobody is asked for longer.
  if (finding === null) return "unanswered";
  return (await settle(context, recorded, finding)) ? "reopened" : "answered";
}

async function recordedSend(context: Needs, { sent, order_id }: DueRecheck): Promise<Recorded> {
  const { read } = context;
  const order = await sql.orderById.first(read, { id: order_id });
  const [what, , number = "1"] = sent.split("/");
  const n = Number(number);
  if (what === "refund") {
    const debts = await paidWith(read, order_id, n);
    const [{ txid, sent_to } = {}] = debts;
    if (order === undefined || !txid) throw new Forbidden(`There is no ${sent}.`);
    const to = sent_to == null ? [] : [sent_to];
    return { sent, order, txid, amounts_raw: [String(sumOf(debts))], to };
  }
  const payout = await sql.payoutOf.first(read, { order_id });
  if (order === undefined || payout?.n !== n) throw new Forbidden(`There is no ${sent}.`);
  const to = await addressesSinceRelease(context, order);
  return { sent, order, txid: payout.txid, amounts_raw: [String(sellerRaw(order))], to };
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
  { sent, order: { id } }: Recorded,
  { found, ...evidence }: Finding,
): Promise<boolean> {
  return write(async (tx) => {
    const order = await sql.lockOrder.first(tx, { id });
    if (order === undefined || (await endRecheck.run(tx, { sent, found })) !== 1) return false;
    const step = [transferChecked, rows.transferChecked] as const;
    const said = { of: sent, found, ...evidence };
    await takeStep(NOBODY, { tx, order, now: clock.now() }, step, said);
    return found !== "ok" && found !== "silence";
  });
}
