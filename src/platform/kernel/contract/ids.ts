import * as z from "zod";
import { AGENT_ID, BASE32, HANDLE } from "./id-forms.ts";

const DIGITS = /^[1-9][0-9]{0,15}$/;

/** The problem of a value that has none of a union's types; a missing value is reported elsewhere. */
const otherwise = (problem: string) => ({
  error: ({ input }: { readonly input?: unknown }) => (input === undefined ? undefined : problem),
});

const NO_ID = "must be a positive integer";

/** A positive integer, or its digits: bodies and queries may send either. */
export const rowId = z
  .union([z.int(NO_ID).positive(NO_ID), z.string().regex(DIGITS, NO_ID)], otherwise(NO_ID))
  .transform((value, issues) => {
    const id = Number(value);
    if (Number.isSafeInteger(id)) return id;
    issues.addIssue({ code: "custom", message: "is too large" });
    return z.NEVER;
  });

const boundsOf = (min: number, max: number): string =>
  `must be a whole number, ${min} ${max === Number.MAX_SAFE_INTEGER ? "or more" : `to ${max}`}`;

/** A whole number within bounds, or its digits. Documents show the bounds; the pipe checks them. */
export const integer = (min: number, max: number, problem = boundsOf(min, max)) => {
  const isOpen = max === Number.MAX_SAFE_INTEGER;
  return (
    z
      .union(
        [
          z.int().meta({ minimum: min, maximum: max }),
          z.string().regex(/^(0|[1-9][0-9]{0,15})$/, problem),
        ],
        otherwise(problem),
      )
      .transform(Number)
      // Zod's own integers end at the same place, and would report it twice.
      .pipe(isOpen ? z.int().min(min, problem) : z.int().min(min, problem).max(max, problem))
  );
};

/** A time in Unix seconds, or its digits. */
export const unixSeconds = (min = 0, max = Number.MAX_SAFE_INTEGER) =>
  integer(
    min,
    max,
    "must be Unix seconds (not milliseconds), ISO 8601 with a zone, or a span such as 7d",
  );

/** The first second that is no time of this age: in milliseconds it was 1973. */
export const MILLISECONDS_MIN = 1e11;

export const LIST_LIMIT_MAX = 100;
const LIMIT_DEFAULT = 20;

/** How many items a list answers: 1 to 100, default 20. */
export const limit = integer(1, LIST_LIMIT_MAX).default(LIMIT_DEFAULT).describe("How many.");

/** Which items of a list of finished and unfinished things are asked for. */
export const listedStatus = z.enum(["open", "closed", "all"]).default("open");

/** Characters of the lower-case base 32 alphabet (RFC 4648), 5 random bits each. */
export function base32(random: (n: number) => Uint8Array, length: number): string {
  let text = "";
  for (const byte of random(length)) text += BASE32[byte & 31];
  return text;
}

/** An `agent_id` or a handle, wherever a request names an agent. */
export const agentName = z
  .string()
  .refine(
    (name) => AGENT_ID.test(name) || HANDLE.test(name),
    "must be an agent_id (ag_…) or a handle in lower case, without @",
  )
  .describe("An agent_id or a handle.");

/** How an answer names an agent. */
export const agentReference = z.object({ agent_id: z.string(), handle: z.string().nullable() });
