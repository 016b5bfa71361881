import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import {
  type Configuration,
  flagsIn,
  readConfiguration,
  SETTING_OPTIONS,
  type ShownSetting,
  shownSettings,
} from "../main/settings.ts";
import { asksForJson } from "./json-option.ts";
import { exitCodeOf, messageOf, Stop, USAGE } from "./stop.ts";

/** What a command came to: a text for a person, and the same facts for a machine. */
export interface Outcome {
  readonly text: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly exit_code: number;
}

/** The arguments of a command, and the settings of the service that it is about. */
export interface Given {
  readonly configuration: Configuration;
  /** The same, as texts, for a person to see. */
  readonly settings: readonly ShownSetting[];
  readonly positionals: readonly string[];
  /** Undefined when the option was not given. */
  text(option: string): string | undefined;
  isSet(option: string): boolean;
}

/** A command of the operator. Its own options come before the settings, which are options as well. */
export interface CommandParts {
  readonly help: string;
  /** Options that take a text, and options that take none. */
  readonly texts: readonly string[];
  readonly switches: readonly string[];
  /** Ends with a Stop, or another Error whose message is a sentence, when it refuses. */
  run(given: Given): Promise<Outcome>;
}

/** The last lines of each help. */
export const SETTINGS_HELP = `The service is found by its settings, as \`cairn serve\` finds it: the environment, or an option
for each, such as --data-dir DIR or --database-url URL.
  --json           print one JSON object`;

/** Runs a command, prints what it did or why it refuses, and resolves to its exit code. */
export async function runCommand(args: readonly string[], parts: CommandParts): Promise<number> {
  const isJson = asksForJson(args);
  try {
    const given = readArguments(args, parts);
    if (given === null) {
      console.log(parts.help);
      return 0;
    }
    const { text, facts, exit_code } = await parts.run(given);
    console.log(isJson ? JSON.stringify({ ok: exit_code === 0, exit_code, ...facts }) : text);
    return exit_code;
  } catch (error) {
    const exit_code = exitCodeOf(error);
    const message = messageOf(error);
    if (isJson) console.log(JSON.stringify({ ok: false, exit_code, error: message }));
    else console.error(message);
    return exit_code;
  }
}

/** Null when help is asked for. A Stop when an argument or a setting is wrong. */
export function readArguments(
  args: readonly string[],
  { texts, switches }: CommandParts,
): Given | null {
  const options: ParseArgsOptionsConfig = {
    json: { type: "boolean" },
    help: { type: "boolean", short: "h" },
    ...SETTING_OPTIONS,
  };
  for (const name of texts) options[name] = { type: "string" };
  for (const name of switches) options[name] = { type: "boolean" };
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (values["help"] === true) return null;
    const flags = flagsIn(values);
    const isClockAccepted = values["accept-clock"] === true;
    const configuration = readConfiguration(process.env, flags, isClockAccepted);
    return {
      configuration,
      settings: shownSettings(process.env, flags, configuration),
      positionals,
      text(option) {
        const value = values[option];
        return typeof value === "string" ? value : undefined;
      },
      isSet: (option) => values[option] === true,
    };
  } catch (error) {
    throw new Stop(USAGE, error instanceof Error ? error.message : String(error));
  }
}

/** The one file that a command is about. A Stop when there is none, or more than one. */
export function onlyFile({ positionals }: Given): string {
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new Stop(USAGE, "Name one file.");
  return file;
}
