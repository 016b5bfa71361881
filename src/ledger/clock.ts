import type { Clock } from "../context.ts";
import { Rejection } from "../kernel/errors.ts";
import { days, type Seconds } from "../kernel/time.ts";

/** A clock this far beyond the last entry is taken for a broken one (ledger-and-seal: sequencing). */
export const CLOCK_LEAP_MAX_S = days(400);

/** The network's clock, and what the ledger tells it. */
export interface NetworkClock extends Clock {
  /** The last entry's time: from here on the clock does not show less. */
  observe(last_at: Seconds): void;
  /** How often the system's clock was behind the last entry. */
  clamps(): number;
  /** How far it was behind when it was last asked, in seconds. */
  behind_s(): number;
}

/** `now = max(clock, last_at)`, so a clock that falls back un-matures nothing. */
export function networkClock(system: Clock): NetworkClock {
  let last_at = 0;
  let clamps = 0;
  let behind_s = 0;
  return {
    now() {
      const now = system.now();
      behind_s = Math.max(0, last_at - now);
      if (behind_s > 0) clamps++;
      return now + behind_s;
    },
    observe: (at) => {
      last_at = Math.max(last_at, at);
    },
    clamps: () => clamps,
    behind_s: () => behind_s,
  };
}

/** Refuses to give times that could never be taken back. */
export function refuseLeap(now: Seconds, last_at: Seconds): void {
  if (last_at === 0 || now - last_at <= CLOCK_LEAP_MAX_S) return;
  throw new Rejection(
    "storage_unavailable",
    "The server's clock is more than 400 days beyond the last entry; the operator has to confirm it.",
  );
}
