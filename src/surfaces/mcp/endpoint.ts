import {
  createMcpHandler,
  isLegacyRequest,
  type McpServerFactory,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { PROTOCOL_VERSIONS } from "../describe/server-card.ts";
import { type Listener, type ListeningParts, listening } from "./listening.ts";
import { type McpParts, mcpServers } from "./server.ts";
import type { Serving } from "./serving.ts";
import { toolSets } from "./tools/tool-set.ts";

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
 * handler, which answers in JSON because no call sends notifications; the legacy one on a transport that lives for one
 * request.
 */
export function mcpEndpoint({ onError, ...parts }: EndpointParts) {
  const { serverOf } = mcpServers(parts);
  const setFor = toolSets(parts.registry);
  setFor(new URLSearchParams(), false); // Made now: most hosts ask for it.
  const listen = listening(parts);
  const serving = new WeakMap<Request, Serving>();

  const factory: McpServerFactory = ({ requestInfo }) =>
    serverOf(servingOf(requestInfo), { subscribe: true });
  const modern = createMcpHandler(factory, { legacy: "reject", onerror: onError });

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
    const one = { answering, tools: setFor(query, isOpen) };
    serving.set(request, one);
    if (!(await isLegacyRequest(request, body)))
      return (
        (listener && (await listen(body, request, { listener, factory }))) ??
        modern.fetch(request, { parsedBody: body })
      );
    const server = serverOf(one, {}); // Without a session there is no channel for updates.
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    transport.setSupportedProtocolVersions([...PROTOCOL_VERSIONS]); // To be named where another is asked for.
    try {
      return await transport.handleRequest(request, { parsedBody: body });
    } finally {
      void server.close();
    }
  };
}
