import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { openLog } from "../main/log.ts";
import { serve as start } from "../main/serve.ts";
import {
  type Configuration,
  flagsIn,
  readConfiguration,
  SETTING_OPTIONS,
  SETTINGS,
} from "../main/settings.ts";
import { exitCodeOf, messageOf, USAGE } from "./stop.ts";

const STDOUT = 1;

const HELP = [
  "usage: cairn serve [options]",
  "",
  "Serves the network until SIGTERM or SIGINT. Every option is also an environment variable:",
  "",
  ...SETTINGS.map(({ flag, variable }) => `  --${flag.padEnd(24)} ${variable}`),
  `  --${"accept-clock".padEnd(24)} the clock is right, although the last entry is over 400 days old`,
].join("\n");

/** `cairn serve`: resolves to the exit code when the service has stopped. */
export async function serve(args: readonly string[]): Promise<number> {
  const read = configurationOf(args);
  if (typeof read === "string") {
    console.log(read);
    return 0;
  }
  if (read instanceof Error) {
    console.error(read.message);
    return USAGE;
  }
  const format = read.logFormat ?? (process.stdout.isTTY ? "pretty" : "json");
  const log = openLog({ level: read.logLevel, format, to: STDOUT });
  process.once("exit", log.flush);
  const asked = stopAsked();
  try {
    const { stop } = await start(read, log);
    await asked;
    await stop();
    return 0;
  } catch (error) {
    log.flush(); // Before the sentence, which explains it.
    console.error(messageOf(error));
    return exitCodeOf(error);
  }
}

/** The configuration, the text of --help, or what is wrong with the arguments. */
function configurationOf(args: readonly string[]): Configuration | string | Error {
  try {
    const options: ParseArgsOptionsConfig = {
      "accept-clock": { type: "boolean" },
      help: { type: "boolean" },
      ...SETTING_OPTIONS,
    };
    const { values } = parseArgs({ args: [...args], options });
    if (values["help"] === true) return HELP;
    return readConfiguration(process.env, flagsIn(values), values["accept-clock"] === true);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Resolves at the first signal to stop; a second one ends the process at once. */
function stopAsked(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
}
