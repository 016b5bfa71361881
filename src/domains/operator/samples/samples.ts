import * as z from "zod";
import type { Context } from "../../../platform/context.ts";
import { DAY_S, days, HOUR_S, MINUTE_S, type Seconds } from "../../../platform/kernel/time.ts";
import { ledgerHealth } from "../../../platform/ledger/seals/health.ts";
import { supplyOf } from "../../coin/overview.ts";
import { agentsIn, allCounts } from "../../counters/counts.ts";
import { countRows } from "../../counters/row-counts.ts";
import { readFigures } from "../../market/accounts/figures.ts";
import { marketCounters } from "../../market/payouts/payables.ts";
import { openReports } from "../overview-queries.ts";
import * as sql from "./sample-queries.ts";

export const SHORTEST_STEP_S = 5 * MINUTE_S;

/** How often figures are kept, and for how long; null: for ever. */
const STEPS = [
  { step_s: SHORTEST_STEP_S, kept_s: days(8) },
  { step_s: HOUR_S, kept_s: days(90) },
  { step_s: DAY_S, kept_s: null },
] as const;

/** Samples of one plot: ten years of days. */
const SAMPLES_MAX = 3_650;

/** Orders that money or work still waits for. */
const OPEN = ["awaiting_payment", "paid", "delivered", "released", "held", "refund_due"] as const;

/** Samples that one run forgets of a step. */
const FORGOTTEN_MAX = 500;

type Needs = Pick<Context, "read" | "write" | "clock" | "settings"> & {
  readonly bytes: () => Promise<number>;
  /** Null where the disk is another server's. */
  readonly freeBytes: () => number | null;
};

/** A figure as it was; null where it could not be known. */
type Figures = Readonly<Record<string, bigint | number | null>>;

/**
 * A job that keeps the figures of each 5 minutes, hour and day. It looks only when one of them has no
 * sample yet, and two nodes at once leave one sample.
 */
export async function keepSamples(needs: Needs): Promise<void> {
  const { read, write, clock } = needs;
  const now = clock.now();
  const due: { step_s: number; at: Seconds }[] = [];
  for (const { step_s } of STEPS) {
    const at = now - (now % step_s);
    const newest = await sql.newestSample.first(read, { step_s });
    if (newest === undefined || newest.at < at) due.push({ step_s, at });
  }
  if (due.length === 0) return;
  const figures = textOf(await figuresNow(needs));
  const old = await outdated(needs, now);
  await write(async (tx) => {
    for (const sample of due) await sql.addSample.run(tx, { ...sample, figures });
    for (const each of old) await sql.forgetSamples.run(tx, each);
  });
}

/** Up to which time each step's samples are forgotten by this run. */
async function outdated({ read }: Pick<Needs, "read">, now: Seconds) {
  const found = await Promise.all(
    STEPS.map(async ({ step_s, kept_s }) => {
      if (kept_s === null) return [];
      const old = { step_s, before: now - kept_s, limit: FORGOTTEN_MAX };
      const last = (await sql.oldSamples.all(read, old)).at(-1);
      return last === undefined ? [] : [{ step_s, through_at: last.at }];
    }),
  );
  return found.flat();
}

/** A new figure needs no migration: where an old sample lacks it, its line has a gap. */
async function figuresNow(needs: Needs): Promise<Figures> {
  const { read } = needs;
  const [counts, health, messages, reports, bytes] = await Promise.all([
    allCounts(read),
    ledgerHealth()(needs),
    countRows(read, "direct_messages"),
    openReports.first(read, {}),
    needs.bytes(),
  ]);
  const n = (name: string): number => counts(name).n;
  return {
    entries: health.entries,
    seals: health.seals,
    unsigned_seals: health.unsigned_seqs,
    agents: agentsIn(counts),
    posts: n("post"),
    posts_hidden: n("post_hidden") - n("post_unhidden"),
    reports_open: reports?.posts ?? 0,
    repos: n("repo"),
    commits: n("repo_commit"),
    apps: n("app"),
    claims: n("claim"),
    verdicts: n("verdict"),
    tasks_passed: n("task_pass"),
    requests_answered: n("request_answered"),
    messages,
    ...(await moneyNow(needs)),
    database_bytes: bytes,
    disk_free_bytes: needs.freeBytes(),
  };
}

async function moneyNow({ read, clock, settings }: Needs): Promise<Figures> {
  const [supply, granted, orders, market] = await Promise.all([
    supplyOf(read),
    sql.grantedEver.first(read, {}),
    readFigures(read),
    marketCounters(read, { clock, settings }),
  ]);
  const { market_oldest_payout_s: payout, market_oldest_refund_s: refund } = market;
  return {
    pool_micro: supply.reward_pool_available,
    granted_micro: BigInt(granted?.amount ?? 0),
    circulating_micro: supply.circulating,
    orders_open: OPEN.reduce((sum, state) => sum + orders(`orders_${state}`), 0n),
    orders_paid_out: orders("orders_paid_out"),
    debts_due: market.market_payouts_due + market.market_refunds_due,
    oldest_debt_s: Math.max(payout ?? 0, refund ?? 0),
  };
}

/** Integers as decimal text, because sums of money leave what JSON numbers hold. */
const textOf = (figures: Figures): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(figures).flatMap(([name, value]) =>
        value === null ? [] : [[name, String(value)]],
      ),
    ),
  );

/** Figures at a moment; a name is missing where the figure was not known. */
export interface Sample {
  readonly at: Seconds;
  readonly figures: Readonly<Record<string, number>>;
}

const storedFigures = z.record(z.string(), z.coerce.number());

export const figuresIn = ({ figures }: { readonly figures: string }): Sample["figures"] =>
  storedFigures.parse(JSON.parse(figures));

/** The spans of the plots, and the step of the samples that they show. */
export const SPANS = {
  "24h": { span_s: DAY_S, step_s: SHORTEST_STEP_S },
  "7d": { span_s: days(7), step_s: HOUR_S },
  "30d": { span_s: days(30), step_s: HOUR_S },
  all: { span_s: days(SAMPLES_MAX), step_s: DAY_S },
} as const;

/** The samples of a span, oldest first, at most `SAMPLES_MAX`; the last one is less than 5 minutes old. */
export async function samplesOf(
  { read, clock }: Pick<Needs, "read" | "clock">,
  span: keyof typeof SPANS,
): Promise<readonly Sample[]> {
  const { span_s, step_s } = SPANS[span];
  const from_at = clock.now() - span_s;
  const rows = await sql.samplesSince.all(read, { step_s, from_at, limit: SAMPLES_MAX });
  const newest = await sql.samplesSince.first(read, { step_s: SHORTEST_STEP_S, from_at, limit: 1 });
  const isNewer = newest !== undefined && newest.at > (rows[0]?.at ?? 0);
  return [...(isNewer ? [newest] : []), ...rows]
    .map((row) => ({ at: row.at, figures: figuresIn(row) }))
    .toReversed();
}
