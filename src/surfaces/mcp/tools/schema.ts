import type * as z from "zod";
import { printedInput } from "../../../platform/kernel/contract/printed-default.ts";

type Schema = z.core.JSONSchema.BaseSchema;

/** An input as hosts see it. */
export type InputSchema = Readonly<Record<string, unknown>> & { readonly type: "object" };

/**
 * `full` takes all that REST takes, and null for what may be left out. `simple` has one type for each field, for hosts
 * that understand no alternatives.
 */
export const SCHEMA_FORMS = ["full", "simple"] as const;
export type SchemaForm = (typeof SCHEMA_FORMS)[number];

/**
 * What hosts of all models understand: Gemini refuses every tool for one other keyword, such as
 * `exclusiveMinimum`.
 */
const KEYWORDS = [
  "type",
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

/** Any value: by its types, because hosts drop a field without a type, or refuse every tool for it. */
const ANY_TYPE = ["string", "number", "boolean", "object", "array", "null"] as const;

/**
 * The wire form of an input, in those keywords alone, without fields that models have no use for. It is open: a host
 * that checks arguments itself would refuse an unknown name before the service can say which one was meant.
 */
export function inputSchemaOf(
  input: z.ZodObject,
  form: SchemaForm,
  unshown: readonly string[] = [],
): InputSchema {
  const { properties = {}, ...rest } = printedInput(input);
  const shown = Object.entries(properties).filter(([name]) => !unshown.includes(name));
  const whole = folded({ ...rest, properties: Object.fromEntries(shown) }, form);
  // Gemini refuses an empty list of fields, and takes none.
  const isEmpty = form === "simple" && shown.length === 0;
  return { ...whole, ...(isEmpty && { properties: undefined }), type: "object" };
}

/** The same of an input that no contract has: its fields, of which the optional ones take null in the full form. */
export function inputOf(
  form: SchemaForm,
  properties: Readonly<Record<string, object>>,
  required: readonly string[] = [],
): InputSchema {
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    form === "full" && !required.includes(name) ? nullable(field) : field,
  ]);
  return {
    type: "object",
    properties: Object.fromEntries(fields),
    ...(required.length > 0 && { required }),
  };
}

/** What hosts check answers by: what is always there. */
export const answerSchema = (always: readonly string[]): InputSchema => ({
  type: "object",
  properties: { ok: { type: "boolean" } },
  required: ["ok", ...always],
});

/** The same field, or null: as a list of types, which hosts keep where they drop `anyOf`. */
export function nullable(field: object): object {
  const { type, enum: values }: { type?: unknown; enum?: unknown } = field;
  const types: unknown[] = [type].flat();
  if (types.includes("null")) return field;
  const all = Array.isArray(values) && { enum: [...values, null] };
  return { ...field, type: [...types, "null"], ...all };
}

function folded(schema: Schema, form: SchemaForm): Record<string, unknown> {
  const plain = answered(merged(schema), form);
  const one = form === "simple" ? simplest(plain) : plain;
  const { properties, items, minimum, maximum, minLength, required = [] } = one;
  const open = {
    ...(isUsual(minimum) && { minimum: undefined }),
    ...(isUsual(minLength) && { minLength: undefined }),
    ...(maximum === Number.MAX_SAFE_INTEGER && { maximum: undefined }),
  };
  const members = properties && {
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, field]) => {
        const shown = fieldIn(name, field, form);
        return [name, form === "full" && !required.includes(name) ? nullable(shown) : shown];
      }),
    ),
  };
  const list = items !== undefined &&
    !Array.isArray(items) && { items: folded(schemaIn(items), form) };
  const any = one.type === undefined && { type: ANY_TYPE, items: {} };
  const all: Record<string, unknown> = { ...one, ...open, ...members, ...list, ...any };
  return Object.fromEntries(
    KEYWORDS.flatMap((keyword) => (all[keyword] === undefined ? [] : [[keyword, all[keyword]]])),
  );
}

/** No bound, or one that nobody meets by chance: to print it hundreds of times costs attention. */
const isUsual = (least: number | undefined): boolean => least !== undefined && least <= 1;

/**
 * Clients send a cursor back unchanged, so its form is not shown. A `limit` above the bound is taken for the bound, so
 * that one is said and not demanded.
 */
function fieldIn(name: string, field: Schema | boolean, form: SchemaForm): object {
  const { pattern, maximum, ...shown } = folded(schemaIn(field), form);
  if (name === "limit") return { ...shown, description: `At most ${String(maximum)}.` };
  return {
    ...shown,
    ...(maximum !== undefined && { maximum }),
    ...(pattern !== undefined && name !== "cursor" && { pattern }),
  };
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
  const types = [...new Set([first, ...others].flatMap(({ type = [] }) => type))];
  const [only, ...more] = types;
  return { ...schema, type: more.length === 0 && only !== undefined ? only : types };
}

/** A number that is 0 or 1 is a yes or no, which is taken as one (`booleans`). One with a default was released as a number. */
function answered(schema: Schema, form: SchemaForm): Schema {
  if (schema.type !== "integer" || schema.maximum !== 1) return schema;
  const { minimum: _, maximum: __, default: usual, ...rest } = schema;
  return usual === undefined || form === "simple"
    ? { ...rest, type: "boolean" }
    : { ...rest, type: ["boolean", "integer"], default: usual };
}

/** One type: a text where several are taken, and where any is. */
function simplest(schema: Schema): Schema {
  const { type, minimum, maximum, exclusiveMinimum, ...rest } = schema;
  if (type === undefined)
    return { ...rest, type: "string", description: `${rest.description} Any other as JSON text.` };
  if (Array.isArray(type)) return { ...rest, type: "string" };
  const above = type === "integer" && typeof exclusiveMinimum === "number";
  const least = above ? exclusiveMinimum + 1 : minimum;
  return {
    ...rest,
    type,
    ...(least !== undefined && { minimum: least }),
    ...(maximum !== undefined && { maximum }),
  };
}
