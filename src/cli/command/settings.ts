import { resolve } from "node:path";
import * as z from "zod";
import {
  readConfiguration,
  SETTINGS,
  type Setting,
  shownSettings,
} from "../../main/settings/settings.ts";
import type { Environment, Settings } from "./command.ts";
import { wrapped } from "./help.ts";
import { messageOf, Stop, USAGE } from "./stop.ts";

const keyOf = (flag: string): string => flag.replaceAll("-", "_");

/** The settings of a service, each as an option that takes the place of its variable. */
export const SETTING_OPTIONS = z.object(
  Object.fromEntries(
    SETTINGS.map(({ flag, isSwitch }) => [
      keyOf(flag),
      (isSwitch ? z.boolean() : z.string()).optional(),
    ]),
  ),
);

const INDENT = " ".repeat(6);

/** Prose of the guide without its Markdown. */
const plain = (text: string): string =>
  text
    .replace(/\. \[[^\]]+\]\([^)]*\)$/, "") // A sentence that is a link alone.
    .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replaceAll("`", "");

/** Every setting under its heading: flag and default, then the meaning. */
export const settingsHelp = (columns: number): string =>
  [...Map.groupBy(SETTINGS, ({ group }) => group)]
    .map(([group, settings]) => [`${group}:`, ...settings.map((each) => helpOn(each, columns))])
    .map((lines) => lines.join("\n"))
    .join("\n\n");

function helpOn({ flag, fallback, isSwitch, meaning }: Setting, columns: number): string {
  const takes = isSwitch ? "" : " VALUE";
  const shown = fallback === null ? "" : `  (${fallback})`;
  const text = wrapped(`${plain(meaning)}.`, columns - INDENT.length);
  return `  --${flag}${takes}${shown}\n${INDENT}${text.replaceAll("\n", `\n${INDENT}`)}`;
}

/** That the operator vouches for the clock. */
export const acceptClock = z
  .boolean()
  .default(false)
  .describe("the clock is right, although the last entry is over 400 days old");

/** The options that were given, by the variable that each stands for. */
export function flagsIn(
  values: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const flags: Record<string, string> = {};
  for (const { flag, variable } of SETTINGS) {
    const value = values[keyOf(flag)] === true ? "on" : values[keyOf(flag)];
    if (typeof value === "string") flags[variable] = value;
  }
  return flags;
}

/** The configuration of options, which win, and of an environment. A Stop when a setting is wrong. */
export function settingsIn(
  values: Readonly<Record<string, unknown>>,
  environment: Environment,
): Settings {
  const flags = flagsIn(values);
  try {
    const configuration = readConfiguration(environment, flags, values["accept_clock"] === true);
    return { configuration, settings: shownSettings(environment, flags, configuration) };
  } catch (error) {
    throw new Stop(USAGE, messageOf(error), error);
  }
}

const DATA_DIR = "CAIRN_DATA_DIR";

/** What a service was told, by variable: its data folder in any case. */
export const toldSettings = (
  values: Readonly<Record<string, unknown>>,
  environment: Environment,
): Readonly<Record<string, string>> => {
  const told = { ...environment, ...flagsIn(values) };
  return Object.fromEntries(
    SETTINGS.flatMap(({ variable, isPath, fallback }) => {
      const text = told[variable];
      if (!text) return variable === DATA_DIR ? [[variable, resolve(`${fallback}`)]] : [];
      return [[variable, isPath ? resolve(text) : text]];
    }),
  );
};
