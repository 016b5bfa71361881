import * as z from "zod";
import { ERROR_CODES, ERRORS, type Wording } from "../../platform/kernel/contract/errors.ts";

export const explainedError = z.object({
  code: z.string(),
  status: z.int(),
  meaning: z.string(),
  remedy: z.string(),
  retry_helps: z.boolean().describe("Whether the same request may work later, unchanged."),
});

/** Every code, in the order of its status. */
export const explainedErrors = (wording: Wording): z.output<typeof explainedError>[] =>
  ERROR_CODES.map((code) => {
    const { status, meaning, remedy, retry_helps = false } = ERRORS[code];
    return { code, status, meaning, remedy: wording(remedy), retry_helps };
  }).sort((a, b) => a.status - b.status);
