import type { ChainHealth } from "../../platform/chain/adapter.ts";
import type { Clock } from "../../platform/context.ts";
import { MINUTE_S } from "../../platform/kernel/time.ts";

/** Clocks that are further apart need a person. */
export const NANO_APART_MAX_S = 5 * MINUTE_S;

/** How far the network's time is ahead of that of the Nano nodes, in seconds; null where too few say theirs. */
export const apartFromNano_s = (
  { ahead_s }: Pick<ChainHealth, "ahead_s">,
  clock: Clock,
): number | null =>
  ahead_s === null ? null : clock.now() - (Math.floor(Date.now() / 1_000) + ahead_s);
