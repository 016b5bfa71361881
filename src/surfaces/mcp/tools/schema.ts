import * as z from "zod";
import { printDefault } from "../../../kernel/contract/printed-default.ts";

type Schema = z.core.JSONSchema.BaseSchema;

/** An input as hosts see it. */
export type InputSchema = Readonly<Record<string, unknown>> & { readonly type: "object" };

/** `full` takes all that REST takes. `simple` has one type for each field, for hosts that understand no alternatives. */
export const SCHEMA_FORMS = ["full", "simple"] as const;
export type SchemaForm = (typeof SCHEMA_FORMS)[number];

/**
 * What hosts of all models understand: Gemini refuses every tool for one other keyword, such as
 * `exclusiveMinimum`.
 */
const KEYWORDS = [
  "type",
  "anyOf",
  "description",
  "enum",
  "properties",
  "required",
  "items",
  "default",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "pattern",
] as const;

/** The wire form of an input, in those keywords alone, without fields that models have no use for. */
export function inputSchemaOf(
  input: z.ZodObject,
  form: SchemaForm,
  unshown: readonly string[] = [],
): InputSchema {
  const { properties = {}, ...printed } = z.toJSONSchema(input, {
    io: "input",
    override: printDefault,
  });
  const shown = Object.entries(properties).filter(([name]) => !unshown.includes(name));
  return {
    ...folded({ ...printed, properties: Object.fromEntries(shown) }, form),
    type: "object",
    additionalProperties: false,
  };
}

function folded(schema: Schema, form: SchemaForm): Record<string, unknown> {
  const one = form === "simple" ? simplest(answered(merged(schema))) : answered(merged(schema));
  const { properties, items, minimum, maximum, minLength } = one;
  const open = {
    ...(isUsual(minimum) && { minimum: undefined }),
    ...(isUsual(minLength) && { minLength: undefined }),
    ...(maximum === Number.MAX_SAFE_INTEGER && { maximum: undefined }),
  };
  const members = properties && {
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, fieldIn(name, field, form)]),
    ),
  };
  const list = items !== undefined &&
    !Array.isArray(items) && { items: folded(schemaIn(items), form) };
  const types = Array.isArray(one.type) && {
    type: undefined,
    anyOf: one.type.map((type) => ({ type })),
  };
  const all: Record<string, unknown> = { ...one, ...open, ...types, ...members, ...list };
  return Object.fromEntries(
    KEYWORDS.flatMap((keyword) => (all[keyword] === undefined ? [] : [[keyword, all[keyword]]])),
  );
}

/** No bound, or one that nobody meets by chance: to print it hundreds of times costs attention. */
const isUsual = (least: number | undefined): boolean => least !== undefined && least <= 1;

/** Clients send a cursor back unchanged, so its form is not shown. */
function fieldIn(name: string, field: Schema | boolean, form: SchemaForm): object {
  const { pattern, ...shown } = folded(schemaIn(field), form);
  return name === "cursor" || pattern === undefined ? shown : { ...shown, pattern };
}

const schemaIn = (value: Schema | boolean): Schema => (typeof value === "object" ? value : {});

/**
 * A union as a list of types. The bounds of each alternative go: in a list they would seem to be about
 * all. The digits that a query sends for a number are left out.
 */
function merged({ anyOf, ...schema }: Schema): Schema {
  if (anyOf === undefined) return schema;
  const [first = {}, ...others] = anyOf.map(schemaIn);
  if (first.type === "integer") return { ...schema, ...first };
  const types = [first, ...others].flatMap(({ type = [] }) => type);
  return { ...schema, type: types };
}

/** A number that is 0 or 1 is a yes or no, which is taken as one (`booleans`). One with a default was released as a number. */
function answered(schema: Schema): Schema {
  if (schema.type !== "integer" || schema.maximum !== 1 || schema.default !== undefined)
    return schema;
  const { minimum: _, maximum: __, ...rest } = schema;
  return { ...rest, type: "boolean" };
}

/** One type: a text where several are taken, and where any is. */
function simplest(schema: Schema): Schema {
  const { type, minimum, maximum, exclusiveMinimum, ...rest } = schema;
  if (type === undefined || Array.isArray(type)) return { ...rest, type: "string" };
  const above = type === "integer" && typeof exclusiveMinimum === "number";
  const least = above ? exclusiveMinimum + 1 : minimum;
  return {
    ...rest,
    type,
    ...(least !== undefined && { minimum: least }),
    ...(maximum !== undefined && { maximum }),
  };
}
