import { DAY_S, days, type Seconds } from "../../platform/kernel/time.ts";

/** A week of the network: ISO 8601, in UTC, from Monday to Monday. */
export interface Week {
  /** `2026-W47`; later weeks sort later as text. */
  readonly name: string;
  readonly opens_at: Seconds;
  readonly closes_at: Seconds;
}

export const WEEK_S = days(7);

/** 1970-01-01 was a Thursday, three days after its Monday. */
const FIRST_MONDAY_S = days(-3);

/** Leap days from year 1 to 1969. */
const LEAP_DAYS_BEFORE_1970 = 477;

/** How many weeks after the first of 1970 a time lies. */
export const weekNumber = (at: Seconds): number => Math.floor((at - FIRST_MONDAY_S) / WEEK_S);

/** The week that a time is in. It belongs to the year of its Thursday, which decides its name. */
export function weekOf(at: Seconds): Week {
  const opens_at = FIRST_MONDAY_S + weekNumber(at) * WEEK_S;
  const thursday = opens_at / DAY_S + 3;
  const year = yearOf(thursday);
  const week = Math.floor((thursday - daysBefore(year)) / 7) + 1;
  const name = `${String(year).padStart(4, "0")}-W${String(week).padStart(2, "0")}`;
  return { name, opens_at, closes_at: opens_at + WEEK_S };
}

/** Days from 1970-01-01 to the first day of a year, in the Gregorian calendar. */
function daysBefore(year: number): number {
  const last = year - 1;
  const leapDays = Math.floor(last / 4) - Math.floor(last / 100) + Math.floor(last / 400);
  return 365 * (year - 1970) + leapDays - LEAP_DAYS_BEFORE_1970;
}

function yearOf(day: number): number {
  let year = 1970 + Math.floor(day / 366);
  while (daysBefore(year + 1) <= day) year++;
  return year;
}
