import type { Clock, EndingClock } from "../../context.ts";
import { Rejection } from "../../kernel/contract/errors.ts";
import { DAY_S, days, MINUTE_S, type Seconds } from "../../kernel/time.ts";
import { vouchesFor } from "./steady-clock.ts";

/** A clock this far beyond the last entry is taken for a broken one. */
export const CLOCK_LEAP_MAX_S = days(400);

/** A clock that is further behind the last entry is warned of, and is a fault: the network's time stands still. */
export const CLOCK_BEHIND_WARN_S = 2;
export const CLOCK_BEHIND_FAULT_S = MINUTE_S;

/** The network's clock; the ledger reports the times of its entries to it. */
export interface NetworkClock extends EndingClock {
  /** The last entry's time: from here on the clock does not show less. */
  observe(last_at: Seconds): void;
  /** Whether the clock shows a time that, once recorded, could never be taken back. */
  leaps(): boolean;
  /** How many days the clock is beyond the last entry; that is a fault only while it leaps. */
  beyond_days(): number;
  /** The operator says that `at` was the right time a moment ago, however long the ledger slept. */
  accept(at: Seconds): void;
  /** Rejects with 503 `storage_unavailable` while it leaps. */
  refuseLeap(): void;
  /** How often the system's clock fell behind the last entry. */
  clamps(): number;
  /** How far it is behind now. */
  behind_s(): Seconds;
}

/**
 * `now = max(clock, last_at)`, so a clock that falls back un-matures nothing. With `leap` accepted
 * the operator has said that the system's clock is right, however long the ledger slept.
 */
export function networkClock(
  system: Clock,
  leap: "accepted" | "refused",
  mayEnd = () => true,
): NetworkClock {
  let last_at: Seconds = 0;
  let clamps = 0;
  let isBehind = false;
  let accepted_at: Seconds | null = null;

  function now(): Seconds {
    const shown = system.now();
    if (shown < last_at && !isBehind) clamps++;
    isBehind = shown < last_at;
    return isBehind ? last_at : shown;
  }

  function leaps(): boolean {
    if (leap === "accepted" || last_at === 0) return false;
    const shown = now();
    return shown - last_at > CLOCK_LEAP_MAX_S && !vouchesFor(accepted_at, shown);
  }

  return {
    now,
    mayEnd,
    leaps,
    beyond_days: () => Math.floor((now() - last_at) / DAY_S),
    accept: (at) => {
      accepted_at = at;
    },
    observe: (at) => {
      last_at = Math.max(last_at, at);
    },
    refuseLeap() {
      if (!leaps()) return;
      throw new Rejection(
        "storage_unavailable",
        "The server's clock is over 400 days beyond the last entry; its operator has to confirm it.",
      );
    },
    clamps: () => clamps,
    behind_s: () => Math.max(0, last_at - system.now()),
  };
}
