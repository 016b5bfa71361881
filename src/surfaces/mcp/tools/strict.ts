import { nullable } from "./schema.ts";
import type { Tool } from "./tools.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Keywords that strict modes of hosts refuse. */
const REFUSED = new Set(["default", "minLength", "maxLength"]);

/** A simple tool in the subset of JSON Schema that strict function calling takes: every field is required, and may be null. */
export const strictTool = (tool: Tool): Tool => ({
  ...tool,
  inputSchema: { ...strictly(tool.inputSchema), type: "object" },
});

function strictly(schema: Schema): Schema {
  const { properties, items, required = [], ...rest } = schema;
  const kept = Object.entries(rest).filter(([keyword]) => !REFUSED.has(keyword));
  const bare = Object.fromEntries(kept);
  if (bare["type"] === "array") return { ...bare, items: strictly(Object(items)) };
  if (bare["type"] !== "object") return bare;
  const fields = Object.entries(Object(properties ?? {})).map(([name, field]) => {
    const own = strictly(Object(field));
    return [name, isIn(name, required) ? own : nullable(own)] as const;
  });
  return {
    ...bare,
    properties: Object.fromEntries(fields),
    required: fields.map(([name]) => name),
    additionalProperties: false,
  };
}

const isIn = (name: string, list: unknown): boolean => Array.isArray(list) && list.includes(name);
