import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { reject } from "../../kernel/contract/errors.ts";
import { oneOf } from "../describe/tags.ts";
import { type Listener, type ListeningParts, listening } from "./listening.ts";
import { SCHEMA_FORMS, type SchemaForm } from "./schema.ts";
import { type McpParts, mcpServers, type Serving } from "./server.ts";
import type { ToolEntry } from "./tools.ts";

/** What one HTTP request brings, when everything that is ours has passed. */
export interface McpRequest {
  readonly url: string;
  readonly headers: Headers;
  /** Parsed. */
  readonly body: unknown;
  readonly serving: Serving["answering"];
  readonly query: URLSearchParams;
  /** Null for nobody, who can't listen. */
  readonly listener: Listener | null;
  /** Whether it came in by the open door. */
  readonly isOpen: boolean;
}

interface EndpointParts extends McpParts, ListeningParts {
  readonly onError: (error: Error) => void;
}

/**
 * The endpoint in both eras of the protocol, without sessions: the modern one by the SDK's own
 * handler, the legacy one on a transport that answers in JSON and lives for one request.
 */
export function mcpEndpoint({ onError, ...parts }: EndpointParts) {
  const { toolsIn, openToolsIn, serverOf } = mcpServers(parts);
  const listen = listening(parts);
  const serving = new WeakMap<Request, Serving>();

  const factory: McpServerFactory = ({ requestInfo }) =>
    serverOf(servingOf(requestInfo), { subscribe: true });
  const modern = createMcpHandler(factory, {
    legacy: "reject",
    responseMode: "json",
    onerror: onError,
  });

  function servingOf(request: Request | undefined): Serving {
    const found = request && serving.get(request);
    if (found === undefined) throw new Error("A request has nobody to serve.");
    return found;
  }

  return async ({
    url,
    headers,
    body,
    query,
    serving: answering,
    listener,
    isOpen,
  }: McpRequest): Promise<Response> => {
    headers.set("accept", "application/json, text/event-stream"); // The legacy leg refuses any other.
    const request = new Request(url, { method: "POST", headers });
    const one = { answering, tools: chosen(isOpen ? openToolsIn : toolsIn, query) };
    serving.set(request, one);
    if (!(await isLegacyRequest(request, body)))
      return (
        (listener && (await listen(body, request, { listener, factory }))) ??
        modern.fetch(request, { parsedBody: body })
      );
    const server = serverOf(one, {}); // Without a session there is no channel for updates.
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      return await transport.handleRequest(request, { parsedBody: body });
    } finally {
      void server.close();
    }
  };
}

function refuse(field: string, words: readonly string[]): never {
  const problem = oneOf(words);
  return reject("validation_failed", `\`${field}\` ${problem}.`, [{ field, problem }]);
}

/** What a host may write: one that believes that it only reads must not be able to write. */
const READONLY: ReadonlyMap<string, boolean> = new Map([
  ...["", "1", "true", "yes", "on"].map((word) => [word, true] as const),
  ...["0", "false", "no", "off"].map((word) => [word, false] as const),
]);

/** The value of a parameter, null where it was not sent. Rejects one that was sent twice. */
function onceIn(query: URLSearchParams, field: string): string | null {
  const [value = null, ...more] = query.getAll(field);
  if (more.length === 0) return value;
  const problem = "was sent twice";
  return reject("validation_failed", `\`${field}\` ${problem}.`, [{ field, problem }]);
}

/**
 * `?toolsets=market,coin` and `?readonly=1` narrow what is listed and what can be called;
 * `?schema=simple` changes how arguments are described. Rejects with 422 `validation_failed`.
 */
function chosen(
  toolsIn: Readonly<Record<SchemaForm, readonly ToolEntry[]>>,
  query: URLSearchParams,
): readonly ToolEntry[] {
  const form = onceIn(query, "schema") ?? "full";
  const known = SCHEMA_FORMS.find((each) => each === form);
  if (known === undefined) return refuse("schema", SCHEMA_FORMS);
  const tools = toolsIn[known];
  const names = new Set(tools.flatMap(({ toolset }) => toolset ?? []));
  const toolsets = onceIn(query, "toolsets")
    ?.split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (toolsets?.some((name) => !names.has(name))) return refuse("toolsets", [...names].sort());
  const near = [...query.keys()].find(
    (name) => name !== "readonly" && /^read[-_]?only$/i.test(name),
  );
  if (near !== undefined) return refuse(near, ["readonly"]);
  const asked = onceIn(query, "readonly");
  const readOnly = asked === null ? false : READONLY.get(asked.toLowerCase());
  if (readOnly === undefined) return refuse("readonly", [...READONLY.keys()].filter(Boolean));
  if (toolsets === undefined && !readOnly) return tools;
  return tools.filter(
    ({ tool, toolset }) =>
      (toolset === null || toolsets === undefined || toolsets.includes(toolset)) &&
      (!readOnly || tool.annotations.readOnlyHint),
  );
}
