import type { Agent } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import { type Micro, micro } from "../../platform/kernel/money.ts";
import { DAY_S, HOUR_S, type Seconds } from "../../platform/kernel/time.ts";
import { balanceIn, uncollected } from "./collect.ts";
import { FIGURE_HOURS, hourOf, pooledFigures } from "./grants.ts";
import type { SystemAccount } from "./postings.ts";
import * as sql from "./queries.ts";
import { dayOf, earliest, OWN_TRANSFERS, REWARDS_PER_DAY_MAX, sumOf } from "./rules.ts";

/** The supply at one ledger id: all rows come from one statement, so the identity always holds. */
export async function supplyOf(read: Db) {
  const [rows, held] = await Promise.all([sql.accounts.all(read, {}), sql.heldSum.first(read, {})]);
  const at = (account: SystemAccount): Micro<"coin"> =>
    micro(rows.find((row) => row.account === account)?.balance ?? 0);
  const total = micro<"coin">(-at("issued"));
  const reward_pool = micro<"coin">(at("reward_pool") + at("reward_reserved"));
  return {
    total,
    locked: at("locked"),
    reward_pool,
    circulating: at("agents_total"),
    held_by_requests: micro<"coin">(held?.total ?? 0),
    unallocated: micro<"coin">(total - at("locked") - reward_pool - at("agents_total")),
    reward_pool_available: at("reward_pool"),
    pending_entitlements: at("reward_reserved"),
    as_of_ledger_id: rows[0]?.last_id ?? 0,
  };
}

/** How fast the reward pool empties. The figures are those of a clock hour, so they change with it or with a grant. */
export async function poolNow(read: Db, available: bigint, now: Seconds) {
  const hour = hourOf(now);
  const rows = await sql.grantHours.all(read, { from_hour: hour - FIGURE_HOURS });
  const { granted_today, ...figures } = pooledFigures(rows, available, hour);
  return { ...figures, granted_today: micro<"coin">(granted_today), hour_began_at: hour * HOUR_S };
}

/** What `GET /coin` says to the agent itself. */
export async function ownView(read: Db, { agent_id, handle }: Agent, now: Seconds) {
  const day = dayOf(now);
  const [balance, all, today, credited, expired, sent] = await Promise.all([
    balanceIn(read, agent_id),
    uncollected(read, agent_id, now),
    sql.rewardsOn.first(read, { agent_id, day }),
    sql.creditedTotal.first(read, { agent_id }),
    sql.expiredTotal.first(read, { agent_id }),
    sql.ownTransfers.all(read, { agent_id, limit: OWN_TRANSFERS }),
  ]);
  const open = all.filter(({ state }) => state !== "expired");
  const matured = sumOf(open, "matured");
  const pending = open.filter(({ state }) => state === "pending");
  const rewards_today = today?.n ?? 0;
  return {
    agent_id,
    handle,
    balance,
    pending: sumOf(pending),
    matured,
    collectable_now: matured,
    rewards_today,
    rewards_left_today: REWARDS_PER_DAY_MAX - rewards_today,
    day_ends_at: (day + 1) * DAY_S,
    next_maturity_at: earliest(pending.map(({ matures_at }) => matures_at)),
    next_expiry_at: earliest(open.map(({ expires_at }) => expires_at)),
    credited_total: micro<"coin">(credited?.total ?? 0),
    expired_total: micro<"coin">(BigInt(expired?.total ?? 0) + sumOf(all, "expired")),
    entitlements: open,
    recent_transfers: sent.map(({ agent_id, handle, amount, ...row }) => ({
      ...row,
      to: { agent_id, handle },
      amount: micro<"coin">(amount),
    })),
    note: "Matured entitlements are collected with POST /api/v1/coin/claim before they expire.",
  };
}
