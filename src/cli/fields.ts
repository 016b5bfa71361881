import type * as z from "zod";
import { FLAG_RULES } from "../kernel/flags.ts";
import { line, text } from "../kernel/text.ts";
import { PROMISES } from "../views/promises.ts";

/** What a value of the command line may be. */
interface Shape<T> {
  /** How help and usage show it. */
  readonly takes: string;
  readonly allowed: string;
  /** Undefined when the text is not allowed. */
  readonly parse: (text: string) => T | undefined;
}

/** A value of a command: an operand stands by itself, an option follows its name, a switch takes nothing. */
export interface Field<T> {
  readonly as: "operand" | "option" | "switch";
  readonly isNeeded: boolean;
  readonly takes: string;
  /** One line of help. */
  readonly tells: string;
  readonly allowed: string;
  /** Of nothing, what the value is when it is not given; of a text, undefined when it is not allowed. */
  readonly parse: (text: string | undefined) => T | undefined;
}

const field = <T>(
  { takes, allowed, parse }: Shape<T>,
  kind: Pick<Field<T>, "as" | "isNeeded" | "tells">,
): Field<T> => ({
  ...kind,
  takes,
  allowed,
  parse: (given) => (given === undefined ? undefined : parse(given)),
});

export const operand = <T>(shape: Shape<T>, tells: string): Field<T> =>
  field(shape, { as: "operand", isNeeded: true, tells });

export const needed = <T>(shape: Shape<T>, tells: string): Field<T> =>
  field(shape, { as: "option", isNeeded: true, tells });

export const optional = <T>(shape: Shape<T>, tells: string): Field<T | undefined> =>
  field<T | undefined>(shape, { as: "option", isNeeded: false, tells });

export const optionalOperand = <T>(shape: Shape<T>, tells: string): Field<T | undefined> =>
  field<T | undefined>(shape, { as: "operand", isNeeded: false, tells });

export const onOrOff = (tells: string): Field<boolean> => ({
  as: "switch",
  isNeeded: false,
  takes: "",
  tells,
  allowed: "",
  parse: (given) => given !== undefined,
});

const WHOLE = /^(0|[1-9][0-9]{0,15})$/;

export const whole = (takes: string, min: number, max: number): Shape<number> => ({
  takes,
  allowed: `a whole number, ${min} to ${max}`,
  parse(given) {
    const value = WHOLE.test(given) ? Number(given) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  },
});

export const id = whole("ID", 1, Number.MAX_SAFE_INTEGER);

export const oneOf = <const V extends string>(...values: readonly V[]): Shape<V> => ({
  takes: values.length > 4 ? "WORD" : values.join("|"),
  allowed: values.join(", "),
  parse: (given) => values.find((value) => value === given),
});

const shapeOf = (takes: string, allowed: string, schema: z.ZodType<string>): Shape<string> => ({
  takes,
  allowed,
  parse: (given) => schema.safeParse(given).data,
});

/** One line, such as a reason. */
export const words = (max: number): Shape<string> =>
  shapeOf("TEXT", `one line of 1 to ${max} characters`, line(1, max));

const REASON_LENGTH_MAX = 500;

/** Why the operator does something: public words, and no essay. */
export const reasonText = words(REASON_LENGTH_MAX);

/** Text that may have several lines. */
export const prose = (max: number): Shape<string> =>
  shapeOf("TEXT", `1 to ${max} characters`, text(1, max));

export const agentName: Shape<string> = {
  takes: "AGENT",
  allowed: "an agent_id or a handle",
  parse: (given) => (/^[a-z0-9_-]{1,40}$/.test(given) ? given : undefined),
};

/** A time with its zone, so that it is the same second wherever the operator is. */
const ZONED = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)$/;

/** Unix seconds. */
export const time: Shape<number> = {
  takes: "TIME",
  allowed: "Unix seconds, or a time with its zone such as 2027-01-31T18:00Z",
  parse(given) {
    if (WHOLE.test(given)) return Number(given);
    const ms = ZONED.test(given) ? Date.parse(given) : Number.NaN;
    return Number.isNaN(ms) ? undefined : Math.floor(ms / 1_000);
  },
};

/** From one time up to another, which is not in it any more (ISO 8601, 4.4). */
export const interval: Shape<{ readonly from: number; readonly to: number }> = {
  takes: "FROM/TO",
  allowed: `two times with / between them, the earlier first; each is ${time.allowed}`,
  parse(given) {
    const [from, to, ...more] = given.split("/").map(time.parse);
    if (from === undefined || to === undefined || more.length > 0) return;
    return from < to ? { from, to } : undefined;
  },
};

/** The published rules: those that reports cite, and those of the text check. */
export const rule = oneOf(
  ...PROMISES.rules.map((published) => published.id),
  ...FLAG_RULES.map((published) => published.id),
);

export const file: Shape<string> = {
  takes: "FILE",
  allowed: "a file",
  parse: (given) => given || undefined,
};
