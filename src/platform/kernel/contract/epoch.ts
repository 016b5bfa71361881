import * as z from "zod";
import { integer } from "./ids.ts";

const EPOCH_MAX = 999_999_999;

/** The epoch in which a reader was given its position. */
export const readEpoch = integer(1, EPOCH_MAX)
  .optional()
  .describe("Epoch of the answer with this after_id.");

/** The epoch of an answer. */
export const answeredEpoch = z
  .int()
  .describe("1, and more after a restored backup. Keep it beside after_id, and send both back.");
