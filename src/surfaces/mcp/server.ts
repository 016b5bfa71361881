import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { Rejection, reject } from "../../kernel/contract/errors.ts";
import { didYouMean } from "../../kernel/nearest.ts";
import { INSTRUCTIONS, UNTRUSTED } from "../describe/instructions.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { capped } from "./answer-cap.ts";
import { promptList, promptOf } from "./prompts.ts";
import {
  inboxTemplate,
  newsOf,
  operationAt,
  resourcesOf,
  type TextResources,
  templatesOf,
} from "./resources.ts";
import type { SchemaForm } from "./schema.ts";
import { sentencesOf } from "./sentences.ts";
import type { Success } from "./shared-reads.ts";
import {
  documentsIn,
  noDocument,
  openToolsOf,
  type ToolEntry,
  toolName,
  toolsOf,
} from "./tools.ts";

type Args = Readonly<Record<string, unknown>>;

/** How one caller's operations are run. */
export interface Answering {
  /** Null for nobody. */
  readonly agent_id: string | null;
  /** What REST would answer. Rejects as `invoke` does. */
  success(operation: BoundOperation, args: Args): Promise<Success>;
  /** The body of a refusal; any other error is reported to the operator alone. */
  failure(error: unknown): string;
}

/** One request: who calls, and which tools it may see. */
export interface Serving {
  readonly answering: Answering;
  readonly tools: readonly ToolEntry[];
}

export interface McpParts {
  readonly registry: readonly BoundOperation[];
  readonly texts: TextResources;
  readonly version: string;
}

const LISTS_LIVE_MS = 300_000;
const KEPT_BY_ANYBODY = { ttlMs: LISTS_LIVE_MS, cacheScope: "public" } as const;
const CACHE_HINTS = {
  "tools/list": KEPT_BY_ANYBODY,
  "prompts/list": KEPT_BY_ANYBODY,
  "resources/list": KEPT_BY_ANYBODY,
  "resources/templates/list": KEPT_BY_ANYBODY,
  "server/discover": KEPT_BY_ANYBODY,
};

/**
 * Makes the server of one request: it only binds the caller, everything else was made before. The
 * low-level server, because faults of arguments must come back in our own shape.
 */
export function mcpServers({ registry, texts, version }: McpParts) {
  const toolsIn: Readonly<Record<SchemaForm, readonly ToolEntry[]>> = {
    full: toolsOf(registry, "full"),
    simple: toolsOf(registry, "simple"),
  };
  const openToolsIn: typeof toolsIn = {
    full: openToolsOf(registry, "full"),
    simple: openToolsOf(registry, "simple"),
  };
  const documents = documentsIn(registry);
  const templates = templatesOf(registry);
  const news = newsOf(registry);
  const resources = resourcesOf(texts, documents, news);
  const resourceTemplates = [...templates.map(({ shown }) => shown), inboxTemplate(news)];
  const worded = sentencesOf(registry, toolName);
  const agentsText = new Set(registry.filter(holdsAgentsText));
  const identity = { name: "cairn", title: "Cairn", version };

  async function call({ answering, tools }: Serving, name: string, args: Args) {
    const entry = tools.find(({ tool }) => tool.name === name);
    if (entry === undefined) {
      const near = didYouMean(
        name,
        tools.map((each) => each.tool.name),
      );
      throw invalidParams(`There is no such tool.${near}`);
    }
    try {
      const called = entry.callOf(args) ?? refuseDocument(documents.keys());
      const { operation } = called;
      const { text, body } = await capped(operation, called.args, async (asked) =>
        worded(operation, await answering.success(operation, asked)),
      );
      const content = [{ type: "text" as const, text }];
      if (agentsText.has(operation)) content.push({ type: "text", text: UNTRUSTED });
      return { content, structuredContent: body };
    } catch (error) {
      return {
        content: [{ type: "text" as const, text: answering.failure(error) }],
        isError: true,
      };
    }
  }

  async function read({ answering }: Serving, uri: string) {
    const text = texts.get(uri);
    if (text !== undefined)
      return { contents: [{ uri, mimeType: text.mimeType, text: text.text() }] };
    const found = operationAt({ documents, templates, news }, uri, answering.agent_id);
    if (found === null) throw new ResourceNotFoundError(uri, NO_RESOURCE);
    try {
      const { text } = await answering.success(found.operation, found.args);
      const contents = [{ uri, mimeType: "application/json", text }];
      if (agentsText.has(found.operation))
        contents.push({ uri, mimeType: "text/plain", text: UNTRUSTED });
      return { contents };
    } catch (error) {
      if (error instanceof Rejection && error.status < 500)
        throw new ResourceNotFoundError(uri, NO_RESOURCE);
      throw new ProtocolError(ProtocolErrorCode.InternalError, answering.failure(error));
    }
  }

  function serverOf(serving: Serving, resourcesCan: { readonly subscribe?: true }): Server {
    const capabilities = { tools: {}, resources: resourcesCan, prompts: {}, completions: {} };
    const shown = serving.tools.map(({ tool }) => tool);
    const options = { capabilities, instructions: INSTRUCTIONS, cacheHints: CACHE_HINTS };
    const server = new Server(identity, options);
    server.setRequestHandler("tools/list", onOnePage({ tools: shown }));
    server.setRequestHandler("tools/call", ({ params }) =>
      call(serving, params.name, params.arguments ?? {}),
    );
    server.setRequestHandler("resources/list", onOnePage({ resources }));
    server.setRequestHandler("resources/templates/list", onOnePage({ resourceTemplates }));
    server.setRequestHandler("resources/read", ({ params }) => read(serving, params.uri));
    server.setRequestHandler("prompts/list", onOnePage({ prompts: promptList }));
    server.setRequestHandler("prompts/get", async ({ params }) =>
      promptOf(params.name, params.arguments ?? {}),
    );
    server.setRequestHandler("completion/complete", async ({ params }) => {
      const values = completionsOf(shown, params.argument);
      return { completion: { values, total: values.length, hasMore: false } };
    });
    return server;
  }

  return { toolsIn, openToolsIn, serverOf };
}

/** Whether a result shows what agents wrote: contracts mark such fields of an output. */
const holdsAgentsText = ({ output }: BoundOperation): boolean =>
  JSON.stringify(z.toJSONSchema(output, { io: "input" })).includes('"x-untrusted":true');

/** The SDK's own message would quote the address. */
const NO_RESOURCE = "There is no such resource.";

const COMPLETED = new Set(["about", "document", "currency", "outcome"]);
const COMPLETIONS_MAX = 100;

/** Only the tool of documents can lack an operation. */
function refuseDocument(names: Iterable<string>): never {
  const { error, message, details } = noDocument(names);
  return reject(error, message, details);
}

/** The values of an argument's enum, wherever a tool has one of that name. */
function completionsOf(
  tools: readonly { readonly inputSchema: Args }[],
  { name, value }: { readonly name: string; readonly value: string },
): string[] {
  if (!COMPLETED.has(name)) return [];
  const fields = z.record(z.string(), z.object({ enum: z.array(z.string()).default([]) }));
  const all = tools.flatMap(({ inputSchema }) => {
    const { data } = fields.safeParse(inputSchema["properties"]);
    return data?.[name]?.enum ?? [];
  });
  return [...new Set(all)].filter((each) => each.startsWith(value)).slice(0, COMPLETIONS_MAX);
}

interface Paged {
  readonly params?: { readonly cursor?: string | undefined } | undefined;
}

/** A list that is never cut, so no answer gave a cursor of it. */
const onOnePage =
  <T>(list: T) =>
  async ({ params }: Paged): Promise<T> => {
    if (params?.cursor) throw invalidParams("This list has one page. Ask without a cursor.");
    return list;
  };

const invalidParams = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message);
