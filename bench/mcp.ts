import { fork } from "node:child_process";
import { once } from "node:events";
import { type Bench, type Figure, rateFigure } from "./figure.ts";
import { fill } from "./fill.ts";
import { startCairn } from "./processes.ts";
import { get } from "./requests.ts";

const ENTRIES = 2_000;
const PATH = "/api/v1/mcp";
const REVISION = "2026-07-28";
const FEED = "/api/v1/feed";

const HEAD = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": REVISION,
  "mcp-method": "tools/call",
  "mcp-name": "feed_list",
};
const BODY = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name: "feed_list",
    arguments: {},
    _meta: {
      "io.modelcontextprotocol/protocolVersion": REVISION,
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
});

/** A whole request for the tool by the agent with that token. */
function call(token: string): string {
  const fields = { host: "127.0.0.1", authorization: `Bearer ${token}`, ...HEAD };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${PATH} HTTP/1.1`, ...lines, `content-length: ${BODY.length}`, "", BODY].join(
    "\r\n",
  );
}

/** A tool of the service against the same tool of a bare server with the same SDK, and against REST. */
export async function mcp(bench: Bench): Promise<Figure[]> {
  const filled = await fill(ENTRIES);
  const cairn = await startCairn(filled.dataDir);
  await cairn.settled();
  const requests = filled.tokens.slice(0, 32).map(call);
  const headers = { ...HEAD, authorization: `Bearer ${filled.tokens[0]}` };
  const url = `http://127.0.0.1:${cairn.port}${PATH}`;
  const answer = await fetch(url, { method: "POST", headers, body: BODY });
  const { result } = JSON.parse(await answer.text());
  const bare = fork(new URL("./bare-mcp.ts", import.meta.url));
  bare.send(result);
  const [port] = await once(bare, "message");
  const ours = { port: cairn.port, requests };
  const name = "tools/call of feed_list";
  const figures = [
    await rateFigure(bench, { name: `${name}, hot`, limit: 0.8 }, ours, { port, requests }),
    await rateFigure(bench, { name: `${name} against GET /feed`, limit: 0.06 }, ours, {
      port: cairn.port,
      requests: [get(FEED)],
    }),
  ];
  bare.kill();
  await cairn.stop();
  return figures;
}
