import * as z from "zod";

interface Printing {
  readonly zodSchema: z.core.$ZodTypes;
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}

/**
 * For the printer of JSON Schema, which loses a default that stands before a transform. A field that has
 * to know whether it was sent is optional and says its default in its metadata.
 */
export function printDefault({ zodSchema, jsonSchema }: Printing): void {
  const { def } = zodSchema._zod;
  const stated = z.globalRegistry.get(zodSchema)?.["default"];
  if (def.type === "default") jsonSchema.default = def.defaultValue;
  else if (typeof stated === "number") jsonSchema.default = stated;
}

type Schema = z.core.JSONSchema.BaseSchema;

const inputs = new WeakMap<z.ZodObject, Schema>();

/** An input as JSON Schema, which is printed once for all who show it. */
export function printedInput(input: z.ZodObject): Schema {
  const schema =
    inputs.get(input) ?? z.toJSONSchema(input, { io: "input", override: printDefault });
  inputs.set(input, schema);
  return schema;
}
