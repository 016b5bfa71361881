import { poolNow } from "../../domains/coin/overview.ts";
import { refusedSamples } from "../../domains/transfers/rates.ts";
import { toNumber } from "../../platform/kernel/money.ts";
import type { Measure } from "../../surfaces/operator/metrics.ts";
import type { Service } from "../service/open-service.ts";
import { shared } from "./shared.ts";

type Pool = Awaited<ReturnType<typeof poolNow>>;

/** Without a grant in seven days the pool lasts for ever. */
export const poolLasts = (pool: () => Promise<Pool>): Measure => ({
  name: "cairn_reward_pool_days_left",
  help: "Days for which the reward pool lasts at the pace of the last seven.",
  collect: async () => (await pool()).reward_pool_days_left ?? Number.POSITIVE_INFINITY,
});

/** The reward pool, and the prices of other currencies. */
export function coinMeasures({ store, context, rewardPool }: Service): Measure[] {
  const pool = shared(() => poolNow(store.probe, rewardPool.balance(), context.clock.now()));
  const refused = shared(() => refusedSamples(store.probe));
  return [
    {
      name: "cairn_reward_pool_coins",
      help: "Coins in the reward pool that nobody has earned yet.",
      collect: () => toNumber(rewardPool.balance()),
    },
    poolLasts(pool),
    {
      name: "cairn_rewards_last_24h",
      help: "Rewards granted in this clock hour and the 23 before it.",
      collect: async () => (await pool()).rewards_last_24h,
    },
    {
      name: "cairn_rewards_this_hour",
      help: "Rewards granted in this clock hour.",
      collect: async () => (await pool()).rewards_this_hour,
    },
    {
      name: "cairn_rewards_per_hour_max",
      help: "The number of rewards an hour that was announced; 0: there is none.",
      collect: () => rewardPool.pace.perHour() ?? 0,
    },
    {
      name: "cairn_rate_samples_refused_total",
      help: "Prices of the rate source that were out of bounds.",
      collect: refused,
    },
  ];
}
