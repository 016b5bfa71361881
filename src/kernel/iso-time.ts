import type { Seconds } from "./time.ts";

/** `2027-01-31T18:00:00Z` (RFC 3339). */
export const isoOf = (time: Seconds): string =>
  new Date(time * 1_000).toISOString().slice(0, 19).concat("Z");

/** The seconds of a time in the form of RFC 3339; NaN when there is no such time. */
export const secondsOf = (text: string): Seconds => Math.floor(Date.parse(text) / 1_000);
