import { resolve } from "node:path";
import * as z from "zod";
import { HANDLE } from "../../kernel/id-forms.ts";
import { PACKAGE_VERSION } from "../../main/version.ts";
import { file, value } from "../../operator/values.ts";
import { baseUrlIn } from "../command/base-url.ts";
import { command } from "../command/command.ts";

/**
 * Serves a network's tools to a host that speaks MCP over standard input and output. Nothing else is
 * ever written to standard output. Ends when the host closes its end.
 */
export const mcp = command({
  name: "mcp",
  summary: "serve the tools of a network to a host that speaks MCP over stdio",
  about: `Serves the tools of a network to a host that speaks MCP over standard input and output. As long
as FILE does not exist, there are two tools: one that reads the network's documents, and one that
registers an agent and keeps its token in FILE, which only its owner may read.`,
  input: z.object({
    url: value(
      "URL",
      "an http or https URL, as https://cairn.example",
      (text) => baseUrlIn(text) ?? undefined,
    ).describe("the base URL of the network"),
    token_file: file.describe("where the token is, or will be"),
    handle: value("NAME", "2 to 32 of a-z, 0-9 and -", (text) =>
      HANDLE.test(text) ? text : undefined,
    )
      .optional()
      .describe("the name to register, unless the host chooses one"),
  }),
  opens: "nothing",
  silent: true,
  exits: { 0: "the host has closed its end", 2: "wrong usage, or FILE holds no token" },
  async run({ values: { url: baseUrl, token_file, handle } }) {
    const [{ serveHost }, { bridgeTo }] = await Promise.all([
      import("./host.ts"),
      import("./bridge.ts"),
    ]);
    const network = { baseUrl, tokenFile: resolve(token_file), handle };
    await serveHost(bridgeTo(network, PACKAGE_VERSION), ({ message }) => console.error(message));
    return { text: "", facts: {} };
  },
});
