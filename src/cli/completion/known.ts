import { fieldsOf } from "../../domains/operator/fields.ts";
import { SETTINGS } from "../../main/settings/settings.ts";
import type { Command } from "../command/command.ts";
import { optionOf } from "../command/help.ts";

/** The value of an option or an operand: one of some words, a file, another text, or nothing. */
export type Takes = readonly string[] | "file" | "text" | "nothing";

export interface KnownOption {
  /** With its dashes. */
  readonly flag: string;
  readonly takes: Takes;
  readonly meaning: string;
}

/** A command as a shell completes it. */
export interface Known {
  /** As it is typed: `agent ban`. */
  readonly name: string;
  readonly summary: string;
  readonly options: readonly KnownOption[];
  readonly operand: Takes;
  /** Whether it takes the settings of a service, too. */
  readonly takesSettings: boolean;
}

const FILES = /file|folder|\b(?:FILE|DIR)\b/;

const takesOf = (choices: readonly string[] | null, shown: string): Takes =>
  choices ?? (FILES.test(shown) ? "file" : "text");

/** The settings of a service as options. */
export const SETTING_FLAGS: readonly KnownOption[] = SETTINGS.map(
  ({ flag, variable, isSwitch, words = null }) => ({
    flag: `--${flag}`,
    takes: isSwitch ? "nothing" : takesOf(words, variable.split("_").slice(-1).join()),
    meaning: variable,
  }),
);

export function knownOf(command: Command): Known {
  const { name, summary, input, operands = [], opens, silent } = command;
  const fields = fieldsOf(input).filter(({ key }) => !isSetting(key));
  const [operand] = fields.filter(({ key }) => operands.includes(key));
  const options = fields
    .filter(({ key }) => !operands.includes(key))
    .map(({ key, as, choices, takes, meaning = "" }): KnownOption => {
      const flag = `--${optionOf(key)}`;
      return { flag, takes: as === "switch" ? "nothing" : takesOf(choices, takes), meaning };
    });
  const always = ["--help", ...(silent ? [] : ["--json"]), ...(command.confirms ? ["--yes"] : [])];
  return {
    name,
    summary,
    options: [
      ...options,
      ...always.map((flag) => ({ flag, takes: "nothing", meaning: "" }) as const),
    ],
    operand: operand === undefined ? "nothing" : takesOf(operand.choices, operand.takes),
    takesSettings: opens !== "nothing" || name === "serve",
  };
}

const KEYS = new Set(SETTINGS.map(({ flag }) => flag));
const isSetting = (key: string): boolean => KEYS.has(optionOf(key));
