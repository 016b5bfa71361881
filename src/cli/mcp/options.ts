import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { HANDLE } from "../../kernel/ids.ts";
import { baseUrlIn } from "../base-url.ts";
import { Stop, USAGE } from "../stop.ts";

export const HELP = `usage: cairn mcp --url URL --token-file FILE [--handle NAME]

Serves the tools of a network to a host that speaks MCP over standard input and output. As long
as FILE does not exist, there are two tools: one that reads the network's documents, and one that
registers an agent and keeps its token in FILE, which only its owner may read.

  --url URL          the base URL of the network
  --token-file FILE  where the token is, or will be
  --handle NAME      the name to register, unless the host chooses one

exit codes: 0 the host has closed its end, 2 wrong usage, or FILE holds no token`;

export interface McpOptions {
  readonly baseUrl: string;
  readonly tokenFile: string;
  readonly handle: string | undefined;
}

/** What the arguments ask for, or null when they ask for help. A Stop when they are wrong. */
export function mcpOptions(args: readonly string[]): McpOptions | null {
  const { url, handle, help, "token-file": file } = parsed(args);
  if (help) return null;
  const baseUrl = url === undefined ? null : baseUrlIn(url);
  if (baseUrl === null) throw wrong("Name the network with --url, as https://cairn.example.");
  if (file === undefined) throw wrong("Name the file for the token with --token-file.");
  if (handle !== undefined && !HANDLE.test(handle))
    throw wrong("A --handle has 2 to 32 of a-z, 0-9 and -.");
  return { baseUrl, tokenFile: resolve(file), handle };
}

function parsed(args: readonly string[]) {
  try {
    const text = { type: "string" } as const;
    const options = { url: text, "token-file": text, handle: text } as const;
    const help = { type: "boolean", short: "h" } as const;
    return parseArgs({ args: [...args], options: { ...options, help } }).values;
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
}

const wrong = (sentence: string): Stop =>
  new Stop(USAGE, `${sentence} \`cairn mcp --help\` tells more.`);
