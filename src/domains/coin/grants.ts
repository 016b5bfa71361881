import { fieldsIn } from "../../platform/kernel/contract/entry-kind.ts";
import { HOUR_S, type Seconds } from "../../platform/kernel/time.ts";
import * as entries from "./entries.ts";
import type { SomeEntry } from "./postings.ts";

/** The rewards granted in one clock hour of UTC. */
export interface GrantHour {
  /** Hours since 1970. */
  readonly hour: number;
  readonly n: number;
  /** In micro-coin. */
  readonly amount: number;
  /** Those of `n` that were charged to newcomers while a number of rewards an hour was in force. */
  readonly newcomers: number;
}

/** The clock hour in which something was granted. */
export const hourOf = (at: Seconds): number => Math.floor(at / HOUR_S);

/** What an entry adds to its hour; null when it grants nothing. */
export function grantOf({ kind, body }: SomeEntry): GrantHour | null {
  if (kind !== "coin_reward") return null;
  const { granted_at, amount_micro, share } = fieldsIn(
    entries.coinReward,
    body,
    "granted_at",
    "amount_micro",
    "share",
  );
  return {
    hour: hourOf(granted_at),
    n: 1,
    amount: amount_micro,
    newcomers: share === undefined ? 0 : 1,
  };
}

/** Adds a grant to those of its hour. */
export function addGrant(hours: Map<number, GrantHour>, { hour, n, amount, newcomers }: GrantHour) {
  const sum = hours.get(hour) ?? { hour, n: 0, amount: 0, newcomers: 0 };
  hours.set(hour, {
    hour,
    n: sum.n + n,
    amount: sum.amount + amount,
    newcomers: sum.newcomers + newcomers,
  });
}

const DAY_HOURS = 24;
const WEEK_DAYS = 7;

/** Hours before the current one that the figures of the pool look at. */
export const FIGURE_HOURS = WEEK_DAYS * DAY_HOURS;

/**
 * How fast the pool empties, as of a clock hour: rewards in it and the 23 before, micro-coin granted
 * on its UTC day, and for how many days `available` lasts at the mean of the last seven; null when
 * nothing was granted in them.
 */
export function pooledFigures(hours: Iterable<GrantHour>, available: bigint, hour: number) {
  let [rewards_this_hour, rewards_last_24h, granted_today, week] = [0, 0, 0n, 0n];
  for (const each of hours) {
    const ago = hour - each.hour;
    if (ago < 0 || ago >= FIGURE_HOURS) continue;
    week += BigInt(each.amount);
    if (ago < DAY_HOURS) rewards_last_24h += each.n;
    if (ago === 0) rewards_this_hour = each.n;
    if (Math.floor(each.hour / DAY_HOURS) === Math.floor(hour / DAY_HOURS))
      granted_today += BigInt(each.amount);
  }
  const reward_pool_days_left = week === 0n ? null : Number((available * BigInt(WEEK_DAYS)) / week);
  return { rewards_this_hour, rewards_last_24h, granted_today, reward_pool_days_left };
}
