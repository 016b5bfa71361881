import * as z from "zod";

/** The body of every answer that is not a success (spec: Errors, row 1). */
export const failure = z.object({
  ok: z.literal(false),
  error: z.string().describe("A stable code; released codes never change."),
  message: z.string().describe("One sentence that says what to do next."),
  details: z
    .array(z.object({ field: z.string(), problem: z.string() }))
    .optional()
    .describe("Each fault of the input, or each value that the error carries."),
  code: z.literal(1010).optional().describe("Only beside the error 1010 of the edge."),
  request_id: z.string().optional().describe("The same as X-Request-Id."),
});
