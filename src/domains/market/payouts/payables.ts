import { accountText } from "../../../platform/chain/account.ts";
import type { Context } from "../../../platform/context.ts";
import type { Db } from "../../../platform/db/engine.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import { readFigures } from "../accounts/figures.ts";
import { sellerRaw } from "../amounts.ts";
import { areAddressesSealed, areDeliveriesSealed, isOrderSealed } from "../audit/commitments.ts";
import { oldDoubts } from "../doubts/queries.ts";
import { DOUBT_SHOWN_AFTER_S } from "../payments/doubt-acts.ts";
import { watched } from "../queries.ts";
import type { DoubtWhy } from "../rules.ts";
import { sumOf } from "../steps/debts.ts";
import { allDebtLines, type DebtLine, debtLines, numbersOf } from "./debt-lines.ts";
import * as sql from "./payable-queries.ts";
import { waitingOf } from "./waiting.ts";

/** Since when something is owed, and whether that is longer than the operator means to take. */
interface Waits {
  readonly owed_since: Seconds;
  readonly overdue: boolean;
}

/** What the operator is to send, and what came without the name of an order. */
export interface Owed {
  /** Orders whose buyers have stopped the clock: the operator decides, or it goes on at `held_until`. */
  readonly disputes: readonly {
    readonly order_id: number;
    readonly reason: string;
    readonly disputed_at: Seconds;
    readonly held_until: Seconds | null;
  }[];
  readonly payouts: readonly (Waits & {
    readonly order_id: number;
    readonly agent_id: string;
    readonly amount_raw: string;
    /** Null while the seller has none that may be used. */
    readonly address: string | null;
    /** Edited: the database has another address or order than was sealed, so `address` is null. */
    readonly blocked: "no_address" | "address_too_new" | "address_edited" | "order_edited" | null;
    /** The delivery differs from its sealed hash, so the payout needs a reason. */
    readonly delivery_edited: boolean;
  })[];
  readonly refunds: readonly (Waits & {
    readonly order_id: number;
    /** The oldest of its debts, by which it is recorded. */
    readonly n: number;
    /** All debts of the order to this account, the oldest first, `1,2,5`: one transfer pays them. */
    readonly debts: string;
    /** Of all of them. */
    readonly amount_raw: string;
    /** Each reason once. */
    readonly why: string;
    /** Null when no Nano account sent it, or when the debt was edited. */
    readonly to: string | null;
    /** Receiver or amount are not what was sealed: it is not to be paid. */
    readonly edited: boolean;
  })[];
  readonly unmatched: readonly {
    readonly txid: string;
    readonly from: string;
    readonly amount_raw: string;
    readonly first_seen_at: Seconds;
  }[];
  /** How many lines there are behind this page. */
  readonly more: { readonly payouts: number; readonly refunds: number; readonly unmatched: number };
  /** Listed by nodes for over 10 minutes, and proven by none. */
  readonly doubts: readonly {
    readonly txid: string;
    readonly from: string | null;
    /** Null if no node reports it, or if nodes differ. */
    readonly amount_raw: string | null;
    /** The unpaid order that the amount names. */
    readonly order_id: number | null;
    readonly why: DoubtWhy;
    readonly tries: number;
    readonly first_seen_at: Seconds;
  }[];
}

type Needs = Pick<Context, "read" | "snapshot" | "clock" | "settings" | "isProven">;

/**
 * A page of each list: refunds and unmatched payments the largest first, the others the oldest first. What the
 * chain shows of it is another question: `sentAlready`.
 */
export async function listDue(context: Needs, limit: number, page = 1): Promise<Owed> {
  const { read, snapshot, clock, settings } = context;
  const now = clock.now();
  const offset = (page - 1) * limit;
  const waits = waitsAt(now, settings);
  const [disputes, payouts, refunds, unmatched, doubts, waiting] = await Promise.all([
    sql.openDisputes.all(read, { limit, offset }),
    sql.unsentPayouts.all(read, { now, from_id: 1, limit, offset }),
    allDebtLines(context, { limit, offset }),
    sql.openUnmatched.all(read, { limit, offset }),
    oldDoubts.all(read, { before: now - DOUBT_SHOWN_AFTER_S, limit, offset }),
    waitingOf(read, now),
  ]);
  const left = (all: number, shown: readonly unknown[]) => Math.max(0, all - offset - shown.length);
  return {
    disputes,
    more: {
      payouts: left(waiting.payout.n, payouts),
      refunds: left(refunds.total, refunds.lines),
      unmatched: left(waiting.unmatched.n, unmatched),
    },
    payouts: await inTurn(payouts, (each) =>
      snapshot((db) => payoutLine(context, db, { payout: each, waits })),
    ),
    refunds: refunds.lines.map((each) => refundLine(each, waits)),
    unmatched,
    doubts: doubts.map(({ hash: txid, from_account: from, ...doubt }) => ({
      txid,
      from,
      amount_raw: doubt.amount_raw,
      order_id: doubt.order_id,
      why: doubt.why,
      tries: doubt.tries,
      first_seen_at: doubt.first_seen_at,
    })),
  };
}

/** What the operator is to send for one order. */
export async function dueOf(
  context: Needs,
  order_id: number,
): Promise<Pick<Owed, "payouts" | "refunds">> {
  const { read, snapshot, clock, settings } = context;
  const now = clock.now();
  const waits = waitsAt(now, settings);
  const [next, debts] = await Promise.all([
    sql.unsentPayouts.first(read, { now, from_id: order_id, limit: 1 }),
    snapshot((db) => debtLines(context, db, order_id)),
  ]);
  return {
    payouts:
      next?.id === order_id
        ? [await snapshot((db) => payoutLine(context, db, { payout: next, waits }))]
        : [],
    refunds: debts.map((each) => refundLine(each, waits)),
  };
}

type WaitsOf = (owed_since: Seconds) => Waits;

const waitsAt =
  (now: Seconds, { payWithin_s }: Pick<Context["settings"], "payWithin_s">): WaitsOf =>
  (owed_since) => ({ owed_since, overdue: now - owed_since > payWithin_s });

/** One after the other, so that no more than one order's deliveries are in memory. */
async function inTurn<T, U>(rows: readonly T[], show: (row: T) => Promise<U>): Promise<U[]> {
  const shown: U[] = [];
  for (const row of rows) shown.push(await show(row));
  return shown;
}

const refundLine = ({ order_id, debts, to, edited }: DebtLine, waits: WaitsOf) => ({
  ...waits(Math.min(...debts.map(({ at }) => at))),
  order_id,
  n: debts[0]?.n ?? 0,
  debts: numbersOf(debts),
  amount_raw: String(sumOf(debts)),
  why: [...new Set(debts.map(({ why }) => why))].join(", "),
  to,
  edited,
});

type UnsentPayout = Awaited<ReturnType<typeof sql.unsentPayouts.all>>[number];

async function payoutLine(
  context: Pick<Context, "isProven">,
  read: Db,
  { payout, waits }: { readonly payout: UnsentPayout; readonly waits: WaitsOf },
): Promise<Owed["payouts"][number]> {
  const { id: order_id, agent_id, base_raw, address, last_n, state_since } = payout;
  const missing = last_n === null ? "no_address" : "address_too_new";
  const blocked = address === null ? missing : null;
  const isOrder = await isOrderSealed(context, read, order_id);
  const isSealed = isOrder && (await areAddressesSealed(read, agent_id));
  const edited = isOrder ? "address_edited" : "order_edited";
  return {
    ...waits(state_since),
    order_id,
    agent_id,
    amount_raw: String(sellerRaw({ base_raw })),
    address: isSealed ? address : null,
    blocked: isSealed ? blocked : edited,
    delivery_edited: !(await areDeliveriesSealed(read, order_id)),
  };
}

/** The market's counters of `/protection`. */
export interface MarketCounters {
  /** Since the last complete scan of the escrow account began; null before the first. */
  readonly market_scan_age_s: number | null;
  /** Transfers that waited to be received then; over 1,000 make each scan slow. */
  readonly market_unreceived_transfers: number;
  readonly market_unmatched_payments: number;
  /** Listed by nodes, proven by none, and kept until a proof or the operator ends it. */
  readonly market_doubtful_transfers: number;
  readonly market_payouts_due: number;
  readonly market_refunds_due: number;
  readonly market_held_orders: number;
  /** Recorded on the operator's word, and confirmed by no node so far. */
  readonly market_unchecked_settlements: number;
  /** Ages of the oldest that waits; null when none does. */
  readonly market_oldest_hold_s: number | null;
  readonly market_oldest_payout_s: number | null;
  readonly market_oldest_refund_s: number | null;
  readonly market_oldest_unmatched_s: number | null;
  readonly market_oldest_doubt_s: number | null;
}

export async function marketCounters(
  read: Db,
  {
    settings,
    clock,
  }: {
    readonly settings: Pick<Context["settings"], "escrowKey">;
    readonly clock: Pick<Context["clock"], "now">;
  },
): Promise<MarketCounters> {
  const { escrowKey } = settings;
  const [figure, waiting, watch] = await Promise.all([
    readFigures(read),
    waitingOf(read, clock.now()),
    escrowKey === null ? undefined : watched.first(read, { account: accountText(escrowKey) }),
  ]);
  const scanned_at = watch?.scanned_at ?? null;
  return {
    market_scan_age_s: scanned_at === null ? null : clock.now() - scanned_at,
    market_unreceived_transfers: watch?.unreceived ?? 0,
    market_unmatched_payments: waiting.unmatched.n,
    market_doubtful_transfers: waiting.doubt.n,
    market_payouts_due: Number(figure("orders_released")),
    market_refunds_due: Number(figure("refunds_due")),
    market_held_orders: waiting.hold.n,
    market_unchecked_settlements: waiting.unchecked.n,
    market_oldest_hold_s: waiting.hold.age_s,
    market_oldest_payout_s: waiting.payout.age_s,
    market_oldest_refund_s: waiting.refund.age_s,
    market_oldest_unmatched_s: waiting.unmatched.age_s,
    market_oldest_doubt_s: waiting.doubt.age_s,
  };
}
