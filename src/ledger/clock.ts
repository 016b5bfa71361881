import type { Clock } from "../context.ts";
import { reject } from "../kernel/errors.ts";
import { days, type Seconds } from "../kernel/time.ts";

/** A clock this far beyond the last entry is taken for a broken one. */
export const CLOCK_LEAP_MAX_S = days(400);

/** The network's clock, and what the ledger tells it. */
export interface NetworkClock extends Clock {
  /** The last entry's time: from here on the clock does not show less. */
  observe(last_at: Seconds): void;
  /** Whether the clock shows a time that, once recorded, could never be taken back. */
  leaps(): boolean;
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
export function networkClock(system: Clock, leap: "accepted" | "refused"): NetworkClock {
  let last_at: Seconds = 0;
  let clamps = 0;
  let isBehind = false;

  function now(): Seconds {
    const shown = system.now();
    if (shown < last_at && !isBehind) clamps++;
    isBehind = shown < last_at;
    return isBehind ? last_at : shown;
  }

  const leaps = (): boolean =>
    leap === "refused" && last_at > 0 && now() - last_at > CLOCK_LEAP_MAX_S;

  return {
    now,
    leaps,
    observe: (at) => {
      last_at = Math.max(last_at, at);
    },
    refuseLeap() {
      if (!leaps()) return;
      reject(
        "storage_unavailable",
        "The server's clock is over 400 days beyond the last entry; its operator has to confirm it.",
      );
    },
    clamps: () => clamps,
    behind_s: () => Math.max(0, last_at - system.now()),
  };
}
