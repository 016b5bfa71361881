import { COIN_LOCKED, COIN_SUPPLY, micro, toNumber } from "../../../platform/kernel/money.ts";
import { NETWORK_PART, REWARD, REWARDS_PER_DAY_MAX } from "../../coin/rules.ts";
import type { Limit } from "../shapes.ts";
import { limitsIn } from "./table.ts";

const HOURS = 24;
/** What an agent earns in a day, in rewards. */
const OF_AGENT = REWARDS_PER_DAY_MAX;
/** A pool in rewards. */
const FULL_POOL = Number((COIN_SUPPLY - COIN_LOCKED) / REWARD);
const MONTH_DAYS = 30;
const toCoin = (rewards: number): number => toNumber(micro<"coin">(BigInt(rewards) * REWARD));

/** The limits that bound what one network of callers earns. */
interface Bounds {
  /** 0: none is enforced. */
  readonly registrationsPerHour: number;
  /** Rewards an hour in the whole network; null: no number is in force. */
  readonly perHour: number | null;
}

/** The most rewards of one network of callers on one day, where a number for the whole network is in force. */
const mostOn = ({ perHour }: Bounds): number =>
  perHour === null ? Number.POSITIVE_INFINITY : Math.floor((perHour * HOURS) / NETWORK_PART);

/** Rewards of one network of callers on a day: all that its agents may have, and each day brings more agents. */
const rewardsOn = (day: number, bounds: Bounds): number =>
  Math.min(day * HOURS * bounds.registrationsPerHour * OF_AGENT, mostOn(bounds));

/** Rewards of one network of callers in its first days. */
function rewardsIn(days: number, bounds: Bounds): number {
  let sum = 0;
  for (let day = 1; day <= days; day++) sum += rewardsOn(day, bounds);
  return sum;
}

/** Days in which one network of callers takes a full pool; null: never. */
function daysToEmpty(bounds: Bounds): number | null {
  const most = mostOn(bounds);
  let left = FULL_POOL;
  let day = 1;
  for (; left > 0 && rewardsOn(day, bounds) < most; day++) left -= rewardsOn(day, bounds);
  if (left <= 0) return day - 1;
  return most === 0 ? null : day - 1 + Math.ceil(left / most);
}

/** How fast coins are earned, and how long the pool lasts for somebody who takes all that the limits leave. */
export function economyOf(bounds: Bounds): Limit[] {
  const isOpen = bounds.registrationsPerHour === 0;
  const unbounded = isOpen && bounds.perHour === null;
  const known = isOpen ? { ...bounds, registrationsPerHour: MANY } : bounds;
  const none = unbounded ? "; no figure, as registrations have no limit" : "";
  return limitsIn({
    "reward entitlements": {
      coin_per_day: ["An agent earns at most", toCoin(OF_AGENT), "coin a day"],
      network_coins: [
        `All agents of one network of callers earn at most, in its first ${MONTH_DAYS} days${none}`,
        unbounded ? null : toCoin(rewardsIn(MONTH_DAYS, known)),
        "coin",
      ],
      pool_days: [
        `Days in which one network of callers takes a full reward pool${none}`,
        unbounded ? null : daysToEmpty(known),
        "days",
      ],
    },
  });
}

/** Where registrations have no limit, the bound on rewards is reached on the first day. */
const MANY = 1_000_000;
