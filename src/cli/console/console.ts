import { spawn } from "node:child_process";
import { get } from "node:http";
import * as z from "zod";
import { onOrOff } from "../../domains/operator/values.ts";
import { operatorsUrl } from "../../main/settings/console-mode.ts";
import { command } from "../command/command.ts";
import { REFUSED, Stop } from "../command/stop.ts";
import { consoleUrl } from "./link.ts";

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
    const base = operatorsUrl(configuration);
    const { consoleOrigin } = configuration;
    const url = consoleUrl(configuration);
    if (url === null || !(await answers(base, consoleOrigin)))
      throw new Stop(REFUSED, noService(base));
    if (open) openInBrowser(url);
    const text = `${url}\nIt works once, within two minutes.${consoleOrigin === null ? tunnelTo(base) : ""}`;
    return { text, facts: { url } };
  },
});

function tunnelTo(base: string): string {
  const { host, port } = new URL(base);
  return ` From elsewhere first: ssh -L ${port}:${host} HOST`;
}

const noService = (base: string): string =>
  `No console answers at ${base}. Start the service, name its data folder with --data-dir, or set CAIRN_CONSOLE.`;

/** Asked on this machine, by the name that browsers use. */
function answers(base: string, origin: string | null): Promise<boolean> {
  const headers = origin === null ? {} : { Host: new URL(origin).host };
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(PROBE_MS);
    get(`${base}/console/style.css`, { headers, signal }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on("error", () => resolve(false));
  });
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
