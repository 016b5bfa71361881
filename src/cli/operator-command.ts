import { Rejection } from "../kernel/errors.ts";
import { demandNotBehind } from "../ledger/signer.ts";
import type { Configuration } from "../main/settings.ts";
import type { World } from "../main/world.ts";
import { type CommandParts, type Given, runCommand, SETTINGS_HELP } from "./command.ts";
import type { Field } from "./fields.ts";
import { joined } from "./joined-world.ts";
import { REFUSED, Stop, USAGE } from "./stop.ts";

/** What a command did, for a person and for a machine. */
export interface Done {
  readonly text: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

type Fields = Readonly<Record<string, Field<unknown>>>;
type Values<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never;
};

interface Story {
  /** As it is typed: `agent ban`. */
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** More for its own help. */
  readonly about?: string;
  /** Whether it may be the first that happens to a database. */
  readonly ledger?: "may_begin";
}

/** A command of the operator: everything that help, parsing and dispatch need to know of it. */
export interface OperatorCommand extends Story {
  readonly fields: Fields;
  /** Takes the values; a Stop when one is wrong. What comes back does it, in a given world. */
  readonly read: (given: Given) => (world: World) => Promise<Done>;
}

/** `run` ends with a Rejection, or another Error whose message is a sentence, when it refuses. */
export const command = <const F extends Fields>({
  run,
  ...story
}: Story & {
  readonly fields: F;
  readonly run: (world: World, values: Values<F>, configuration: Configuration) => Promise<Done>;
}): OperatorCommand => ({
  ...story,
  read(given) {
    const values = valuesOf(story, given) as Values<F>;
    return (world) =>
      run(world, values, given.configuration).catch((error) => refuse(world, error));
  },
});

/** The option of a field: `post_id` is `--post-id`. */
const optionOf = (name: string): string => name.replaceAll("_", "-");

function valuesOf({ name, fields }: Pick<OperatorCommand, "name" | "fields">, given: Given) {
  const rest = [...given.positionals];
  const values: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(fields)) {
    const option = optionOf(key);
    const shown = field.as === "operand" ? field.takes : `--${option}`;
    const text = textOf(field, option, given, rest);
    if (text === undefined && field.isNeeded) throw wrong(name, `${shown} is missing.`);
    const value = field.parse(text);
    if (text !== undefined && value === undefined)
      throw wrong(name, `${shown} is ${JSON.stringify(text)}; allowed is ${field.allowed}.`);
    values[key] = value;
  }
  if (rest.length > 0) throw wrong(name, `${JSON.stringify(rest[0])} is one word too many.`);
  return values;
}

function textOf(
  { as }: Field<unknown>,
  option: string,
  given: Given,
  rest: string[],
): string | undefined {
  if (as === "operand") return rest.shift();
  if (as === "option") return given.text(option);
  return given.isSet(option) ? "" : undefined;
}

const wrong = (name: string, sentence: string): Stop =>
  new Stop(USAGE, `${sentence} \`cairn ${name} --help\` tells more.`);

/**
 * A refusal of the network, with all that is wrong in one text. While the database lacks a signed
 * seal, an agent is told to try again later; the operator is told what to do about it.
 */
async function refuse({ context, signer }: World, error: unknown): Promise<never> {
  if (!(error instanceof Rejection)) throw error;
  if (error.code === "storage_unavailable") await demandNotBehind(context.read, signer);
  const details = (error.details ?? []).map(({ field, problem }) => `\n  ${field}: ${problem}`);
  throw new Stop(REFUSED, error.message + details.join(""), error);
}

/** Refuses what would change nothing, so that nobody takes it for done. */
export function demandChange(isChanged: boolean, sentence: string): void {
  if (!isChanged) throw new Stop(REFUSED, sentence);
}

/** Runs a command with the rest of its arguments, and resolves to its exit code. */
export const runOperatorCommand = (
  operatorCommand: OperatorCommand,
  args: readonly string[],
): Promise<number> => runCommand(args, partsOf(operatorCommand));

/** The command as the command line takes it: what it needs is read before anything is opened. */
export function partsOf(operatorCommand: OperatorCommand): CommandParts {
  const named = (as: Field<unknown>["as"]) =>
    Object.entries(operatorCommand.fields)
      .filter(([, field]) => field.as === as)
      .map(([key]) => optionOf(key));
  return {
    help: helpOf(operatorCommand),
    texts: named("option"),
    switches: named("switch"),
    async run(given) {
      const work = operatorCommand.read(given);
      const done = await joined(given.configuration, operatorCommand.ledger ?? "has_begun", work);
      return { ...done, exit_code: 0 };
    },
  };
}

/** Each field with the words for it. */
const shownFields = (fields: Fields) =>
  Object.entries(fields).map(([key, field]) => ({
    ...field,
    shown: field.as === "operand" ? field.takes : `--${optionOf(key)} ${field.takes}`.trim(),
  }));

/** The whole command in one line; what may be left out is in brackets. */
export const usageOf = ({ name, fields }: Pick<OperatorCommand, "name" | "fields">): string =>
  [
    "cairn",
    name,
    ...shownFields(fields).map(({ shown, isNeeded }) => (isNeeded ? shown : `[${shown}]`)),
  ].join(" ");

function helpOf(operatorCommand: OperatorCommand): string {
  const { summary, about } = operatorCommand;
  const fields = shownFields(operatorCommand.fields);
  const width = Math.max(16, ...fields.map(({ shown }) => shown.length));
  return [
    `usage: ${usageOf(operatorCommand)}`,
    "",
    `${summary[0]?.toUpperCase()}${summary.slice(1)}.`,
    ...(about === undefined ? [] : ["", about]),
    "",
    ...fields.map(({ shown, tells }) => `  ${shown.padEnd(width)} ${tells}`),
    ...(fields.length > 0 ? [""] : []),
    SETTINGS_HELP,
    "",
    "It works on the database itself, also while the service runs.",
    "",
    "exit codes: 0 done, 1 refused, 2 wrong usage",
  ].join("\n");
}
