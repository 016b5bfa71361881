import * as z from "zod";
import type { Operation } from "../../kernel/operation.ts";
import type { BoundOperation } from "../dispatch/registry.ts";

type Args = Readonly<Record<string, unknown>>;
type Schema = z.core.JSONSchema.BaseSchema;

/** A tool as hosts see it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>> & { readonly type: "object" };
  readonly outputSchema: Readonly<Record<string, unknown>> & { readonly type: "object" };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/** The tool that reads every document: a host chooses worse among more than 30 to 50 tools. */
export const DOCUMENT_TOOL = "network_read";

/** A tool, and the operations behind it: one, or all documents by name. */
export interface ToolEntry {
  readonly tool: Tool;
  /** The operation's domain; the document tool belongs to none and is never filtered out. */
  readonly toolset: string | null;
  readonly operationOf: (args: Args) => BoundOperation | undefined;
}

/** All tools: the documents first, then reads, then writes, each in the order of the registry. */
export function toolsOf(registry: readonly BoundOperation[]): readonly ToolEntry[] {
  const entries = registry.flatMap((operation) => {
    const { tool: name, domain } = operation;
    if (name === undefined) return [];
    return [{ tool: toolOf(name, operation), toolset: domain, operationOf: () => operation }];
  });
  const [reads, writes] = [true, false].map((readOnly) =>
    entries.filter(({ tool }) => tool.annotations.readOnlyHint === readOnly),
  );
  const documents = documentsIn(registry);
  const reader = {
    tool: documentTool([...documents.keys()]),
    toolset: null,
    operationOf: ({ document }: Args) => documents.get(String(document)),
  };
  return [reader, ...(reads ?? []), ...(writes ?? [])];
}

/** The tool of one operation. */
export function toolOf(name: string, operation: Operation): Tool {
  const { summary, method, hints = [], input, output } = operation;
  const readOnlyHint = method === "GET" && !hints.includes("writes");
  return {
    name,
    title: titleOf(name),
    description: summary,
    inputSchema: inputSchemaOf(input),
    // Hosts check results with it, and answers may gain fields, so it says what is always there.
    outputSchema: { type: "object", required: ["ok", ...alwaysThere(output)] },
    annotations: {
      readOnlyHint,
      destructiveHint: hints.includes("destroys"),
      idempotentHint: readOnlyHint || hints.includes("repeatable"),
      openWorldHint: hints.includes("outward"),
    },
  };
}

const titleOf = (name: string): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll("_", " ")}`;

const alwaysThere = ({ shape }: z.ZodObject): string[] =>
  Object.entries(shape).flatMap(([name, field]) => (field instanceof z.ZodOptional ? [] : [name]));

/** The wire form of an input, without the alternatives that only queries need: digits for numbers. */
function inputSchemaOf(input: z.ZodObject): Tool["inputSchema"] {
  const { $schema, ...schema } = z.toJSONSchema(input, { io: "input", override: narrow });
  return { ...schema, type: "object" };
}

function narrow({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: Schema }) {
  const { def } = zodSchema._zod;
  if (def.type === "default") jsonSchema.default = def.defaultValue;
  const [first, second] = jsonSchema.anyOf ?? [];
  const isDigits = typeof second === "object" && second.type === "string" && second.pattern;
  if (typeof first === "object" && first.type === "integer" && isDigits) {
    delete jsonSchema.anyOf;
    Object.assign(jsonSchema, first);
  }
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

/** Operations that are documents, by the name under which tool and resources serve them. */
export const documentsIn = <O extends Operation>(
  operations: readonly O[],
): ReadonlyMap<string, O> =>
  new Map(
    operations.flatMap((operation) =>
      operation.document === undefined ? [] : [[operation.document, operation] as const],
    ),
  );

/** The refusal of a name that is none of these. */
export const noDocument = (names: Iterable<string>) => ({
  error: "validation_failed" as const,
  message: "There is no such document; `details` names those that there are.",
  details: [{ field: "document", problem: `must be one of ${[...names].sort().join(", ")}` }],
});

/** The tool that reads the documents of these names. */
export function documentTool(names: readonly string[]): Tool {
  return {
    name: DOCUMENT_TOOL,
    title: titleOf(DOCUMENT_TOOL),
    description:
      "Read one of the network's own documents: its routes, bounds, promises, figures and keys.",
    inputSchema: {
      type: "object",
      properties: {
        document: {
          type: "string",
          enum: [...names].sort(),
          description: "Which document to read.",
        },
      },
      required: ["document"],
    },
    outputSchema: { type: "object", required: ["ok"] },
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  };
}
