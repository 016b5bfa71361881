import * as z from "zod";

/** One value of an act, a look or a command, as its schema describes it. */
export interface Field {
  readonly key: string;
  /** How usage shows it: `ID`, `TEXT`. */
  readonly takes: string;
  /** Its line of help. */
  readonly meaning: string | undefined;
  readonly isNeeded: boolean;
  readonly as: "text" | "switch" | "list";
  /** The words that it may be; null where it is free. */
  readonly choices: readonly string[] | null;
  /** What some of these words mean. */
  readonly labels: Readonly<Record<string, string>>;
  /** It may hold a password, so no message repeats it. */
  readonly isSecret: boolean;
}

export const fieldsOf = (input: z.ZodObject): readonly Field[] =>
  Object.entries(input.shape).map(([key, schema]) => {
    const { takes, description: meaning, isSecret, labels } = metaOf(schema);
    const inner = innermost(schema);
    const choices = inner instanceof z.ZodEnum ? inner.options.map(String) : null;
    return {
      key,
      takes,
      meaning,
      isNeeded: !schema.isOptional(),
      as: kindOf(schema),
      choices,
      labels,
      isSecret,
    };
  });

const meta = z.object({
  takes: z.string().default(""),
  description: z.string().optional(),
  isSecret: z.boolean().default(false),
  labels: z.record(z.string(), z.string()).default({}),
});
type Meta = z.output<typeof meta>;

/** The words of a wrapper win over those of the value in it. */
function metaOf(schema: z.ZodType): Meta {
  const inner = innerOf(schema);
  return meta.parse({ ...(inner && metaOf(inner)), ...schema.meta() });
}

function innerOf(schema: z.ZodType): z.ZodType | null {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodArray;
  const inner = isWrapper ? schema.unwrap() : null;
  return inner instanceof z.ZodType ? inner : null;
}

function innermost(schema: z.ZodType): z.ZodType {
  const inner = innerOf(schema);
  return inner === null ? schema : innermost(inner);
}

function kindOf(schema: z.ZodType): Field["as"] {
  if (schema instanceof z.ZodBoolean) return "switch";
  if (schema instanceof z.ZodArray) return "list";
  const inner = innerOf(schema);
  return inner === null ? "text" : kindOf(inner);
}
