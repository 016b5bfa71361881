import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import type * as z from "zod";
import { withoutUser } from "../../platform/kernel/url.ts";
import { didYouMean } from "../../platform/kernel/words/nearest.ts";
import { type Command, type Environment, type Given, mayAsk } from "./command.ts";
import { optionOf, type Shown, shownOf } from "./help.ts";
import { messageOf, Stop, USAGE } from "./stop.ts";

type Values = ReadonlyMap<string, Shown>;
type Typed = Given["values"];

/**
 * The values and settings that the words after a command's name give it; null when they ask for help.
 * A Stop when they, or the settings of the environment, are wrong.
 */
export async function readWords(
  command: Command,
  words: readonly string[],
  environment: Environment,
): Promise<Given | null> {
  const { operands = [], opens, input } = command;
  // What opens nothing needs no setting, so it does not load the rules of all of them.
  const settings = opens === "nothing" ? null : await import("./settings.ts");
  const services = opens === "nothing" ? null : await import("./which-service.ts");
  const common = settings === null ? [] : shownOf({ input: settings.SETTING_OPTIONS });
  const values = new Map([...common, ...shownOf(command)]);
  const parsed = parse(command, words, optionsOf(command, values));
  if (parsed.values["help"] === true) return null;
  const typed: Typed = Object.fromEntries([
    ...[...values.keys()].map((key) => [key, parsed.values[optionOf(key)]]),
    ...operands.map((key, i) => [key, parsed.positionals[i]]),
  ]);
  const { data, error } = input.safeParse(typed);
  if (data === undefined) throw wrong(command, sentenceOf(error.issues[0], values, typed));
  const surplus = parsed.positionals[operands.length];
  if (surplus !== undefined)
    throw wrong(command, `${JSON.stringify(surplus)} is one word too many.`);
  const isAgreed = parsed.values["yes"] !== undefined;
  return { values: data, environment, isAgreed, ...services?.chooseService(typed, environment) };
}

function optionsOf(command: Command, values: Values): ParseArgsOptionsConfig {
  const options: ParseArgsOptionsConfig = { help: { type: "boolean", short: "h" } };
  if (!command.silent) options["json"] = { type: "boolean" };
  if (mayAsk(command)) options["yes"] = { type: "boolean" };
  for (const [key, { as }] of values) {
    if (as === "operand") continue;
    const type = as === "switch" ? "boolean" : "string";
    options[optionOf(key)] = { type, multiple: as === "list" };
  }
  return options;
}

function parse(command: Command, words: readonly string[], options: ParseArgsOptionsConfig) {
  const asked = { args: [...words], options, allowPositionals: true };
  for (const token of parseArgs({ ...asked, strict: false, tokens: true }).tokens) {
    if (token.kind !== "option" || Object.hasOwn(options, token.name)) continue;
    const known = Object.keys(options).map((name) => `--${name}`);
    const meant = didYouMean(token.rawName, known);
    throw wrong(command, `There is no option ${token.rawName}.${meant}`);
  }
  try {
    return parseArgs(asked);
  } catch (error) {
    const sentences = messageOf(error).replaceAll("\n", " ").replace(/\.$/, "");
    throw wrong(command, `${sentences}.`);
  }
}

/** The first fault of the values: its message is what is allowed, or of several values a sentence. */
function sentenceOf(issue: z.core.$ZodIssue | undefined, values: Values, typed: Typed): string {
  const [key = "", index = 0] = issue?.path.map(String) ?? [];
  const shown = values.get(key);
  const given = typed[key];
  if (issue === undefined || shown === undefined) return issue?.message ?? "";
  if (given === undefined) return `${shown.name} is missing.`;
  const text: unknown = Array.isArray(given) ? given[Number(index)] : given;
  const seen = shown.isSecret
    ? "not usable"
    : JSON.stringify(typeof text === "string" ? withoutUser(text) : text);
  const words = issue.code === "invalid_value" ? issue.values.map(String) : [];
  return `${shown.name} is ${seen}; allowed is ${issue.message}.${didYouMean(String(text), words)}`;
}

/** The last sentence of each refusal of what was typed. */
export const wrong = ({ name }: Pick<Command, "name">, sentence: string): Stop =>
  new Stop(USAGE, `${sentence} See \`cairn ${name} --help\`.`);
