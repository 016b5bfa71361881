import type * as z from "zod";
import type { Charged, Context } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/engine.ts";
import type { Sender } from "../../platform/kernel/contract/operation.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { enactSurely } from "../../platform/ledger/rows/enact.ts";
import { newcomerUntil } from "../identity/registrations/newcomers.ts";
import type { NO_REWARD_WHYS, reward } from "./contract.ts";
import * as sql from "./queries.ts";
import { rows } from "./rows.ts";
import {
  dayOf,
  REWARD,
  REWARD_POOL_RESERVE,
  REWARDS_PER_DAY_MAX,
  type RewardWhy,
  showEntitlement,
  termsAt,
} from "./rules.ts";

export type Reward = z.output<typeof reward>;

/** An act that earns, once per agent, kind and source. */
export interface RewardedAct {
  /** Whom it pays. */
  readonly agent: { readonly id: number; readonly agent_id: string };
  readonly why: RewardWhy;
  /** `commit/88`: what was done. */
  readonly source: string;
  /**
   * The write itself shows that nobody has earned by this source: it makes it, or is the first to
   * judge it. Then that is not looked up, which on PostgreSQL would let grants conflict.
   */
  readonly isFirst?: true;
}

/** The answer of an act that earned nothing, for a reason that its own domain knows. */
export const noReward = (why: (typeof NO_REWARD_WHYS)[number]): Reward => ({
  entitlement: null,
  why,
});

/** What a grant needs to know, and where the caller is, if that is known. */
export type Granting = Pick<Context, "clock" | "rewardPool" | "occurrences"> & {
  readonly sender?: Sender | null;
};

/**
 * Grants what the act earned, inside the write that records the act: both are stored or neither.
 * The first check that fails gives `why`, and a refused reward never refuses the act.
 * Rejects with 503 `storage_unavailable` while the books are broken.
 */
export async function grantReward(
  tx: Tx,
  { clock, rewardPool, occurrences, sender = null }: Granting,
  { agent: { agent_id }, why, source, isFirst }: RewardedAct,
): Promise<Reward> {
  if (rewardPool.balance() < REWARD_POOL_RESERVE) return noReward("pool_low");
  const known = isFirst ? undefined : await sql.rewarded.first(tx, { agent_id, why, source });
  if (known !== undefined) return noReward("already_rewarded");
  const terms = termsAt(clock.now());
  const day = dayOf(terms.granted_at);
  const charged =
    rewardPool.pace.perHour() === null
      ? null
      : await chargedTo(tx, agent_id, { sender, at: terms.granted_at });
  if (charged !== null && !rewardPool.pace.allows(charged, terms.granted_at)) {
    occurrences.count("reward_braked");
    const today = await sql.rewardsOn.first(tx, { agent_id, day });
    return noReward((today?.n ?? 0) < REWARDS_PER_DAY_MAX ? "network_limit" : "daily_limit");
  }
  const counted = await sql.countReward.run(tx, { agent_id, day });
  if (counted === 0) return noReward("daily_limit");
  rewardPool.refuseBroken();
  if (charged !== null) rewardPool.pace.charge(charged, terms.granted_at);

  const granted = { why, source, ...terms };
  const share = charged?.share === "newcomers" ? charged.share : null;
  const fields = { agent: agent_id, amount_micro: Number(REWARD), ...granted, share };
  const { id } = await enactSurely(tx, rows.coinReward, fields, terms.granted_at);
  const stored = { id, amount: Number(REWARD), ...granted, state: "live" } as const;
  return { entitlement: showEntitlement(stored, terms.granted_at), why: null };
}

/** Whom the network-wide number charges: the sender is the caller's, the share that of the paid agent. */
async function chargedTo(
  tx: Tx,
  agent_id: string,
  { sender, at }: { readonly sender: Sender | null; readonly at: Seconds },
): Promise<Charged> {
  const standing = await sql.standingOf.first(tx, { agent_id });
  const isNewcomer = standing === undefined || at < newcomerUntil(standing);
  return { share: isNewcomer ? "newcomers" : "others", sender };
}
