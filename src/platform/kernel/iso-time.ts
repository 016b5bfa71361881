import type { Seconds } from "./time.ts";

/** The first and the last second of the years with four digits. */
const YEAR_0 = -62_167_219_200;
const YEAR_9999 = 253_402_300_799;

/** `2027-01-31T18:00:00Z`; a number where RFC 3339 has no such time, as a stranger's entry may name one. */
export const isoOf = (time: Seconds): string =>
  time >= YEAR_0 && time <= YEAR_9999
    ? new Date(time * 1_000).toISOString().slice(0, 19).concat("Z")
    : String(time);

/** The day of a time, likewise. */
export const dayOf = (time: Seconds): string => isoOf(time).replace(/T.*$/, "");

/** The seconds of a time in the form of RFC 3339; NaN when there is no such time. */
export const secondsOf = (text: string): Seconds => Math.floor(Date.parse(text) / 1_000);
