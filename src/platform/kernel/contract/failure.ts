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
  accepts: z
    .array(z.string())
    .optional()
    .describe("With 422: the route's fields; a question mark follows an optional one."),
  allowed: z.array(z.string()).optional().describe("With 405: the methods of this path."),
  did_you_mean: z
    .array(
      z.object({
        method: z.string(),
        path: z.string(),
        fields: z
          .record(z.string(), z.union([z.string(), z.int()]))
          .optional()
          .describe("Fields that the asked path names, with their values."),
      }),
    )
    .optional()
    .describe(
      "With 404 and 405: the route that was probably meant, or two; fill in what stands in braces. Nothing was done.",
    ),
  docs: z.string().optional().describe("Where this code is explained: what to do, and when."),
  code: z.literal(1010).optional().describe("Only beside the error 1010 of the edge."),
  request_id: z.string().optional().describe("The same as X-Request-Id."),
});

/** The most that one answer says. */
export const HINTS_MAX = 8;

/** What a success says beside its result. */
export const hints = z
  .array(z.object({ field: z.string(), problem: z.string() }))
  .max(HINTS_MAX)
  .describe("What was ignored, or was probably meant otherwise; absent where there is nothing.");
