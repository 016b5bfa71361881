import * as z from "zod";
import { readConfiguration, SETTINGS, shownSettings } from "../../main/settings/settings.ts";
import type { Environment, Settings } from "./command.ts";
import { messageOf, Stop, USAGE } from "./stop.ts";

const keyOf = (flag: string): string => flag.replaceAll("-", "_");

/** The settings of a service, each as an option that takes the place of its variable. */
export const SETTING_OPTIONS = z.object(
  Object.fromEntries(
    SETTINGS.map(({ flag, variable, isSwitch }) => [
      keyOf(flag),
      (isSwitch ? z.boolean() : z.string()).optional().describe(variable),
    ]),
  ),
);

/** That the operator vouches for the clock. */
export const acceptClock = z
  .boolean()
  .default(false)
  .describe("the clock is right, although the last entry is over 400 days old");

/** The configuration of options, which win, and of an environment. A Stop when a setting is wrong. */
export function settingsIn(
  values: Readonly<Record<string, unknown>>,
  environment: Environment,
): Settings {
  const flags: Record<string, string> = {};
  for (const { flag, variable } of SETTINGS) {
    const value = values[keyOf(flag)] === true ? "on" : values[keyOf(flag)];
    if (typeof value === "string") flags[variable] = value;
  }
  try {
    const configuration = readConfiguration(environment, flags, values["accept_clock"] === true);
    return { configuration, settings: shownSettings(environment, flags, configuration) };
  } catch (error) {
    throw new Stop(USAGE, messageOf(error), error);
  }
}
