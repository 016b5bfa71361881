import * as z from "zod";
import { isoOf } from "../iso-time.ts";
import { clientRef } from "../text.ts";
import { MINUTE_S, type Seconds } from "../time.ts";
import type { Problem } from "./errors.ts";
import { integer, MILLISECONDS_MIN, unixSeconds } from "./ids.ts";

/** For so many days the same write with the same `client_ref` is answered as the first one was. */
export const REPEATED_DAYS = 30;

/** The sentences about it. */
export const REPEATING = `The same write with the same client_ref is made once in ${REPEATED_DAYS} days: a repetition is answered with 200, repeated: true and the first one's id. Without a client_ref it is a second write.`;

export const isRepeated = z
  .boolean()
  .describe("The same was written before with this client_ref; nothing was written again.");

/** What a write with `dry_run` would have made public. */
export const triedEntries = z
  .array(z.object({ kind: z.string(), body: z.record(z.string(), z.unknown()) }))
  .describe("With dry_run: the entries that would be public, with the texts that were sent.");

/**
 * What every write takes, so that a caller who lost an answer never makes two: the same write with the same
 * `client_ref` is made once and found with `GET /me/writes`, and after `not_after` nothing is written any more.
 * `dry_run` checks it all and stores nothing.
 */
export const retryFields = {
  client_ref: clientRef.optional().describe("Same mark: made once."),
  not_after: unixSeconds(0, MILLISECONDS_MIN - 1)
    .optional()
    .describe("Unix seconds after which nothing is written: 409 too_late."),
  dry_run: integer(0, 1, "must be 0 or 1, false or true").optional().describe("Stores nothing."),
};

/** A write of money that says the same as one of the last ten minutes, without a mark, may be a retry by mistake. */
export const TWIN_WITHIN_S = 10 * MINUTE_S;
/** So many of an agent's newest are compared with it. */
export const TWINS_LOOKED_AT = 20;

/** What its answer says then. */
export const twinHint = (what: string, at: Seconds): Problem => ({
  field: "client_ref",
  problem: `${what} of ${isoOf(at)} says the same, and this is a second one; with a client_ref a retry is made once`,
});
