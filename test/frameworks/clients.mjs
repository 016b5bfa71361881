import { createMCPClient } from "@ai-sdk/mcp";
import { mcpToTool } from "@google/genai";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { getAllMcpTools, MCPServerStreamableHttp, RunContext } from "@openai/agents";

const INFO = { name: "cairn-tests", version: "1" };

const textOf = ({ content = [] }) => content.map(({ text = "" }) => text).join("");

async function firstClient(url, headers) {
  const client = new FirstClient(INFO);
  await client.connect(new FirstTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

/** What both official clients can do. */
const official = async (client) => ({
  tools: (await client.listTools()).tools.map(({ name, inputSchema }) => [name, inputSchema]),
  call: async (name, args) => textOf(await client.callTool({ name, arguments: args })),
  close: () => client.close(),
});

/**
 * Each framework's own client: the tools as its model sees them, a call, which resolves to what the model reads, and
 * an end.
 */
export const FRAMEWORKS = {
  "MCP SDK v1": async (url, headers) => official(await firstClient(url, headers)),

  async "MCP SDK v2"(url, headers) {
    const client = new Client(INFO, { versionNegotiation: { mode: "auto" } });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
    );
    return official(client);
  },

  async "ai-sdk"(url, headers) {
    const client = await createMCPClient({ transport: { type: "http", url, headers } });
    const tools = await client.tools();
    return {
      tools: Object.entries(tools).map(([name, { inputSchema }]) => [name, inputSchema.jsonSchema]),
      call: async (name, args) =>
        textOf(await tools[name].execute(args, { toolCallId: "1", messages: [] })),
      close: () => client.close(),
    };
  },

  async "OpenAI Agents"(url, headers) {
    const server = new MCPServerStreamableHttp({ url, name: "cairn", requestInit: { headers } });
    await server.connect();
    const convertSchemasToStrict = url.includes("schema=strict");
    const tools = await getAllMcpTools({ mcpServers: [server], convertSchemasToStrict });
    return {
      tools: tools.map(({ name, parameters, strict }) => [name, parameters, strict]),
      async call(name, args) {
        const tool = tools.find((each) => each.name === name);
        const answer = await tool.invoke(new RunContext({}), JSON.stringify(args), {});
        return typeof answer === "string" ? answer : answer.text;
      },
      close: () => server.close(),
    };
  },

  async LangChain(url, headers) {
    const servers = { cairn: { transport: "http", url, headers } };
    const client = new MultiServerMCPClient({ mcpServers: servers });
    const tools = await client.getTools();
    return {
      tools: tools.map(({ name, schema }) => [name, schema]),
      async call(name, args) {
        const tool = tools.find((each) => each.name === name);
        // Its agents hand the message of an error that a tool throws to the model.
        const answer = await tool.invoke(args).catch(({ message }) => message);
        return [answer]
          .flat()
          .map((part) => part.text ?? part)
          .join("");
      },
      close: () => client.close(),
    };
  },

  async genai(url, headers) {
    const client = await firstClient(url, headers);
    const callable = mcpToTool(client);
    const { functionDeclarations } = await callable.tool();
    return {
      tools: functionDeclarations.map(({ name, parametersJsonSchema }) => [
        name,
        parametersJsonSchema,
      ]),
      async call(name, args) {
        const [{ functionResponse }] = await callable.callTool([{ name, args }]);
        const { error, ...answer } = functionResponse.response;
        return textOf(error ?? answer);
      },
      close: () => client.close(),
    };
  },
};
