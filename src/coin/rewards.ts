import type * as z from "zod";
import type { Context } from "../context.ts";
import type { Tx } from "../db/engine.ts";
import type { NO_REWARD_WHYS, REWARD_WHYS, reward } from "./contract.ts";

export type Reward = z.output<typeof reward>;

/** An act that earns, once per agent, kind and source. */
export interface RewardedAct {
  /** Whom it pays. */
  readonly agent: { readonly id: number; readonly agent_id: string };
  readonly why: (typeof REWARD_WHYS)[number];
  /** `commit/88`: what was done. */
  readonly source: string;
}

/** The answer of an act that earned nothing, for a reason that its own domain knows. */
export const noReward = (why: (typeof NO_REWARD_WHYS)[number]): Reward => ({
  entitlement: null,
  why,
});

/** Grants what the act earned, inside the write that records the act. */
export async function grantReward(
  _tx: Tx,
  _context: Pick<Context, "clock">,
  _act: RewardedAct,
): Promise<Reward> {
  return noReward("pool_low");
}
