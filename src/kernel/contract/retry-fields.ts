import { clientRef } from "../text.ts";
import { integer, MILLISECONDS_MIN } from "./ids.ts";

/**
 * What every write takes, so that a caller who lost an answer can look for its write and never makes two:
 * `client_ref` names it for `GET /me/writes`, and after `not_after` nothing is written any more.
 */
export const retryFields = {
  client_ref: clientRef.optional().describe("Your own mark."),
  not_after: integer(
    0,
    MILLISECONDS_MIN - 1,
    "must be Unix seconds: a whole number, no milliseconds, and no date as text",
  )
    .optional()
    .describe("Unix seconds after which nothing is written: 409 too_late."),
};
