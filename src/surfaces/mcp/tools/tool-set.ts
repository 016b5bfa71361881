import { reject } from "../../../platform/kernel/contract/errors.ts";
import { oneOf } from "../../describe/tags.ts";
import type { BoundOperation } from "../../dispatch/registry.ts";
import { meantName, suggestionFor } from "./finding.ts";
import { atOpenDoor, isCall, MORE_TOOLS, moreTools } from "./more-tools.ts";
import { otherWays, type Way } from "./other-ways.ts";
import { SCHEMA_FORMS, type SchemaForm } from "./schema.ts";
import { strictTool } from "./strict.ts";
import { TOOL_ALIASES } from "./tool-records.ts";
import {
  defaultsOf,
  type FoundDocument,
  foundDocuments,
  openDoorToolsOf,
  openToolsOf,
  type Tool,
  type ToolEntry,
  toolsOf,
  withToken,
} from "./tools.ts";

/** What one connection lists, and what it can call. */
export interface ToolSet {
  readonly listed: readonly Tool[];
  /** All that can be called, to be found by `cairn_tools`. */
  readonly callable: readonly Tool[];
  /** What `cairn_tools` finds as well, and only the other door can call. */
  readonly elsewhere: readonly Tool[];
  /** What `cairn_tools` finds of the tool that reads documents. */
  readonly documents: readonly FoundDocument[];
  readonly find: (name: string) => ToolEntry | undefined;
  /** Whether answers leave out what a released tool promises and a model has no use for. */
  readonly isTerse: boolean;
  /** Whether `cairn_tools` and those that run what it finds are among the tools. */
  readonly hasMore: boolean;
  /** The name that was meant: without a host's prefix, in our spelling. */
  readonly meant: (name: string) => string;
  /** Why a name is no tool here, and which one may be meant. */
  readonly refusal: (name: string) => string;
}

const FORMS = [...SCHEMA_FORMS, "strict"] as const;
type Form = (typeof FORMS)[number];

/** The word for every tool that there is. */
const ALL = "all";

/** All tools of both doors, each form made when it is first asked for; a request chooses among them by its query. */
export function toolSets(registry: readonly BoundOperation[]) {
  const made = (open: boolean, form: SchemaForm): Made => {
    const entries = open ? openToolsOf(registry, form) : toolsOf(registry, form);
    const moreOf = (readOnly: boolean) =>
      moreTools(readOnly, form).map((tool) =>
        open && isCall(tool.name) ? withToken(tool, form) : tool,
      );
    const more = { reading: moreOf(true), writing: moreOf(false) };
    const elsewhere = open ? [] : openDoorToolsOf(registry, form);
    return { entries, elsewhere, defaults: defaultsOf(entries), more };
  };
  const forms = (open: boolean) => {
    const known = new Map<Form, Made>();
    const form = (name: Form): Made => {
      const fresh = () => (name === "strict" ? strictly(form("simple")) : made(open, name));
      const found = known.get(name) ?? fresh();
      known.set(name, found);
      return found;
    };
    return form;
  };
  const ways = otherWays(registry);
  const documents = foundDocuments(registry);
  const doors = { open: forms(true), closed: forms(false) };
  return (query: URLSearchParams, isOpen: boolean): ToolSet => ({
    ...chosen(isOpen ? doors.open : doors.closed, query, ways),
    documents,
  });
}

interface Made {
  readonly entries: readonly ToolEntry[];
  readonly defaults: readonly ToolEntry[];
  readonly elsewhere: readonly Tool[];
  /** The tools that lead to all others. */
  readonly more: { readonly reading: readonly Tool[]; readonly writing: readonly Tool[] };
}

/** The same in the subset of JSON Schema that strict function calling takes. */
function strictly({ entries, elsewhere, defaults, more: { reading, writing } }: Made): Made {
  const strict = (entry: ToolEntry) => ({ ...entry, tool: strictTool(entry.tool) });
  const more = { reading: reading.map(strictTool), writing: writing.map(strictTool) };
  return { entries: entries.map(strict), elsewhere, defaults: defaults.map(strict), more };
}

/**
 * Without a query a few tools are listed, and all can be called. `?toolsets=all` lists all; `?toolsets=market,coin`
 * and `?readonly=1` narrow what is listed and what can be called; `?schema=` changes how arguments are described.
 * Rejects with 422 `validation_failed`.
 */
function chosen(
  made: (form: Form) => Made,
  query: URLSearchParams,
  ways: ReadonlyMap<string, Way>,
): Omit<ToolSet, "documents"> {
  const asked = onceIn(query, "schema") ?? "full";
  const form = FORMS.find((each) => each === asked);
  if (form === undefined) return refuse("schema", FORMS);
  const { entries, elsewhere, defaults, more } = made(form);
  const toolsets = toolsetsIn(query, entries);
  const readOnly = isReadOnly(query);
  const allowed = ({ tool, toolset }: ToolEntry): boolean =>
    (toolset === null || toolsets === null || toolsets.has(ALL) || toolsets.has(toolset)) &&
    (!readOnly || tool.annotations.readOnlyHint === true);
  const callable = entries.filter(allowed);
  const hasMore = toolsets === null || toolsets.has(ALL);
  const listed = toolsets === null ? defaults.filter(allowed) : callable;
  const leading = readOnly ? more.reading : more.writing;
  return {
    listed: [...listed.map(({ tool }) => tool), ...(hasMore ? leading : [])],
    callable: callable.map(({ tool }) => tool),
    elsewhere,
    isTerse: toolsets === null,
    hasMore,
    ...namesOf(callable, { all: entries, elsewhere, hasMore, readOnly, ways }),
  };
}

interface Around {
  readonly all: readonly ToolEntry[];
  readonly elsewhere: readonly Tool[];
  readonly hasMore: boolean;
  readonly readOnly: boolean;
  readonly ways: ReadonlyMap<string, Way>;
}

function namesOf(callable: readonly ToolEntry[], around: Around) {
  const { all, hasMore, readOnly, ways } = around;
  const byName = new Map(callable.map((entry) => [entry.tool.name, entry]));
  const isMore = (name: string) => hasMore && (name === MORE_TOOLS || isCall(name));
  const find = (name: string) => byName.get(name);
  const meant = (name: string) => meantName(name, (each) => byName.has(each) || isMore(each));
  const refusal = (name: string): string => {
    const elsewhere = meantName(name, (each) => all.some(({ tool }) => tool.name === each));
    const entry = all.find(({ tool }) => tool.name === elsewhere);
    const other = around.elsewhere.find(({ name: known }) => {
      const sent = meantName(name, (each) => each === known || TOOL_ALIASES.get(each) === known);
      return sent === known || TOOL_ALIASES.get(sent) === known;
    });
    if (other !== undefined) return atOpenDoor(other.name);
    if (entry !== undefined && readOnly && entry.tool.annotations.readOnlyHint !== true)
      return `${elsewhere} writes, and this connection only reads (readonly).`;
    if (entry !== undefined)
      return `${elsewhere} is in the toolset ${entry.toolset}, which this connection leaves out.`;
    const named = suggestionFor(
      name,
      callable.map(({ tool }) => tool),
      ways,
    );
    const more = hasMore ? ` ${MORE_TOOLS} finds tools by what you want to do.` : "";
    return `There is no such tool.${named}${more}`;
  };
  return { find, meant, refusal };
}

function refuse(field: string, words: readonly string[]): never {
  const problem = oneOf(words);
  return reject("validation_failed", `\`${field}\` ${problem}.`, [{ field, problem }]);
}

/** The value of a parameter, null where it was not sent. Rejects one that was sent twice. */
function onceIn(query: URLSearchParams, field: string): string | null {
  const [value = null, ...more] = query.getAll(field);
  if (more.length === 0) return value;
  const problem = "was sent twice";
  return reject("validation_failed", `\`${field}\` ${problem}.`, [{ field, problem }]);
}

function toolsetsIn(
  query: URLSearchParams,
  entries: readonly ToolEntry[],
): ReadonlySet<string> | null {
  const names = new Set([ALL, ...entries.flatMap(({ toolset }) => toolset ?? [])]);
  const asked = onceIn(query, "toolsets")
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (asked?.some((name) => !names.has(name))) return refuse("toolsets", [...names].sort());
  return asked === undefined ? null : new Set(asked);
}

/** What a host may write: one that believes that it only reads must not be able to write. */
const READONLY: ReadonlyMap<string, boolean> = new Map([
  ...["", "1", "true", "yes", "on"].map((word) => [word, true] as const),
  ...["0", "false", "no", "off"].map((word) => [word, false] as const),
]);

function isReadOnly(query: URLSearchParams): boolean {
  const near = [...query.keys()].find(
    (name) => name !== "readonly" && /^read[-_]?only$/i.test(name),
  );
  if (near !== undefined) return refuse(near, ["readonly"]);
  const asked = onceIn(query, "readonly");
  const readOnly = asked === null ? false : READONLY.get(asked.toLowerCase());
  return readOnly ?? refuse("readonly", [...READONLY.keys()].filter(Boolean));
}
