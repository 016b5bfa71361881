import type { Clock } from "../../context.ts";
import { DAY_S, HOUR_S, MINUTE_S, type Seconds } from "../../kernel/time.ts";

/** A wall clock that is further ahead of the time that has passed has jumped. */
const CLOCK_JUMP_MIN_S = MINUTE_S;

/** A jump has so long to be taken back before it counts. */
const JUMP_PATIENCE_S = MINUTE_S;

/** Seconds are whole, so a clock that was read twice may differ by one. */
const ROUNDING_S = 1;

/**
 * The bucket of forward time that no passing second explains: corrections of a clock, and pauses of a virtual
 * machine. It holds 2 hours and gets 2 hours a day.
 */
export const UNEXPLAINED_MAX_S = 2 * HOUR_S;

/** After a boot that this ledger has not seen, its clock ends nothing for so long: somebody may set it right. */
export const NEW_BOOT_S = 10 * MINUTE_S;

/** A clock that somebody may set, and seconds that nobody can. */
export interface SystemClock extends Clock {
  /** Seconds since the machine has booted, those of its sleep included, with their fraction. */
  monotonic_s(): number;
}

/** A clock's reading while a machine runs, so that a restart of the program explains no jump. */
export interface ClockRecord {
  /** The time shown when the machine booted, milliseconds since 1970. */
  readonly offset_ms: number;
  /** What the bucket held, in whole seconds, and how long after the boot. */
  readonly room_s: number;
  readonly room_at_s: number;
}

/** The system's clock without its jumps forward. */
export interface SteadyClock extends Clock {
  /** How far the system's clock is ahead of the time shown here; 0 while it is followed. */
  ahead_s(): Seconds;
  /** Whether that lasts until the operator accepts it: then nothing may be written. */
  isHeld(): boolean;
  /** How far the clock was from the recorded time when that was recalled; 0 without a record, or accepted. */
  apart_s(): Seconds;
  /** Whether this boot has no record, and began less than 10 minutes ago. */
  isNewBoot(): boolean;
  /** The operator says that `at` was the right time a moment ago. */
  accept(at: Seconds): void;
  /** To be kept for the next start on this boot. */
  record(): ClockRecord;
  /** Goes on from what was recorded on this boot; null: the ledger has seen no such boot. */
  recall(known: ClockRecord | null): void;
}

/** Whether a time that was confirmed vouches for the time that the clock shows now. */
export const vouchesFor = (accepted_at: Seconds | null, shown: Seconds): boolean =>
  accepted_at !== null && shown >= accepted_at - CLOCK_JUMP_MIN_S && shown - accepted_at < DAY_S;

/**
 * Compares the clock with the seconds that have passed, whenever it is asked. Forward time that they do not
 * explain is taken from the bucket, whatever its size, so many small jumps are one large one. A jump of more than
 * 60 s has a minute to be taken back, in which the time goes on by the steady seconds. One that the bucket
 * does not hold is not followed until it is accepted. A clock that falls back is followed at once, because the
 * network's time never decreases anyhow.
 */
export function steadyClock({ now: wall, monotonic_s }: SystemClock): SteadyClock {
  const began_s = monotonic_s();
  /** The wall's time at the moment from which the steady seconds count; null before it was asked. */
  let base_s: number | null = null;
  let room = { room_s: UNEXPLAINED_MAX_S, room_at_s: began_s };
  let isUnseen = false;
  let apart_s: Seconds = 0;
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

  /** What the bucket holds after so many steady seconds. */
  const roomAt = (steady_s: number): number => {
    const refilled_s = Math.max(0, steady_s - room.room_at_s) * (UNEXPLAINED_MAX_S / DAY_S);
    return Math.min(UNEXPLAINED_MAX_S, room.room_s + refilled_s);
  };

  function draw(seconds: number, steady_s: number): void {
    room = { room_s: Math.floor(roomAt(steady_s) - seconds), room_at_s: steady_s };
  }

  const isOver = (at_s: number | null, steady_s: number): boolean =>
    at_s !== null && steady_s - at_s >= JUMP_PATIENCE_S;

  function now(): Seconds {
    const shown = wall();
    const steady_s = monotonic_s();
    if (base_s === null) return follow(shown, steady_s);
    const expected = Math.floor(base_s + steady_s);
    ahead_s = shown - expected;
    if (ahead_s < -ROUNDING_S || vouchesFor(accepted_at, shown)) return follow(shown, steady_s);
    if (ahead_s <= ROUNDING_S) {
      jumpedAt_s = null;
      ahead_s = 0;
      return shown;
    }
    const isJump = ahead_s > CLOCK_JUMP_MIN_S;
    jumpedAt_s = isJump ? (jumpedAt_s ?? steady_s) : null;
    if (isJump && !isOver(jumpedAt_s, steady_s)) return expected;
    if (roomAt(steady_s) < ahead_s) return expected;
    draw(ahead_s, steady_s);
    return follow(shown, steady_s);
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
    apart_s: () => (vouchesFor(accepted_at, wall()) ? 0 : apart_s),
    isNewBoot: () => isUnseen && monotonic_s() - began_s < NEW_BOOT_S,
    accept: (at) => {
      accepted_at = at;
    },
    recall(known) {
      isUnseen = known === null;
      if (known === null) return;
      room = known;
      base_s = known.offset_ms / 1_000;
      apart_s = wall() - Math.floor(base_s + monotonic_s());
    },
    record() {
      now();
      const offset_ms = Math.round((base_s ?? 0) * 1_000);
      return { offset_ms, room_s: room.room_s, room_at_s: Math.floor(room.room_at_s) };
    },
  };
}
