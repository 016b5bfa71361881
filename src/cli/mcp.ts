import { once } from "node:events";
import { PACKAGE_VERSION } from "../main/version.ts";
import { HELP, mcpOptions } from "./mcp/options.ts";
import { Stop } from "./stop.ts";

/**
 * `cairn mcp`: serves a network's tools to a host that speaks MCP over standard input and output.
 * Nothing else is ever written to standard output. Resolves when the host closes its end.
 */
export async function mcp(args: readonly string[]): Promise<number> {
  try {
    const options = mcpOptions(args);
    if (options === null) {
      console.log(HELP);
      return 0;
    }
    const [{ serveStdio }, { bridgeTo }] = await Promise.all([
      import("@modelcontextprotocol/server/stdio"),
      import("./mcp/bridge.ts"),
    ]);
    const closed = once(process.stdin, "close");
    serveStdio(bridgeTo(options, PACKAGE_VERSION), {
      onerror: ({ message }) => console.error(message),
    });
    await closed;
    return 0;
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    console.error(error.message);
    return error.exitCode;
  }
}
