import * as z from "zod";
import { contracts } from "../../../domains/contracts.ts";
import { failure, hints } from "../../../platform/kernel/contract/failure.ts";
import { booleansOf } from "../../../platform/kernel/contract/fields.ts";
import { agentReference } from "../../../platform/kernel/contract/ids.ts";
import { DOMAIN, type Operation } from "../../../platform/kernel/contract/operation.ts";
import { printDefault } from "../../../platform/kernel/contract/printed-default.ts";
import {
  isRepeated,
  retryFields,
  triedEntries,
} from "../../../platform/kernel/contract/retry-fields.ts";
import { CONSTANT } from "../../../platform/kernel/text.ts";
import type { Json } from "./answers.ts";

/** Objects that several answers hold, and fields that every write takes; all others are printed where they stand. */
const SHARED: Readonly<Record<string, z.ZodType>> = Object.assign(
  {
    Agent: agentReference,
    Error: failure,
    Hints: hints,
    Repeated: isRepeated,
    TriedEntries: triedEntries,
  },
  { ClientRef: retryFields.client_ref, NotAfter: retryFields.not_after },
  ...Object.values(contracts).map((contract) => contract[DOMAIN].shapes),
);

type Schema = z.core.JSONSchema.BaseSchema;

/** What an object schema says, without the marks of its own document. */
export interface ObjectSchema extends Json {
  readonly type: "object";
  readonly properties: Readonly<Record<string, Schema | boolean>>;
  readonly required: readonly string[];
}

/**
 * Undoes what the printer does to wire forms: a default lost behind a transform, bounds of safe
 * integers, and records of known keys, whose fields it requires without defining them.
 */
function tidy({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: Schema }) {
  const { def } = zodSchema._zod;
  printDefault({ zodSchema, jsonSchema });
  for (const mark of Object.keys(CONSTANT)) Reflect.deleteProperty(jsonSchema, mark);
  const { required, additionalProperties: member } = jsonSchema;
  if (def.type === "record" && required !== undefined && member !== undefined) {
    jsonSchema.properties = Object.fromEntries(required.map((name) => [name, member]));
    delete jsonSchema.propertyNames;
    delete jsonSchema.additionalProperties;
  }
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) {
    delete jsonSchema.minimum;
    delete jsonSchema.maximum;
  }
}

/**
 * A list of types as alternatives, at any depth: some generators read the first of a list and then
 * refuse the others. A type or null stays, which all of them know.
 */
function withAlternatives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withAlternatives);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, inner]) => {
    const types = name === "type" && Array.isArray(inner) ? inner : [];
    if (types.filter((type) => type !== "null").length < 2) return [name, withAlternatives(inner)];
    return ["anyOf", types.map((type) => ({ type }))];
  });
  return Object.fromEntries(members);
}

/** A field that takes true and false beside its own words or numbers. */
function withBoolean(schema: Schema | boolean): Schema | boolean {
  if (typeof schema === "boolean") return schema;
  const { description, default: usual, anyOf, ...own } = schema;
  return {
    anyOf: [...(anyOf ?? [own]), { type: "boolean" }],
    ...(usual !== undefined && { default: usual }),
    ...(description !== undefined && { description }),
  };
}

/**
 * The wire form of the shared objects and of every input and output. All of them are open: unknown
 * fields of a request are ignored, and an answer may gain fields (spec: Versioning, rows 2 and 3).
 */
export function schemasOf(registry: readonly (Operation & { readonly name: string })[]) {
  const named = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(SHARED)) named.add(schema, { id });
  for (const { name, input, output } of registry) {
    named.add(input, { id: `${name}.input` });
    named.add(output, { id: `${name}.output` });
  }
  const { schemas } = z.toJSONSchema(named, {
    io: "input",
    uri: (id) => `#/components/schemas/${id}`,
    override: tidy,
  });
  const shape = (id: string): Schema => {
    const { $schema, $id, ...printed } = schemas[id] ?? {};
    return Object(withAlternatives(printed));
  };
  const printed = (id: string): ObjectSchema => {
    const { properties = {}, required = [], ...rest } = shape(id);
    return { ...rest, type: "object", properties, required };
  };
  const yesOrNo = new Map(registry.map((operation) => [operation.name, booleansOf(operation)]));
  const input = (name: string): ObjectSchema => {
    const { properties, ...rest } = printed(`${name}.input`);
    const taking = new Set(yesOrNo.get(name));
    const widened = Object.entries(properties).map(([field, schema]) => [
      field,
      taking.has(field) ? withBoolean(schema) : schema,
    ]);
    return { ...rest, properties: Object.fromEntries(widened) };
  };
  return {
    shared: Object.fromEntries(Object.keys(SHARED).map((id) => [id, shape(id)])),
    input,
    output: (name: string) => printed(`${name}.output`),
  };
}
