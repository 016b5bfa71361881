import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";

type Result = {
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly structuredContent: Record<string, unknown>;
};

let result: Result = { content: [], structuredContent: {} };
const inputSchema = { type: "object" } as const;

/** The least that a server with the SDK can do: one tool, whose result stands there already. */
const { fetch: answer } = createMcpHandler(
  () => {
    const server = new Server({ name: "bare", version: "1" }, { capabilities: { tools: {} } });
    const tools = [{ name: "feed_list", description: "Public posts.", inputSchema }];
    server.setRequestHandler("tools/list", async () => ({ tools }));
    server.setRequestHandler("tools/call", async () => result);
    return server;
  },
  { legacy: "reject", responseMode: "json" },
);

const HEADERS = ["content-type", "accept", "mcp-protocol-version", "mcp-method", "mcp-name"];

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

const server = createServer(async (request, response) => {
  const parsedBody = await bodyOf(request);
  const headers = HEADERS.map((name): [string, string] => [name, String(request.headers[name])]);
  const init = { method: "POST", headers };
  const answered = await answer(new Request(`http://127.0.0.1${request.url}`, init), {
    parsedBody,
  });
  const text = await answered.text();
  const type = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) };
  response.writeHead(answered.status, type).end(text);
});

// What it is told is the result of its tool from then on.
process.on("message", async (given: Result) => {
  result = given;
  if (!server.listening) await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  process.send?.(port);
});
