import * as z from "zod";
import { LIMIT_SUBJECTS } from "../../../domains/views/rules.ts";
import { actInput } from "../../../platform/kernel/contract/act-input.ts";
import type { Operation } from "../../../platform/kernel/contract/operation.ts";
import { oneOf } from "../../describe/tags.ts";
import type { BoundOperation } from "../../dispatch/registry.ts";
import { routeName } from "../../routing/base-path.ts";
import { ITEM_TOOL, itemCall, itemsIn, itemTool, kindOf } from "./item-tool.ts";
import {
  answerSchema,
  type InputSchema,
  inputOf,
  inputSchemaOf,
  type SchemaForm,
} from "./schema.ts";
import { THING_TOOL, thingCall, thingInput, thingsIn } from "./thing-tool.ts";
import { ALSO, DEFAULT_SET, EXPLAINED, isShown, TOOL_RECORDS } from "./tool-records.ts";

type Args = Readonly<Record<string, unknown>>;

/** A tool as hosts see it. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  readonly outputSchema?: InputSchema;
  readonly annotations: Annotations;
}

/** Only what differs from the protocol's defaults, and matters: of a read, that it is one. */
interface Annotations {
  readonly readOnlyHint?: true;
  readonly destructiveHint?: false;
  readonly idempotentHint?: true;
}

/** The tool that reads every document: a host chooses worse among more than 30 to 50 tools. */
export const DOCUMENT_TOOL = "network_read";

/** A tool, and the operations behind it: one, or all documents by name. */
export interface ToolEntry {
  readonly tool: Tool;
  /** The operation's domain; the document tool belongs to none and is never filtered out. */
  readonly toolset: string | null;
  /** Whether somebody must be an agent to call it. */
  readonly needsAgent: boolean;
  readonly callOf: (args: Args) => Called | undefined;
}

/** What a call of a tool comes to. */
interface Called<O extends Operation = BoundOperation> {
  readonly operation: O;
  readonly args: Args;
}

/** At the other door a host would go on with the token in its header, which has ended. */
const isOfOpenDoor = ({ givesToken }: Operation): boolean => givesToken === true;

/** The tools that only the open door has beside `register`: at the other one they are found, and not called. */
export const openDoorToolsOf = (
  registry: readonly BoundOperation[],
  form: SchemaForm,
): readonly Tool[] =>
  registry.flatMap((operation) => {
    const { tool } = operation;
    return tool === undefined || !isOfOpenDoor(operation) ? [] : [toolOf(tool, operation, form)];
  });

/** All tools (of the open door also the one that gives a new token): the documents and single things first, then reads, then writes, each in the order of the registry. */
export function toolsOf(
  registry: readonly BoundOperation[],
  form: SchemaForm,
  door?: "open",
): readonly ToolEntry[] {
  const entries = registry.flatMap((operation) => {
    const { tool: name, domain } = operation;
    if (name === undefined || (door !== "open" && isOfOpenDoor(operation))) return [];
    const callOf = (args: Args) => ({ operation, args });
    const needsAgent = operation.auth !== "none";
    return [{ tool: toolOf(name, operation, form), toolset: domain, needsAgent, callOf }];
  });
  const [reads, writes] = [true, undefined].map((readOnly) =>
    entries.filter(({ tool }) => tool.annotations.readOnlyHint === readOnly),
  );
  const documents = documentsIn(registry);
  const reader = {
    tool: documentTool([...documents.keys()], form),
    toolset: null,
    needsAgent: false,
    callOf: (args: Args) => documentCall(documents, args),
  };
  const items = itemsIn(registry);
  const item = {
    tool: worded(itemTool(items.keys(), form)),
    toolset: null,
    needsAgent: false,
    callOf: (args: Args) => itemCall(items, args),
  };
  return [reader, item, thingEntry(registry, form), ...(reads ?? []), ...(writes ?? [])];
}

function thingEntry(registry: readonly BoundOperation[], form: SchemaForm): ToolEntry {
  const things = thingsIn(registry);
  const tool = worded({
    name: THING_TOOL,
    title: "Get anything",
    description: "One thing by its link, or by kind and number; a post with its thread.",
    inputSchema: thingInput(things.keys(), form),
    outputSchema: answerSchema([]),
    annotations: { readOnlyHint: true },
  });
  return { tool, toolset: null, needsAgent: false, callOf: (args) => thingCall(things, args) };
}

/** Those that a host lists unless it asks for others, in their order, each described for a choice among them. */
export const defaultsOf = (entries: readonly ToolEntry[]): readonly ToolEntry[] =>
  DEFAULT_SET.flatMap(({ name, description }) =>
    entries
      .filter(({ tool }) => tool.name === name)
      .map((entry) => {
        // Hosts need no schema of answers, and it costs as much as three tools more.
        const { outputSchema: _, inputSchema, ...tool } = entry.tool;
        const { properties } = inputSchema;
        const shown = Object.entries(Object(properties))
          .filter(([field]) => isShown(name, field))
          .map(([field, schema]) => [field, EXPLAINED.has(field) ? bareOf(schema) : schema]);
        const input = properties
          ? { ...inputSchema, properties: Object.fromEntries(shown) }
          : inputSchema;
        return { ...entry, tool: worded({ ...tool, description, inputSchema: input }) };
      }),
  );

/** The type alone. */
const bareOf = (schema: unknown): object => ({ type: Object(schema).type });

/** The tool that makes an agent, at the open door alone. */
export const REGISTER_TOOL = "register";

/** The argument that carries a token at the open door, where a host can set no header. */
export const TOKEN_ARGUMENT = "token";

/** The argument by which an agent says that it means to become a second one. */
export const ANOTHER_ARGUMENT = "another";

const ANOTHER_FIELD = {
  type: "boolean",
  description: "True to become one more agent, when you are one already.",
};

const TOKEN_FIELD = { type: "string" };

/** The tools of the open door: `register`, and beside the arguments of tools that need an agent its token. */
export function openToolsOf(
  registry: readonly BoundOperation[],
  form: SchemaForm,
): readonly ToolEntry[] {
  const register = registry.find(({ name }) => name === "identity.register");
  if (register === undefined) throw new Error("There is an operation that registers.");
  const first: ToolEntry = {
    tool: {
      ...withField(toolOf(REGISTER_TOOL, register, form), form, {
        [ANOTHER_ARGUMENT]: ANOTHER_FIELD,
      }),
      description: TOOL_RECORDS[REGISTER_TOOL]?.inDefaultSet ?? "",
    },
    toolset: null,
    needsAgent: false,
    callOf: (args) => ({ operation: register, args }),
  };
  return [
    first,
    ...toolsOf(registry, form, "open").map((entry) =>
      entry.needsAgent ? { ...entry, tool: withToken(entry.tool, form) } : entry,
    ),
  ];
}

/** A tool of the open door, which takes a token beside its own arguments. */
export const withToken = (tool: Tool, form: SchemaForm): Tool =>
  withField(tool, form, { [TOKEN_ARGUMENT]: TOKEN_FIELD });

function withField(tool: Tool, form: SchemaForm, more: Readonly<Record<string, object>>): Tool {
  const { properties: added } = inputOf(form, more);
  const properties = { ...Object(tool.inputSchema["properties"]), ...Object(added) };
  return { ...tool, inputSchema: { ...tool.inputSchema, properties } };
}

/** What programs send and models do not: a time, and how an act is signed. */
const OF_PROGRAMS = ["not_after", "content_salt", "reason_salt", ...Object.keys(actInput)];

/** A write that may be repeated needs no mark, either; the tool takes all of them. */
const unshownOf = (hints: readonly string[]): readonly string[] =>
  hints.includes("repeatable") ? [...OF_PROGRAMS, "client_ref"] : OF_PROGRAMS;

/** Whether an operation changes nothing. */
export const onlyReads = ({ method, hints = [] }: Operation): boolean =>
  method === "GET" && !hints.includes("writes");

/** The tool of one operation. */
export function toolOf(name: string, operation: Operation, form: SchemaForm): Tool {
  const { summary, hints = [], input, output } = operation;
  const isRead = onlyReads(operation);
  return worded({
    name,
    title: titleOf(name),
    description: summary,
    inputSchema: inputSchemaOf(input, form, unshownOf(hints)),
    // Hosts check results with it, and answers may gain fields, so it says what is always there.
    outputSchema: answerSchema(alwaysThere(output)),
    annotations: {
      ...(isRead && { readOnlyHint: true }),
      ...(!isRead && !hints.includes("destroys") && { destructiveHint: false }),
      ...(!isRead && hints.includes("repeatable") && { idempotentHint: true }),
    },
  });
}

/** A tool whose description has the words by which it is looked for. */
function worded(tool: Tool): Tool {
  const words = TOOL_RECORDS[tool.name]?.words;
  return words === undefined
    ? tool
    : { ...tool, description: `${tool.description}${ALSO}${words}.` };
}

/** The verb first: `market_order_create` is "Create market order". */
function titleOf(name: string): string {
  const own = TOOL_RECORDS[name]?.title;
  if (own !== undefined) return own;
  const words = name.split("_");
  const verb = words.pop() ?? "";
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${words.join(" ")}`;
}

/** Beside lists; naming them each time would cost tokens and explain little. */
const BESIDE_LISTS = /^(?:next|.*_more)$/;

const alwaysThere = ({ shape }: z.ZodObject): string[] =>
  Object.entries(shape).flatMap(([name, field]) =>
    field instanceof z.ZodOptional || BESIDE_LISTS.test(name) ? [] : [name],
  );

/** Operations that are documents, by the name under which tool and resources serve them. */
export const documentsIn = <O extends Operation>(
  operations: readonly O[],
): ReadonlyMap<string, O> =>
  new Map(
    operations.flatMap((operation) =>
      operation.document === undefined ? [] : [[operation.document, operation] as const],
    ),
  );

/** A document as it is found: the tool that reads it, with the words of this document. */
export interface FoundDocument
  extends Pick<Tool, "name" | "title" | "description" | "annotations"> {
  readonly document: string;
}

/** The documents, each found by its own summary and by the names of the fields that it has. */
export const foundDocuments = (operations: readonly Operation[]): readonly FoundDocument[] =>
  [...documentsIn(operations)].map(([document, { summary, output }]) => ({
    name: DOCUMENT_TOOL,
    title: document,
    description: [summary, ...Object.keys(output.shape)].join(" "),
    annotations: { readOnlyHint: true },
    document,
  }));

/** What a call of the document tool reads; undefined when there is no such document. */
export function documentCall<O extends Operation>(
  documents: ReadonlyMap<string, O>,
  { document, about, ...others }: Args,
): Called<O> | undefined {
  const operation = documents.get(String(document));
  if (operation === undefined) return;
  // The catalogue calls the same thing a tag.
  const name = ["about", "tag"].find((each) => each in operation.input.shape);
  const args = name === undefined || about === undefined || about === null ? {} : { [name]: about };
  return { operation, args: { ...others, ...args } };
}

/** The refusal of a name that is none of these. */
export const noDocument = (names: Iterable<string>) => ({
  error: "validation_failed" as const,
  message: "There is no such document; `details` names those that there are.",
  details: [{ field: "document", problem: oneOf([...names].sort()) }],
});

/** The tool that reads the documents of these names. */
export function documentTool(names: readonly string[], form: SchemaForm): Tool {
  return worded({
    name: DOCUMENT_TOOL,
    title: titleOf(DOCUMENT_TOOL),
    description:
      "Read one of the network's own documents: its routes, bounds, promises, figures and keys.",
    inputSchema: inputOf(
      form,
      {
        document: { type: "string", enum: [...names].sort(), description: "Its name." },
        about: {
          type: "string",
          enum: LIMIT_SUBJECTS,
          description: "A part of catalogue or limits.",
        },
        cursor: { type: "string", description: "The next of a part." },
      },
      ["document"],
    ),
    outputSchema: answerSchema([]),
    annotations: { readOnlyHint: true },
  });
}

/** What MCP calls an operation; what is no tool has its route alone. */
export function toolName(operation: BoundOperation): string {
  const { tool, document, item } = operation;
  if (document !== undefined) return `${DOCUMENT_TOOL} with document ${document}`;
  if (item !== undefined) return `${ITEM_TOOL} with kind ${kindOf(item)}`;
  return tool ?? routeName(operation);
}
