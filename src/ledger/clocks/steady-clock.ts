import type { Clock } from "../../context.ts";
import { DAY_S, MINUTE_S, type Seconds } from "../../kernel/time.ts";

/** A wall clock that is further ahead of the time that has passed has jumped. */
const CLOCK_JUMP_MIN_S = MINUTE_S;

/** A jump has so long to be taken back before it counts. */
const JUMP_PATIENCE_S = MINUTE_S;

/** A longer jump never counts by itself: what it would date could not be taken back. */
const JUMP_MAX_S = DAY_S;

/** A clock that somebody may set, and seconds that nobody can. */
export interface SystemClock extends Clock {
  /** Seconds since some moment, with their fraction; they pass at a steady rate. */
  monotonic_s(): number;
}

/** The system's clock without its jumps forward. */
export interface SteadyClock extends Clock {
  /** How far the system's clock is ahead of the time shown here; 0 while it is followed. */
  ahead_s(): Seconds;
  /** Whether that lasts until the operator accepts it: then nothing may be written. */
  isHeld(): boolean;
  /** The operator says that `at` was the right time a moment ago. */
  accept(at: Seconds): void;
}

/** Whether a time that was confirmed vouches for the time that the clock shows now. */
export const vouchesFor = (accepted_at: Seconds | null, shown: Seconds): boolean =>
  accepted_at !== null && shown >= accepted_at - CLOCK_JUMP_MIN_S && shown - accepted_at < DAY_S;

/**
 * Compares the clock with the seconds that have passed, whenever it is asked. When it is more than
 * 60 s ahead, the time goes on by the steady seconds for a minute. A jump that was taken back by then
 * leaves no trace. One of less than a day is followed then; a longer one is held until it is accepted.
 * A clock that falls back is followed at once, because the network's time never decreases anyhow.
 */
export function steadyClock({ now: wall, monotonic_s }: SystemClock): SteadyClock {
  /** The wall's time at the moment from which the steady seconds count; null before it was asked. */
  let base_s: number | null = null;
  /** Since when, in steady seconds, the clock has been ahead; null while it is followed. */
  let jumpedAt_s: number | null = null;
  let ahead_s: Seconds = 0;
  let accepted_at: Seconds | null = null;

  function follow(shown: Seconds, steady_s: number): Seconds {
    base_s = shown - steady_s;
    jumpedAt_s = null;
    ahead_s = 0;
    return shown;
  }

  const isOver = (at_s: number | null, steady_s: number): boolean =>
    at_s !== null && steady_s - at_s >= JUMP_PATIENCE_S;

  function now(): Seconds {
    const [shown, steady_s] = [wall(), monotonic_s()];
    if (base_s === null) return follow(shown, steady_s);
    const expected = Math.floor(base_s + steady_s);
    ahead_s = shown - expected;
    if (ahead_s <= CLOCK_JUMP_MIN_S || vouchesFor(accepted_at, shown)) {
      return follow(shown, steady_s);
    }
    jumpedAt_s ??= steady_s;
    if (isOver(jumpedAt_s, steady_s) && ahead_s < JUMP_MAX_S) return follow(shown, steady_s);
    return expected;
  }

  return {
    now,
    ahead_s: () => {
      now();
      return ahead_s;
    },
    isHeld: () => {
      now();
      return isOver(jumpedAt_s, monotonic_s());
    },
    accept: (at) => {
      accepted_at = at;
    },
  };
}
