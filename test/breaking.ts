import { narrowed, reshaped } from "./breaking-schemas.ts";
import {
  type Document,
  type Documented,
  documentedIn,
  type Response,
  type Schema,
} from "./openapi-document.ts";

/** What outsiders know of the service, in the three documents that programs read. */
export interface Wire {
  readonly catalogue: {
    readonly protocol_version: number;
    readonly routes: readonly Route[];
    readonly documents: Readonly<Record<string, string>>;
  };
  readonly openapi: Document;
  readonly tools: readonly Tool[];
}

interface Route {
  readonly method: string;
  readonly path: string;
  readonly sends: readonly string[];
  readonly returns: readonly string[];
  readonly mcp_tool: string | null;
}

interface Tool {
  readonly name: string;
  readonly inputSchema: Schema;
  readonly outputSchema: Schema;
}

/**
 * What a client of the released wire would stumble over, one line each; a new protocol version may
 * break everything (spec: Versioning). Whatever is added breaks nothing.
 */
export function breakingChanges(released: Wire, current: Wire): readonly string[] {
  if (current.catalogue.protocol_version > released.catalogue.protocol_version) return [];
  return [
    ...inCatalogue(released.catalogue, current.catalogue),
    ...inTools(released.tools, current.tools),
    ...inOperations(
      documentedIn(inlined(released.openapi)),
      documentedIn(inlined(current.openapi)),
    ),
  ].map((change) => `${change}.`);
}

function* inCatalogue(was: Wire["catalogue"], is: Wire["catalogue"]): Generator<string> {
  for (const [name, path] of Object.entries(was.documents))
    if (is.documents[name] !== path) yield `catalogue: the document ${name} is not at ${path}`;
  for (const route of was.routes) {
    const name = `catalogue: ${route.method} ${route.path}`;
    const now = is.routes.find(
      ({ method, path }) => method === route.method && path === route.path,
    );
    if (now === undefined) yield `${name} is gone`;
    else yield* inRoute(route, now, name);
  }
}

function* inRoute(was: Route, is: Route, name: string): Generator<string> {
  const isOptional = (sent: string) => sent.endsWith("?");
  for (const sent of is.sends)
    if (!isOptional(sent) && !was.sends.includes(sent)) yield `${name} requires ${sent}`;
  for (const sent of was.sends.map((each) => each.replace("?", "")))
    if (!is.sends.some((each) => each.replace("?", "") === sent)) yield `${name} takes no ${sent}`;
  for (const field of was.returns)
    if (!is.returns.includes(field)) yield `${name} returns no ${field}`;
  if (was.mcp_tool !== null && is.mcp_tool !== was.mcp_tool)
    yield `${name} is not the tool ${was.mcp_tool}`;
}

function* inTools(was: readonly Tool[], is: readonly Tool[]): Generator<string> {
  for (const tool of was) {
    const name = `tool ${tool.name}:`;
    const now = is.find((each) => each.name === tool.name);
    if (now === undefined) yield `${name} it is gone`;
    else {
      yield* narrowed(tool.inputSchema, now.inputSchema, `${name} input`);
      for (const field of tool.outputSchema.required ?? [])
        if (!now.outputSchema.required?.includes(field)) yield `${name} it returns no ${field}`;
    }
  }
}

function* inOperations(was: readonly Documented[], is: readonly Documented[]): Generator<string> {
  for (const operation of was) {
    const { name } = operation;
    const now = is.find((each) => each.name === name);
    if (now === undefined) yield `${name}: it is gone`;
    else {
      if (now.needsToken && !operation.needsToken) yield `${name}: it needs a token`;
      yield* narrowed(operation.input, now.input, `${name}: input`);
      yield* inAnswers(operation, now);
    }
  }
}

function* inAnswers({ name, responses }: Documented, is: Documented): Generator<string> {
  for (const [status, was] of Object.entries(responses)) {
    const now = is.responses[status];
    if (now === undefined) yield `${name}: it answers ${status} no more`;
    else yield* inAnswer(was, now, `${name}, ${status}:`);
  }
}

function* inAnswer(was: Response, is: Response, name: string): Generator<string> {
  for (const header of Object.keys(was.headers ?? {}))
    if (is.headers?.[header] === undefined) yield `${name} the header ${header} is gone`;
  for (const [type, { schema, examples = {} }] of Object.entries(was.content ?? {})) {
    const now = is.content?.[type];
    if (now === undefined) yield `${name} it is not ${type}`;
    else {
      for (const code of Object.keys(examples))
        if (now.examples?.[code] === undefined) yield `${name} the code ${code} is gone`;
      yield* reshaped(schema, now.schema, `${name} body`);
    }
  }
}

/** The document with its shared schemas where they are referred to, and with what `allOf` adds. */
function inlined(document: Document): Document {
  const { schemas } = document.components;
  const inline = (_: string, value: unknown): unknown => {
    const name = /^#\/components\/schemas\/(.+)$/.exec(Object(value).$ref)?.[1];
    return name === undefined ? value : JSON.parse(JSON.stringify(schemas[name], inline));
  };
  return JSON.parse(JSON.stringify(document, inline), (_, value) =>
    Object(value).allOf === undefined ? value : joined(value),
  );
}

/** The last one that says something of a field is right. */
function joined({ allOf = [], ...own }: Schema): Schema {
  const all = [...allOf, own];
  return {
    ...Object.assign({}, ...all),
    properties: Object.assign({}, ...all.map(({ properties }) => properties)),
    required: all.flatMap(({ required = [] }) => required),
  };
}
