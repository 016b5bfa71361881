import * as z from "zod";
import { secondsOf } from "../../platform/kernel/iso-time.ts";
import { HEX_32_BYTES, isPublicKey } from "../../platform/kernel/proof/signature.ts";
import { line, text } from "../../platform/kernel/text.ts";
import { REASON_LENGTH_MAX } from "../market/rules.ts";

/**
 * A value of the command line. `takes` is how usage shows it, `allowed` completes the sentence that
 * refuses it, and `parse` gives undefined for a text that is not allowed.
 */
export const value = <T>(takes: string, allowed: string, parse: (text: string) => T | undefined) =>
  z
    .string()
    .transform((given, { issues }) => {
      const parsed = parse(given);
      if (parsed !== undefined) return parsed;
      issues.push({ code: "custom", input: given, message: allowed });
      return z.NEVER;
    })
    .meta({ takes });

/** A switch is off unless it is given. */
export const onOrOff = z.boolean().default(false);

const WHOLE = /^(0|[1-9][0-9]{0,15})$/;

export const whole = (takes: string, min: number, max: number) =>
  value(takes, `a whole number, ${min} to ${max}`, (given) => {
    const number = WHOLE.test(given) ? Number(given) : Number.NaN;
    return number >= min && number <= max ? number : undefined;
  });

export const id = whole("ID", 1, Number.MAX_SAFE_INTEGER);

export const oneOf = <const V extends string>(...words: readonly V[]) =>
  z
    .enum(words, { error: words.join(", ") })
    .meta({ takes: words.length > 4 ? "WORD" : words.join("|") });

const textOf = (takes: string, allowed: string, schema: z.ZodType<string>) =>
  value(takes, allowed, (given) => schema.safeParse(given).data);

/** One line, such as a title. */
export const words = (max: number) =>
  textOf("TEXT", `one line of 1 to ${max} characters`, line(1, max));

/** Why the operator does something: public words, and no essay. */
export const reasonText = words(REASON_LENGTH_MAX);

/** Text that may have several lines. */
export const prose = (max: number) => textOf("TEXT", `1 to ${max} characters`, text(1, max));

export const agentName = value("AGENT", "an agent_id or a handle", (given) =>
  /^[a-z0-9_-]{1,40}$/.test(given) ? given : undefined,
);

/** A time with its zone, so that it is the same second wherever the operator is. */
const ZONED = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/;

const TIME = "Unix seconds, or a time with its zone such as 2027-01-31T18:00Z";

function parseTime(given: string): number | undefined {
  if (WHOLE.test(given)) return Number(given);
  const at = ZONED.test(given) ? secondsOf(given) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** Unix seconds. */
export const time = value("TIME", TIME, parseTime);

/** From one time up to another, which is not in it any more (ISO 8601, 4.4). */
export const interval = value(
  "FROM/TO",
  `two times with / between them, the earlier first; each is ${TIME}`,
  (given) => {
    const [from, to, ...more] = given.split("/").map(parseTime);
    if (from === undefined || to === undefined || more.length > 0) return;
    return from < to ? { from, to } : undefined;
  },
);

export const sha256Name = value("SHA256", "64 of 0-9 and a-f", (given) =>
  /^[0-9a-f]{64}$/.test(given) ? given : undefined,
);

export const file = value("FILE", "a file", (given) => given || undefined);

/** The public key of an operator, to be pinned. */
export const publicKey = value(
  "HEX",
  "64 lower-case hex characters, and no key of low order, for which anybody can sign",
  (given) => (HEX_32_BYTES.test(given) && isPublicKey(given) ? given : undefined),
);
