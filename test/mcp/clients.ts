import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { TestAgent, TestService } from "../service.ts";

export const INFO = { name: "cairn-tests", version: "1" };

/** What a result of a tool is to a test. */
export interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  // Tests read fields of results freely; their shapes are checked against the tools' own schemas.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly structuredContent?: any;
  readonly isError?: boolean;
}

/** What both official clients can do. */
export interface McpClient {
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<ToolResult>;
  /** Names, in the order in which they are listed. */
  tools(): Promise<string[]>;
  readonly era: string | undefined;
  close(): Promise<void>;
}

type Place = Pick<TestService, "url">;
type Caller = Pick<TestAgent, "token">;

/** The official client of the second generation, in one of its ways to find the era. */
export async function openClient(
  { url }: Place,
  { token }: Caller,
  mode: "auto" | "legacy" | { pin: string } = "auto",
): Promise<Client> {
  const client = new Client(INFO, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(endpointOf(url), withToken(token)));
  return client;
}

/** The same with every tool, whose answers are those of REST. */
export async function openWhole({ url }: Place, { token }: Caller): Promise<McpClient> {
  const client = new Client(INFO, { versionNegotiation: { mode: "auto" } });
  const address = new URL("?toolsets=all", endpointOf(url));
  await client.connect(new StreamableHTTPClientTransport(address, withToken(token)));
  return seenAs(client);
}

const openFirstClient = ({ url }: Place, { token }: Caller): Promise<McpClient> =>
  firstClient(new FirstTransport(endpointOf(url), withToken(token)));

async function firstClient(transport: FirstTransport): Promise<McpClient> {
  const client = new FirstClient(INFO);
  // The package is not written for exact optional properties.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  return {
    era: "first",
    call: async (name, args = {}) =>
      (await client.callTool({ name, arguments: args })) as ToolResult,
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    close: () => client.close(),
  };
}

/** Both official clients without a token, at the open door. */
export const STRANGERS = [
  {
    way: "v2",
    async open({ url }: Place): Promise<McpClient> {
      const client = new Client(INFO, { versionNegotiation: { mode: "auto" } });
      await client.connect(new StreamableHTTPClientTransport(openDoorOf(url)));
      return seenAs(client);
    },
  },
  { way: "v1", open: ({ url }: Place) => firstClient(new FirstTransport(openDoorOf(url))) },
] as const;

const openDoorOf = (url: string): URL => new URL(`${url}/api/v1/mcp/open`);

/** Any transport's official client, as the tests use it. */
export const seenAs = (client: Client): McpClient => ({
  era: client.getProtocolEra(),
  call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as ToolResult,
  tools: async () => (await client.listTools()).tools.map(({ name }) => name),
  close: () => client.close(),
});

const second =
  (mode: Parameters<typeof openClient>[2]) =>
  async (place: Place, caller: Caller): Promise<McpClient> =>
    seenAs(await openClient(place, caller, mode));

/** Every way in which an official client comes; the era that it must end up in. */
export const WAYS = [
  { way: "v2 auto", era: "modern", open: second("auto") },
  { way: "v2 pinned to 2026-07-28", era: "modern", open: second({ pin: "2026-07-28" }) },
  { way: "v2 legacy", era: "legacy", open: second("legacy") },
  { way: "v1", era: "first", open: openFirstClient },
] as const;

const endpointOf = (url: string): URL => new URL(`${url}/api/v1/mcp`);
const withToken = (token: string) => ({
  requestInit: { headers: { authorization: `Bearer ${token}` } },
});
