import fc from "fast-check";
import type { Schema } from "./openapi-document.ts";

/** Names of things in the service that is asked, so that some references lead somewhere. */
export type Words = readonly string[];

/** Any code point, also one half of a pair. What fast-check calls `binary` begins with a table of all. */
const codePoint = fc.nat(0x10_ff_ff).map((code) => String.fromCodePoint(code));

/** Any JSON value, and texts that make trouble; undefined leaves a field out. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: codePoint }),
  fc.double(),
  fc.constantFrom(undefined, "", "\u0000", "\ud800", "\u202e", "1e3", "a".repeat(9_000)),
);

/** Values that fit a schema; a text is now and then one of the words. */
function fitting(schema: Schema, words: Words): fc.Arbitrary<unknown> {
  const { type, anyOf } = schema;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((one) => fitting(one, words)));
  switch (type) {
    case undefined:
      return anything;
    case "null":
      return fc.constant(null);
    case "boolean":
      return fc.boolean();
    case "integer":
      return integers(schema);
    case "number":
      return fc.oneof(integers(schema), fc.double({ ...boundsOf(schema), noNaN: true }));
    case "string":
      return texts(schema, words);
    case "array":
      return fc.array(
        fitting(schema.items ?? {}, words),
        lengthsOf(schema.minItems, schema.maxItems),
      );
    case "object":
      return records(schema, {}, words);
  }
  if (typeof type === "string") throw new Error(`No values are known of the type ${type}.`);
  return fc.oneof(...type.map((one) => fitting({ ...schema, type: one }, words)));
}

/** Objects that fit a schema; a value of the example is a value of its field. */
export function records(
  { properties = {}, required = [] }: Schema,
  example: Readonly<Record<string, unknown>>,
  words: Words,
): fc.Arbitrary<Record<string, unknown>> {
  const fields = new Map(
    Object.entries(properties).map(([name, one]) => [name, fitting(one, words)]),
  );
  for (const [name, value] of Object.entries(example)) {
    const given = fc.constant(value);
    const other = fields.get(name);
    fields.set(name, other === undefined ? given : fc.oneof(given, other));
  }
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
}

const boundsOf = ({ minimum, exclusiveMinimum, maximum }: Schema) => ({
  min: minimum ?? (exclusiveMinimum === undefined ? Number.MIN_SAFE_INTEGER : exclusiveMinimum + 1),
  max: maximum ?? Number.MAX_SAFE_INTEGER,
});

const lengthsOf = (minLength = 0, maxLength = 100) => ({
  minLength,
  maxLength: Math.max(minLength, Math.min(maxLength, 100)),
});

/** Mostly the least ones, because ids begin at 1, and limits are most felt at their ends. */
function integers(schema: Schema): fc.Arbitrary<number> {
  const bounds = boundsOf(schema);
  const [min, max] = [Math.ceil(bounds.min), Math.floor(bounds.max)];
  return fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min, max: Math.min(min + 3, max) }) },
    { weight: 1, arbitrary: fc.integer({ min, max }) },
    { weight: 1, arbitrary: fc.constant(max) },
  );
}

function texts({ pattern, minLength = 0, maxLength }: Schema, words: Words): fc.Arbitrary<string> {
  const shape = new RegExp(pattern ?? "", "u");
  const fits = (word: string) =>
    shape.test(word) && word.length >= minLength && word.length <= (maxLength ?? word.length);
  const others =
    pattern === undefined
      ? fc.string({ unit: "grapheme", ...lengthsOf(minLength, maxLength) })
      : fc.stringMatching(shape);
  const longest = pattern === undefined && maxLength !== undefined ? ["a".repeat(maxLength)] : [];
  const known = [...words.filter(fits), ...longest];
  return known.length === 0
    ? others
    : fc.oneof(
        { weight: 1, arbitrary: others },
        { weight: 2, arbitrary: fc.constantFrom(...known) },
      );
}
