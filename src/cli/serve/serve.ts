import cluster from "node:cluster";
import { flushCompileCache } from "node:module";
import type { Program } from "../../main/listeners/runs.ts";
import { openLog } from "../../main/log.ts";
import { serve as start } from "../../main/serve.ts";
import { command, type Environment } from "../command/command.ts";
import { wrapped } from "../command/help.ts";
import {
  acceptClock,
  SETTING_OPTIONS,
  settingsHelp,
  settingsIn,
  toldSettings,
} from "../command/settings.ts";
import { REFUSED, Stop } from "../command/stop.ts";
import { consoleUrl } from "../console/link.ts";
import { bannerOf } from "./banner.ts";
import { notifyReady } from "./notify.ts";

const STDOUT = 1;

const SERVES =
  "Serves the network until SIGTERM, SIGINT or SIGHUP. Every option is also an environment variable: --admin-port is CAIRN_ADMIN_PORT. Defaults are in parentheses; of two, the second is for an address that strangers reach.";

const LOST =
  "The disk could not store the database's log, so the last writes may be lost. Nobody was told that they are stored. Look at the disk, then start the service again.";

/** `cairn serve`: ends when the service has stopped. */
export const serve = command({
  name: "serve",
  summary: "serve the network; all settings have defaults",
  about: (columns) =>
    `${wrapped(SERVES, columns)}\n\n${settingsHelp(columns)}\n\nAside from the settings:`,
  input: SETTING_OPTIONS.extend({ accept_clock: acceptClock }),
  opens: "nothing",
  silent: true,
  exits: {},
  async run({ values, environment }) {
    const { configuration } = settingsIn(values, environment);
    const settings = toldSettings(values, environment);
    const isSeen = process.stdout.isTTY && configuration.logFormat !== "json";
    const format = configuration.logFormat ?? (isSeen ? "pretty" : "json");
    const log = openLog({ level: configuration.logLevel, format, to: STDOUT });
    process.once("exit", log.flush);
    const asked = stopAsked();
    try {
      const { stop, lost, ...started } = await start(
        configuration,
        log,
        programOf(environment, settings),
      );
      if (cluster.isPrimary) notifyReady(environment);
      if (isSeen && cluster.isPrimary) {
        log.flush();
        process.stdout.on("error", () => {}); // The terminal can close.
        const consoleAt = consoleUrl(configuration);
        process.stdout.write(bannerOf({ ...started, consoleUrl: consoleAt }, configuration));
      }
      const failed = lost.then((cause) => new Stop(REFUSED, LOST, cause));
      const ended = await Promise.race([asked, failed]);
      await stop();
      if (ended instanceof Stop) throw ended;
      if (cluster.isPrimary) leave();
      return { text: "", facts: {} };
    } finally {
      log.flush(); // Before the sentence that explains it.
    }
  },
});

/** This command beside the service: options are passed on as variables. */
const programOf = (environment: Environment, settings: Program["settings"]): Program => ({
  words: [process.execPath, ...process.execArgv, process.argv[1] ?? ""],
  environment: { ...environment, ...settings },
  settings,
});

/**
 * Ends the process at once. Node's own end takes the listeners of signals away first, and a signal that comes then,
 * from npm after that from the terminal, would kill a service that has stopped.
 */
function leave(): never {
  flushCompileCache();
  process.exit(0);
}

/** Ctrl-C reaches the service from the terminal and from npm: within this time it is one signal. */
const SAME_SIGNAL_MS = 500;

/**
 * Resolves at the first signal to stop. A second SIGTERM or SIGINT ends the process at once. A second SIGHUP
 * comes from another program that saw the terminal close, however late.
 */
function stopAsked(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      const asked = () => {
        resolve();
        if (signal === "SIGHUP") return;
        setTimeout(() => process.off(signal, asked), SAME_SIGNAL_MS).unref();
      };
      process.on(signal, asked);
    }
  });
}
