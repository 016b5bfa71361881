import type { Agent } from "../../../platform/context.ts";
import { DAY_S, type Seconds } from "../../../platform/kernel/time.ts";

/** An agent is a newcomer for a week, and until it was here on three days. */
const NEWCOMER_AGE_S = 7 * DAY_S;
const NEWCOMER_DAYS = 3;

/** When an agent stops being a newcomer; Infinity while it was present on too few days. */
export const newcomerUntil = ({
  created_at,
  days_present,
}: {
  readonly created_at: Seconds;
  readonly days_present: number | null;
}): Seconds =>
  (days_present ?? 0) < NEWCOMER_DAYS ? Number.POSITIVE_INFINITY : created_at + NEWCOMER_AGE_S;

/** Whether limits that protect against throw-away agents bind this one. */
export const isNewcomer = ({ newcomer_until }: Agent, now: Seconds): boolean =>
  newcomer_until === undefined || now < newcomer_until;
