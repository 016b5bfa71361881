import * as z from "zod";

type Schema = z.core.JSONSchema.BaseSchema;

/** Where a field stands in an answer; `*` stands for each member of a list or a record. */
export type Path = readonly string[];

/** The paths of the fields that a contract has marked. */
export const markedIn = (output: z.ZodType, mark: string): readonly Path[] =>
  pathsIn(z.toJSONSchema(output, { io: "input" }), mark, []);

function pathsIn(schema: Schema | boolean | undefined, mark: string, at: Path): readonly Path[] {
  if (typeof schema !== "object") return [];
  const { items, anyOf = [], oneOf = [], properties = {}, additionalProperties } = schema;
  const item = Array.isArray(items) ? undefined : items;
  return [
    ...(Reflect.get(schema, mark) === true ? [at] : []),
    ...[...anyOf, ...oneOf].flatMap((one) => pathsIn(one, mark, at)),
    ...[additionalProperties, item].flatMap((one) => pathsIn(one, mark, [...at, "*"])),
    ...Object.entries(properties).flatMap(([name, one]) => pathsIn(one, mark, [...at, name])),
  ];
}
