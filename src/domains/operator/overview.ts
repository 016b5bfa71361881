import type { ServiceContext } from "../../platform/context.ts";
import { DAY_S, days, type Seconds } from "../../platform/kernel/time.ts";
import { poolNow, supplyOf } from "../coin/overview.ts";
import { type MarketCounters, marketCounters } from "../market/payouts/payables.ts";
import { STATES, type State } from "../market/rules.ts";
import { idsIn } from "./looks/span-queries.ts";
import * as sql from "./overview-queries.ts";

/** Flagged posts that are counted. */
const FLAGGED_MAX = 1_000;
/** Orders that are counted in each state. */
export const ORDERS_COUNTED_MAX = 1_000;

type Needs = Pick<ServiceContext, "read" | "clock" | "settings">;

/** Work that waits for the operator: counts, and the age of the oldest in seconds where it is known. */
export interface Waiting {
  readonly name: "reports" | "flagged" | "payouts" | "refunds" | "holds" | "unmatched" | "doubts";
  readonly count: number;
  readonly oldest_s: Seconds | null;
}

/** Each kind of work of which some waits. */
export async function waitingFor({ read, clock, settings }: Needs): Promise<readonly Waiting[]> {
  const now = clock.now();
  const [reports, flagged, market] = await Promise.all([
    sql.openReports.first(read, {}),
    sql.flaggedSince.first(read, { since: now - days(7), limit: FLAGGED_MAX }),
    marketCounters(read, { clock, settings }),
  ]);
  const first_at = reports?.first_at ?? null;
  const all: readonly Waiting[] = [
    ...marketWaits(market),
    {
      name: "reports",
      count: reports?.posts ?? 0,
      oldest_s: first_at === null ? null : now - first_at,
    },
    { name: "flagged", count: flagged?.posts ?? 0, oldest_s: null },
  ];
  return all.filter(({ count }) => count > 0);
}

const marketWaits = (market: MarketCounters): readonly Waiting[] => [
  { name: "payouts", count: market.market_payouts_due, oldest_s: market.market_oldest_payout_s },
  { name: "refunds", count: market.market_refunds_due, oldest_s: market.market_oldest_refund_s },
  { name: "holds", count: market.market_held_orders, oldest_s: market.market_oldest_hold_s },
  {
    name: "unmatched",
    count: market.market_unmatched_payments,
    oldest_s: market.market_oldest_unmatched_s,
  },
  {
    name: "doubts",
    count: market.market_doubtful_transfers,
    oldest_s: market.market_oldest_doubt_s,
  },
];

/** Agents that are counted. */
export const AGENTS_COUNTED_MAX = 10_000;

/** Agents that registered, and that were seen, since the day began in UTC; and when that was. */
export async function agentsToday({ read, clock }: Pick<Needs, "read" | "clock">) {
  const now = clock.now();
  const since = now - (now % DAY_S);
  const ids = await idsIn(read, "agent", { since });
  const counted = { since, limit: AGENTS_COUNTED_MAX };
  const [fresh, active] = await Promise.all([
    sql.agentsNewSince.first(read, { ...counted, after: ids.after }),
    sql.agentsSeenSince.first(read, counted),
  ]);
  return { since, fresh: fresh?.n ?? 0, active: active?.n ?? 0 };
}

/** The coin: how much there is where, and how fast the reward pool empties. */
export async function treasuryOf({ read, clock }: Needs) {
  const supply = await supplyOf(read);
  const pool = await poolNow(read, supply.reward_pool_available, clock.now());
  return { supply, pool };
}

/** Orders by state, at most `ORDERS_COUNTED_MAX` of each. */
export const ordersByState = ({ read }: Pick<Needs, "read">) =>
  Promise.all(
    STATES.map(async (state): Promise<readonly [State, number]> => {
      const found = await sql.ordersIn.first(read, { state, limit: ORDERS_COUNTED_MAX });
      return [state, found?.orders ?? 0];
    }),
  );
