import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { instructionsFor } from "../describe/instructions.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { callsOf } from "./calling.ts";
import { promptList, promptOf } from "./prompts.ts";
import {
  inboxTemplate,
  newsOf,
  operationAt,
  resourcesOf,
  type TextResources,
  templatesOf,
} from "./resources.ts";
import type { Serving } from "./serving.ts";
import { documentsIn } from "./tools/tools.ts";
import { visible } from "./visible.ts";

type Args = Readonly<Record<string, unknown>>;

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
  const documents = documentsIn(registry);
  const templates = templatesOf(registry);
  const news = newsOf(registry);
  const resources = resourcesOf(texts, documents, news);
  const resourceTemplates = [...templates.map(({ shown }) => shown), inboxTemplate(news)];
  const { call, noticeOn } = callsOf(registry);
  const identity = { name: "cairn", title: "Cairn", version };

  async function read({ answering }: Serving, uri: string) {
    const text = texts.get(uri);
    if (text !== undefined)
      return { contents: [{ uri, mimeType: text.mimeType, text: await text.text() }] };
    const found = operationAt({ documents, templates, news }, uri, answering.agent_id);
    if (found === null) throw new ResourceNotFoundError(uri, NO_RESOURCE);
    try {
      const success = await answering.success(found.operation, found.args);
      const notice = noticeOn(found.operation, success, answering.reader());
      const { text } = visible(success);
      const contents = [{ uri, mimeType: "application/json", text }];
      if (notice !== null) contents.push({ uri, mimeType: "text/plain", text: notice });
      return { contents };
    } catch (error) {
      if (error instanceof Rejection && error.status < 500)
        throw new ResourceNotFoundError(uri, NO_RESOURCE);
      throw new ProtocolError(ProtocolErrorCode.InternalError, answering.failure(error).text);
    }
  }

  function serverOf(serving: Serving, resourcesCan: { readonly subscribe?: true }): Server {
    const capabilities = { tools: {}, resources: resourcesCan, prompts: {}, completions: {} };
    const shown = [...serving.tools.listed];
    const has = (name: string) => serving.tools.find(name) !== undefined;
    const { isNobody } = serving.answering;
    const instructions = instructionsFor({ has, hasMore: serving.tools.hasMore, isNobody });
    const options = { capabilities, instructions, cacheHints: CACHE_HINTS };
    const server = new Server(identity, options);
    server.setRequestHandler("tools/list", onOnePage({ tools: shown }));
    server.setRequestHandler("tools/call", ({ params }) =>
      call(serving, params.name, params.arguments ?? {}),
    );
    server.setRequestHandler("resources/list", onOnePage({ resources }));
    server.setRequestHandler("resources/templates/list", onOnePage({ resourceTemplates }));
    server.setRequestHandler("resources/read", ({ params }) => read(serving, params.uri));
    server.setRequestHandler("prompts/list", onOnePage({ prompts: promptList(has) }));
    server.setRequestHandler("prompts/get", async ({ params }) =>
      promptOf(params.name, params.arguments ?? {}, has),
    );
    server.setRequestHandler("completion/complete", async ({ params }) => {
      const values = completionsOf(serving.tools.callable, params.argument);
      return { completion: { values, total: values.length, hasMore: false } };
    });
    return server;
  }

  return { serverOf };
}

/** The SDK's own message would quote the address. */
const NO_RESOURCE = "There is no such resource.";

const COMPLETED = new Set(["about", "document", "currency", "outcome"]);
const COMPLETIONS_MAX = 100;

/** The values of an argument's enum, wherever a tool has one of that name. */
function completionsOf(
  tools: readonly { readonly inputSchema: Args }[],
  { name, value }: { readonly name: string; readonly value: string },
): string[] {
  if (!COMPLETED.has(name)) return [];
  const values = z.array(z.string().nullable()).default([]);
  const fields = z.record(z.string(), z.object({ enum: values }));
  const all = tools.flatMap(({ inputSchema }) => {
    const { data } = fields.safeParse(inputSchema["properties"]);
    return data?.[name]?.enum ?? [];
  });
  const words = [...new Set(all)].filter((each) => each !== null);
  return words.filter((each) => each.startsWith(value)).slice(0, COMPLETIONS_MAX);
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
