import * as z from "zod";
import { reject } from "../../../platform/kernel/contract/errors.ts";
import { retryFields } from "../../../platform/kernel/contract/retry-fields.ts";
import { isEmpty } from "../../../platform/kernel/words/reserved-names.ts";
import { inSnakeCase } from "../../../platform/kernel/words/spelling.ts";
import { MCP_OPEN } from "../../describe/fixed-routes.ts";
import { DEPTH_MAX, parseJson } from "../../wire/body.ts";
import { finderOf } from "./finding.ts";
import { absentFor, NOTHING_FOUND } from "./intent-words.ts";
import { inputOf, type SchemaForm } from "./schema.ts";
import { ALSO, isEnding } from "./tool-records.ts";
import type { FoundDocument, Tool } from "./tools.ts";

/** The tool that finds tools, the one that calls any of them, and the one that calls those that read. */
export const MORE_TOOLS = "cairn_tools";
export const MORE_CALL = "cairn_call";
export const MORE_QUERY = "cairn_query";

/** Whether a tool runs another one, which its arguments name. */
export const isCall = (name: unknown): boolean => name === MORE_CALL || name === MORE_QUERY;

/** So many tools are shown with their arguments, and so many more by name. */
const SHOWN_MAX = 5;
const NAMED_MAX = 10;

/** The arguments of the other tool. An object of any form has no schema in some hosts, so it is a text there. */
const ARGUMENTS: Readonly<Record<SchemaForm, object>> = {
  full: { type: "object" },
  simple: { type: "string", description: 'A JSON object as text: {"limit": 5}.' },
};

/** Fields of a write that stand beside its arguments. */
const BESIDE_FIELDS = {
  dry_run: { type: "boolean" },
  client_ref: { type: "string" },
};

/** All of them, or without the one that writes for callers that only read. */
export const moreTools = (readOnly: boolean, form: SchemaForm): readonly Tool[] => [
  {
    name: MORE_TOOLS,
    title: "Find more tools",
    description:
      'Find the tools for what you want to do, in your words: {"intent": "verify a seal"}. Most are not listed.',
    inputSchema: inputOf(form, { intent: { type: "string" } }, ["intent"]),
    annotations: { readOnlyHint: true },
  },
  {
    name: MORE_QUERY,
    title: "Run any tool that reads",
    description: `Run a tool that ${MORE_TOOLS} shows with readOnlyHint. It changes nothing.`,
    inputSchema: inputOf(form, { name: { type: "string" }, arguments: ARGUMENTS[form] }, ["name"]),
    annotations: { readOnlyHint: true },
  },
  ...(readOnly ? [] : [writingCall(form)]),
];

const writingCall = (form: SchemaForm): Tool => ({
  name: MORE_CALL,
  title: "Run any tool",
  description: `Run any tool that ${MORE_TOOLS} shows. What it writes is as public and as durable.`,
  inputSchema: inputOf(
    form,
    { name: { type: "string" }, arguments: ARGUMENTS[form], ...BESIDE_FIELDS },
    ["name"],
  ),
  annotations: {},
});

/** The tools of a connection, those that only the open door has, and the documents that one of them reads. */
interface Findable {
  readonly callable: readonly Tool[];
  readonly elsewhere: readonly Tool[];
  readonly documents: readonly FoundDocument[];
}

/** Why a tool of the open door is not called at this one. */
export const atOpenDoor = (tool: string): string =>
  `${tool} is a tool of ${MCP_OPEN.path} alone, where it takes the token as an argument: at this door your host would go on with the token that has ended. A sign-in by OAuth has no token to replace; grant_end ends it.`;

/** The tools for an intent, best first. Rejects with `validation_failed` where no intent was sent, or anything else. */
export function foundFor(
  { callable, elsewhere, documents }: Findable,
  { intent, ...others }: { readonly intent?: unknown },
) {
  refuseOthers(Object.keys(others), "takes `intent` alone");
  if (typeof intent !== "string" || intent.trim() === "") {
    const problem = "is required: what you want to do, in your words";
    return reject("validation_failed", `\`intent\` ${problem}.`, [{ field: "intent", problem }]);
  }
  const asked = intent.slice(0, INTENT_LENGTH_MAX);
  const absent = absentFor(asked);
  const tools = new Map([...callable, ...elsewhere].map((tool) => [tool.name, tool]));
  const hits = finderOf<Tool | FoundDocument>([...callable, ...elsewhere, ...documents])(asked);
  const argumentsOf = new Map(
    hits.flatMap((hit) => ("document" in hit ? [[hit.name, { document: hit.document }]] : [])),
  );
  const ranked = hits.flatMap(({ name }) => tools.get(name) ?? []);
  const other = ranked.slice(0, SHOWN_MAX).find((tool) => elsewhere.includes(tool));
  const here = ranked.filter((tool) => !elsewhere.includes(tool));
  const found = absent === undefined ? here : nearestFirst(callable, absent.nearest, here);
  const said = absent?.says ?? (found.length === 0 ? NOTHING_FOUND : undefined);
  const shown = found.slice(0, SHOWN_MAX);
  const writes = shown.some(({ annotations }) => annotations.readOnlyHint !== true);
  return {
    ok: true,
    ...(said !== undefined && { not_here: said }),
    ...(other !== undefined && { elsewhere: atOpenDoor(other.name) }),
    tools: shown.map((tool) => ({
      ...shownOf(tool),
      ...(argumentsOf.has(tool.name) && { arguments: argumentsOf.get(tool.name) }),
    })),
    also: found.slice(SHOWN_MAX, SHOWN_MAX + NAMED_MAX).map(({ name }) => name),
    call: `${MORE_QUERY} with name and arguments runs those with readOnlyHint, ${MORE_CALL} all.${writes ? OF_WRITES : ""}`,
  };
}

const OF_WRITES =
  " Beside these it takes dry_run (stores nothing) and client_ref (same mark: made once).";

/** A tool that was found: without the words to find it by, and what each takes that writes. */
function shownOf({ name, description, inputSchema, annotations }: Tool) {
  const [does = ""] = description.split(ALSO);
  const { properties, required, ...schema } = inputSchema;
  const isOwn = (field: unknown) => !(String(field) in BESIDE_FIELDS);
  const own = Object.entries(Object(properties)).filter(([field]) => isOwn(field));
  const shown = {
    ...schema,
    ...(properties !== undefined && { properties: Object.fromEntries(own) }),
    ...(Array.isArray(required) && { required: required.filter(isOwn) }),
  };
  return { name, description: does, inputSchema: shown, annotations };
}

/** The tools nearest to something that is not here; one that ends or pays is no substitute for it. */
function nearestFirst(
  tools: readonly Tool[],
  names: readonly string[],
  ranked: readonly Tool[],
): readonly Tool[] {
  const near = tools.filter(({ name }) => names.includes(name));
  const others = ranked.filter((tool) => !near.includes(tool) && !isEnding(tool.name));
  return [...near, ...others];
}

const INTENT_LENGTH_MAX = 1_000;

/** Nothing that was sent is dropped: a trial or a mark among it would be lost. */
function refuseOthers(names: readonly string[], problem: string): void {
  const [field] = names;
  if (field === undefined) return;
  const shown = /^\w{1,32}$/.test(field) ? field : "";
  reject("validation_failed", `This tool ${problem}. Nothing was done.`, [
    { field: shown, problem: `is unknown here: the tool ${problem}` },
  ]);
}

/** The arguments of the call inside: strict hosts send an object of any form as a text. */
export function argumentsIn(value: unknown): unknown {
  if (typeof value !== "string") return value ?? {};
  try {
    return parseJson(value, DEPTH_MAX);
  } catch {
    return value;
  }
}

const calling = z.object({
  name: z.string(),
  arguments: z.preprocess(argumentsIn, z.record(z.string(), z.unknown())).default({}),
});

/** Fields of every write, which stand beside the arguments or among them. */
const BESIDE: ReadonlySet<string> = new Set(Object.keys(retryFields));

/**
 * The call inside of a call. What every write takes may stand beside its arguments, and nothing else. Rejects with
 * `validation_failed` where it has another form, or says one thing beside its arguments and another in them.
 */
export function calledBy(args: object): z.output<typeof calling> {
  const { data } = calling.safeParse(args);
  if (data === undefined) {
    const problem = "must be a tool's name, and `arguments` an object";
    return reject("validation_failed", `\`name\` ${problem}.`, [{ field: "name", problem }]);
  }
  const others = Object.entries(args).filter(([name]) => name !== "name" && name !== "arguments");
  const beside = others.map(([name, value]) => [inSnakeCase(name), value] as const);
  refuseOthers(
    beside.flatMap(([name]) => (BESIDE.has(name) ? [] : [name])),
    "takes `name` and `arguments`; put the tool's own fields inside `arguments`",
  );
  const given = { ...data.arguments };
  for (const [name, value] of beside) {
    const same = Object.keys(given).find((each) => inSnakeCase(each) === name) ?? name;
    const inside = given[same];
    if (value === null || value === undefined) continue;
    if (inside !== undefined && inside !== null && !isSame(name, inside, value)) refuseTwo(name);
    given[same] = value;
  }
  return { name: data.name, arguments: given };
}

/** A host lets its model run what only reads without asking, so nothing else may run there. */
export function demandRead({ name, annotations }: Pick<Tool, "name" | "annotations">): void {
  if (annotations.readOnlyHint === true) return;
  const problem = `writes; ${MORE_CALL} runs it`;
  reject("validation_failed", `${name} ${problem}. Nothing was done.`, [
    { field: "name", problem },
  ]);
}

/** A trial is asked for by `true`, 1 and their texts alike. */
const isSame = (name: string, one: unknown, other: unknown): boolean =>
  name === "dry_run"
    ? isEmpty(one) === isEmpty(other)
    : JSON.stringify(one) === JSON.stringify(other);

function refuseTwo(field: string): never {
  const problem = "says one thing beside `arguments` and another in them";
  return reject("validation_failed", `\`${field}\` ${problem}. Nothing was done.`, [
    { field, problem },
  ]);
}
