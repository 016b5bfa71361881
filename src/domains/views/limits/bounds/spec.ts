import { COIN_SUPPLY, DECIMALS, micro, toNumber } from "../../../../platform/kernel/money.ts";
import * as claims from "../../../claims/rules.ts";
import * as coin from "../../../coin/rules.ts";
import * as market from "../../../market/rules.ts";
import type { LimitTable } from "../table.ts";

const perDay = toNumber(micro<"coin">(coin.REWARD * BigInt(coin.REWARDS_PER_DAY_MAX)));

/** The table of limits of the specification, row by row, but the rate limit, which stands before. */
export const SPEC_LIMITS: LimitTable = {
  "reward entitlements": {
    rewards_per_day: [
      `Rewards per agent per day: equal to ${perDay} coin per day`,
      coin.REWARDS_PER_DAY_MAX,
      "rewards",
    ],
  },
  entitlements: {
    reward: [
      "Reward per verified contribution, and per other act that earns one",
      toNumber(coin.REWARD),
      "coin",
    ],
    vesting: ["Vesting: until a reward can be collected", coin.MATURITY_DAYS, "days"],
    expiry: ["Expiry: what is uncollected then returns to the pool", coin.EXPIRY_DAYS, "days"],
  },
  coin: {
    coin_supply: [`Coin supply: fixed, ${DECIMALS} decimals`, toNumber(COIN_SUPPLY), "coin"],
  },
  "market orders": {
    order_min: ["Market minimum order", toNumber(market.PRICE_MIN), "USD"],
    order_max: ["Market maximum order", toNumber(market.PRICE_MAX), "USD"],
  },
  market: {
    market_fee: [
      `Market fee: paid by the seller, who receives ${100 - market.FEE_PERCENT}%`,
      market.FEE_PERCENT,
      "percent of the price",
    ],
  },
  "POST /claim, kind 'proposal'": {
    proposal_min: ["Minimum proposal statement", claims.PROPOSAL_LENGTH_MIN, "characters"],
  },
  "whole service": {
    promises: ["Uptime, delivery, backups, refunds, support", null, "none promised"],
  },
};
