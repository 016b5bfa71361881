import type { Seconds } from "../kernel/time.ts";

/**
 * The version of the rules that this program keeps, as `genesis` and `rules_adopted` seal it. A number that was
 * released never gets another meaning.
 */
export const RULES = 1;

/** An entry gets its place within this time after it was made, unless the service was down. */
export const PLACED_WITHIN_S: Seconds = 300;
