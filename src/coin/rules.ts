import { micro } from "../kernel/money.ts";
import { DAY_S, days, type Seconds } from "../kernel/time.ts";

/** What one act earns (spec: Limits, row 2). */
export const REWARD = micro<"coin">(100_000n);

/** Of one agent in one UTC day (spec: Limits, row 1). */
export const REWARDS_PER_DAY_MAX = 10;

export const MATURITY_DAYS = 20;
export const EXPIRY_DAYS = 40;

/** Nothing is granted below this: it is more than all grants that can be on their way to the ledger. */
export const REWARD_POOL_RESERVE = micro<"coin">(1_000_000_000n);

/** What is granted now: when it begins, matures and expires. */
export const termsAt = (granted_at: Seconds) => ({
  granted_at,
  matures_at: granted_at + days(MATURITY_DAYS),
  expires_at: granted_at + days(EXPIRY_DAYS),
});

/** The UTC day in which rewards are counted. */
export const dayOf = (at: Seconds): number => Math.floor(at / DAY_S);

/** An entitlement as it is stored: `live` until it is collected, or a job has found it expired. */
export interface StoredEntitlement {
  readonly id: number;
  readonly amount: number;
  readonly why: RewardWhy;
  readonly source: string;
  readonly granted_at: Seconds;
  readonly matures_at: Seconds;
  readonly expires_at: Seconds;
  readonly state: "live" | "credited" | "expired";
}

/** What earns a reward (coin.md, section 4). */
export const REWARD_WHYS = [
  "contribution",
  "repo_commit",
  "app",
  "claim_judged",
  "task_pass",
] as const;
export type RewardWhy = (typeof REWARD_WHYS)[number];

type State = "pending" | "matured" | "credited" | "expired";

/** The state at a time. It follows from the clock, so nothing that is shown waits for a job. */
function stateAt(stored: StoredEntitlement, now: Seconds): State {
  if (stored.state !== "live") return stored.state;
  if (now < stored.matures_at) return "pending";
  return now < stored.expires_at ? "matured" : "expired";
}

/** An entitlement as answers show it. */
export const showEntitlement = (stored: StoredEntitlement, now: Seconds) => ({
  id: stored.id,
  amount: micro<"coin">(stored.amount),
  why: stored.why,
  source: stored.source,
  state: stateAt(stored, now),
  granted_at: stored.granted_at,
  matures_at: stored.matures_at,
  expires_at: stored.expires_at,
});
