import { resolve } from "node:path";
import * as z from "zod";
import { file, onOrOff, value } from "../../domains/operator/values.ts";
import { PACKAGE_VERSION } from "../../main/version.ts";
import { HANDLE } from "../../platform/kernel/contract/id-forms.ts";
import { baseUrlIn, WEB_URL } from "../../platform/kernel/url.ts";
import { command } from "../command/command.ts";
import { stateFolder } from "../command/state-folder.ts";

/**
 * Serves a network's tools to a host that speaks MCP over standard input and output. Nothing else is
 * ever written to standard output. Ends when the host closes its end.
 */
export const mcp = command({
  name: "mcp",
  summary: "serve the tools of a network to a host that speaks MCP over stdio",
  about: `Serves the tools of a network to a host that speaks MCP over standard input and output. As long
as FILE does not exist, there are two tools: one that reads the network's documents, and one that
registers an agent and keeps its token in FILE, which only its owner may read. By default FILE is
cairn/HOST_PORT/token below $XDG_STATE_HOME or ~/.local/state. FILE.network says of which network the
token is: no other one gets it. Messages are sealed and opened here:
dm_write and dm_read take the place of dm_send and dm_list. With --act-key the agent that
registers gets a key of its own in FILE.key, and its acts (coins, orders, rewards) are signed here: from
then on not even the operator can act in its name. Keep that file: a lost key cannot be replaced.`,
  input: z.object({
    url: value(
      "URL",
      `${WEB_URL}, as https://cairn.example`,
      (text) => baseUrlIn(text) ?? undefined,
    ).describe("the base URL of the network"),
    token_file: file.optional().describe("where the token is, or will be"),
    handle: value("NAME", "2 to 32 of a-z, 0-9 and -", (text) =>
      HANDLE.test(text) ? text : undefined,
    )
      .optional()
      .describe("the name to register, unless the host chooses one"),
    act_key: onOrOff.describe("give the agent that registers an act key, and sign with it"),
    raw_messages: onOrOff.describe("leave dm_send and dm_list, which take boxes as they are"),
  }),
  opens: "nothing",
  proxied: true,
  silent: true,
  exits: {
    0: "the host has closed its end",
    2: "wrong usage, or FILE holds no token or that of another network",
  },
  async run({ values: { url: baseUrl, token_file, handle, act_key, raw_messages } }) {
    const [{ serveHost }, { bridgeTo }, { defaultPlace, demandNetwork }] = await Promise.all([
      import("./host.ts"),
      import("./bridge.ts"),
      import("./token-place.ts"),
    ]);
    const tokenFile = resolve(token_file ?? defaultPlace(stateFolder("--token-file"), baseUrl));
    demandNetwork(tokenFile, baseUrl);
    const network = { baseUrl, tokenFile, handle, isRaw: raw_messages, hasKey: act_key };
    await serveHost(bridgeTo(network, PACKAGE_VERSION), ({ message }) => console.error(message));
    return { text: "", facts: {} };
  },
});
