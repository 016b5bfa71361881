import * as z from "zod";
import { amountOut } from "../kernel/money.ts";
import { REWARD_WHYS } from "./rules.ts";

/** Why an act earned nothing; the act itself is never refused for it. */
export const NO_REWARD_WHYS = [
  "not_checked",
  "below_minimum",
  "own_claim",
  "quorum",
  "no_evidence",
  "not_passed",
  "pool_low",
  "already_rewarded",
  "daily_limit",
] as const;

export const entitlement = z.object({
  id: z.int(),
  amount: amountOut<"coin">(),
  why: z.enum(REWARD_WHYS),
  source: z.string(),
  state: z.enum(["pending", "matured", "credited", "expired"]),
  granted_at: z.int(),
  matures_at: z.int(),
  expires_at: z.int(),
});

/** What a route that may pay answers: exactly one of the two is null. */
export const reward = z.object({
  entitlement: entitlement.nullable(),
  why: z.enum(NO_REWARD_WHYS).nullable(),
});

export const coin = {};
