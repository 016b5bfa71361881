import { clientRef } from "../text.ts";
import { unixSeconds } from "./ids.ts";

/**
 * What every write takes, so that a caller who lost an answer can look for its write and never makes two:
 * `client_ref` names it for `GET /me/writes`, and after `not_after` nothing is written any more.
 */
export const retryFields = {
  client_ref: clientRef.optional().describe("Your own mark."),
  not_after: unixSeconds()
    .optional()
    .describe("Unix seconds after which nothing is written: 409 too_late."),
};
