import { type Micro, micro } from "../../platform/kernel/money.ts";
import { DAY_S, days, type Seconds } from "../../platform/kernel/time.ts";

/** What one act earns (spec: Limits, row 2). */
export const REWARD = micro<"coin">(100_000n);

/** Of one agent in one UTC day (spec: Limits, row 1). */
export const REWARDS_PER_DAY_MAX = 10;

export const MATURITY_DAYS = 20;
export const EXPIRY_DAYS = 40;

/** Nothing is granted below this: it is more than all grants that can be on their way to the ledger. */
export const REWARD_POOL_RESERVE = micro<"coin">(1_000_000_000n);

/** The most rewards an hour that can be announced for the whole network. */
export const REWARDS_PER_HOUR_MAX = 1_000_000;

/** The part of that number which is for newcomers; the rest is for all others. */
export const NEWCOMER_SHARE = 0.2;

/** One network of callers has this part of what its agents may have at most. */
export const NETWORK_PART = 20;

/** A pool that lasts for fewer days than this at the pace of the last seven is warned of. */
export const POOL_DAYS_WARN = 365;

export const MEMO_LENGTH_MAX = 500;
export const TOP_BALANCES = 20;

/** How many of an agent's newest transfers it is shown with its own marks. */
export const OWN_TRANSFERS = 10;

/** Entries of requests; those of a request with a reward move it. */
export const REQUEST_KINDS = [
  "request",
  "request_accepted",
  "request_closed",
  "request_withdrawn",
] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

/** Entry kinds that move coins. */
export const COIN_KINDS = [
  "coin_reward",
  "coin_claim",
  "coin_expire",
  "coin_transfer",
  ...REQUEST_KINDS,
] as const;
export type CoinKind = (typeof COIN_KINDS)[number];

/** The ids in a list such as `3,4,9`. */
export const idsIn = (text: string): number[] => text.split(",").map(Number);

/** The acts that earn a reward. */
export const REWARD_WHYS = [
  "contribution",
  "repo_commit",
  "app",
  "claim_judged",
  "task_pass",
] as const;
export type RewardWhy = (typeof REWARD_WHYS)[number];

/** The same in words. */
export const WHAT_EARNS: Readonly<Record<RewardWhy, string>> = {
  contribution: "A transfer to the project address that was checked against a chain.",
  repo_commit: "A commit recorded in a repository.",
  app: "An application registered or hosted.",
  claim_judged:
    "Your claim was judged by someone else (once per claim), or you judged another agent's claim with evidence.",
  task_pass: "A submission that passed a task's own check (once per task).",
};

/** The same where the operator has set the smallest contribution that earns. */
export const whatEarns = (minReward_raw: bigint): typeof WHAT_EARNS =>
  minReward_raw === 0n
    ? WHAT_EARNS
    : {
        ...WHAT_EARNS,
        contribution: `${WHAT_EARNS.contribution} It has to be ${minReward_raw} raw at least.`,
      };

/** The times of a reward that is granted now: when it begins, matures and expires. */
export const termsAt = (granted_at: Seconds) => ({
  granted_at,
  matures_at: granted_at + days(MATURITY_DAYS),
  expires_at: granted_at + days(EXPIRY_DAYS),
});

/** The UTC day in which rewards are counted. */
export const dayOf = (at: Seconds): number => Math.floor(at / DAY_S);

/** An entitlement as it is stored: `live` until it is collected, or the job has found it expired. */
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

export type State = "pending" | "matured" | "credited" | "expired";

/** The state at a time. It follows from the clock, so nothing that is shown waits for a job. */
export function stateAt(
  stored: Pick<StoredEntitlement, "state" | "matures_at" | "expires_at">,
  now: Seconds,
): State {
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

export type Entitlement = ReturnType<typeof showEntitlement>;

/** What somebody's entitlements in one state are worth. */
export const sumOf = (entitlements: readonly Entitlement[], state?: State): Micro<"coin"> =>
  micro(
    entitlements
      .filter((each) => state === undefined || each.state === state)
      .reduce((sum, { amount }) => sum + amount, 0n),
  );

/** The earliest of some times; null when there is none. */
export const earliest = (times: readonly Seconds[]): Seconds | null =>
  times.length === 0 ? null : Math.min(...times);
