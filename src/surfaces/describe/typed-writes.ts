import * as z from "zod";
import { actInput } from "../../platform/kernel/contract/act-input.ts";
import { fieldsOf } from "../../platform/kernel/contract/fields.ts";
import type { Operation } from "../../platform/kernel/contract/operation.ts";
import { printDefault } from "../../platform/kernel/contract/printed-default.ts";
import { retryFields } from "../../platform/kernel/contract/retry-fields.ts";

type Schema = z.core.JSONSchema.BaseSchema;

/** A write as a model fills it in: each field in one line, and a body that works as it stands. */
export const typedWrite = z.object({
  method: z.literal("POST"),
  path: z.string(),
  summary: z.string(),
  token: z.boolean().describe("Whether it needs one."),
  fields: z
    .record(z.string(), z.string())
    .describe("Type and bounds of each; a question mark follows an optional one."),
  example: z.record(z.string(), z.unknown()).nullable().describe("A body that works."),
});

/** Fields of every write, and those that only an agent with a key of its own sends. */
const SAID_ONCE: ReadonlySet<string> = new Set([
  ...Object.keys(retryFields),
  ...Object.keys(actInput),
]);
const OF_KEYS = /_salt$/;

/** Those fields, in one line. */
export const OF_EVERY_WRITE =
  "Every write takes client_ref? (text: the same write with it is made once), dry_run? (true or false: checks, and stores nothing) and not_after? (Unix seconds). Only an agent that has set an act key sends act, act_signature and salts.";

const isList = (schema: Schema | boolean | undefined): schema is Schema =>
  typeof schema === "object";

const between = (min: number | undefined, max: number | undefined, unit: string): string => {
  const isOpen = max === undefined || max >= Number.MAX_SAFE_INTEGER;
  if (isOpen) return min === undefined || min <= 1 ? "" : `, ${min} or more${unit}`;
  return `, ${min ?? 0} to ${max}${unit}`;
};

/** The type of a field and its bounds: `text, 1 to 8000 characters`. */
function typeOf(schema: Schema): string {
  const { anyOf, enum: values, type, items, properties, required = [] } = schema;
  if (values !== undefined) return values.map((each) => JSON.stringify(each)).join(" or ");
  if (anyOf !== undefined) return ofSeveral(anyOf.filter(isList));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (type === "array") {
    const each = typeof items === "object" && !Array.isArray(items) ? typeOf(items) : "any value";
    return `list of ${each}${between(schema.minItems, schema.maxItems, " items")}`;
  }
  if (type === "object" && properties !== undefined) {
    const all = Object.entries(properties).map(([name, each]) => {
      const mark = required.includes(name) ? "" : "?";
      return `${name}${mark}: ${isList(each) ? typeOf(each) : "any value"}`;
    });
    return `{${all.join(", ")}}`;
  }
  if (type === "string")
    return "x-max-bytes" in schema
      ? `text, at most ${String(schema["x-max-bytes"])} bytes`
      : `text${between(schema.minLength, schema.maxLength, " characters")}`;
  if (type === "integer" || type === "number") return numberOf(schema);
  return "any JSON value";
}

const numberOf = ({ type, minimum, maximum, exclusiveMinimum }: Schema): string =>
  minimum === 0 && maximum === 1 && type === "integer"
    ? "true or false"
    : `${type}${between(minimum ?? Number(exclusiveMinimum ?? 0), maximum, "")}`;

/** A number may also be sent as its digits, which needs no saying. */
function ofSeveral(all: readonly Schema[]): string {
  const number = all.find(({ type }) => type === "integer" || type === "number");
  return number === undefined ? all.map(typeOf).join(" or ") : numberOf(number);
}

function lineOf(schema: Schema): string {
  const { description, default: usual } = schema;
  const otherwise = usual === undefined ? "" : `, else ${JSON.stringify(usual)}`;
  return `${typeOf(schema)}${otherwise}.${description === undefined ? "" : ` ${description}`}`;
}

/** One write with its types; its path as callers send it. */
export function typedWriteOf(operation: Operation, path: string): z.output<typeof typedWrite> {
  const { properties = {} } = z.toJSONSchema(operation.input, {
    io: "input",
    override: printDefault,
  });
  const lines = fieldsOf(operation).flatMap(([name, optional]) => {
    const printed = properties[name];
    if (SAID_ONCE.has(name) || OF_KEYS.test(name) || !isList(printed)) return [];
    return [[optional ? `${name}?` : name, lineOf(printed)] as const];
  });
  return {
    method: "POST",
    path,
    summary: operation.summary,
    token: operation.auth === "required",
    fields: Object.fromEntries(lines),
    example: operation.example ?? null,
  };
}
