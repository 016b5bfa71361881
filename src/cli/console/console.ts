import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { isIPv6 } from "node:net";
import * as z from "zod";
import { secretFile, systemRandom, systemSeconds } from "../../main/listeners/console.ts";
import type { Configuration } from "../../main/settings/settings.ts";
import { onOrOff } from "../../operator/values.ts";
import { linkKey } from "../../surfaces/console/access.ts";
import { command } from "../command/command.ts";
import { REFUSED, Stop } from "../command/stop.ts";

const SECRET = /^[0-9a-f]{64}$/;
const PROBE_MS = 3_000;

/** `cairn console`: a link to the console of a service that runs on this machine. */
export const consoleLink = command({
  name: "console",
  summary: "print a link to the console, which works once, within two minutes",
  about:
    "The console shows the network to its operator: health, what waits for you, agents, moderation, market,\ncoin, ledger, tasks, settings and the log. It only reads unless the service runs with CAIRN_CONSOLE=act.\nRun this as the user of the service. From another machine: ssh -L 8081:127.0.0.1:8081 HOST.",
  input: z.object({ open: onOrOff.describe("open it in this machine's browser, too") }),
  opens: "database",
  exits: { 0: "the link is printed", 1: "no console answers", 2: "wrong usage" },
  async run({ values: { open }, configuration }) {
    const base = addressOf(configuration);
    const secret = secretIn(configuration);
    if (secret === null || !(await answers(base))) throw new Stop(REFUSED, noService(base));
    const parts = { secret, random: systemRandom, now: systemSeconds };
    const url = `${base}/console/open?key=${linkKey(parts)}`;
    if (open) openInBrowser(url);
    const port = configuration.adminPort;
    const text = `${url}\nIt works once, within two minutes. From elsewhere first: ssh -L ${port}:127.0.0.1:${port} HOST`;
    return { text, facts: { url } };
  },
});

function addressOf({ adminHost, adminPort }: Configuration): string {
  const host = ["0.0.0.0", "::"].includes(adminHost) ? "127.0.0.1" : adminHost;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${adminPort}`;
}

function secretIn({ dataDir }: Configuration): string | null {
  try {
    const secret = readFileSync(secretFile(dataDir), "utf8");
    return SECRET.test(secret) ? secret : null;
  } catch {
    return null;
  }
}

const noService = (base: string): string =>
  `No console answers at ${base}. Start the service, name its data folder with --data-dir, or set CAIRN_CONSOLE.`;

async function answers(base: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_MS);
    const response = await fetch(`${base}/console/style.css`, { signal });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: "open",
  win32: "explorer",
};

function openInBrowser(url: string): void {
  const child = spawn(OPENERS[process.platform] ?? "xdg-open", [url], {
    detached: true,
    stdio: "ignore",
  });
  child.on("error", () => console.error("No browser could be opened. Use the link."));
  child.unref();
}
