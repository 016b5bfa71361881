import * as z from "zod";
import type { Command } from "./command.ts";

/** The columns that a list of exit codes may fill. */
const WIDTH = 95;
const NAME_WIDTH = 16;

const JSON_HELP = `  ${"--json".padEnd(NAME_WIDTH)} print one JSON object`;

const SETTINGS_HELP = `The service is found by its settings, as \`cairn serve\` finds it: the environment, or an option
for each, such as --data-dir DIR or --database-url URL.
${JSON_HELP}`;

/** One value of a command, as its user sees it. */
export interface Shown {
  /** `AGENT` of an operand, `--post-id` of an option. */
  readonly name: string;
  /** With what it takes: `--post-id ID`. */
  readonly words: string;
  /** The line of help; undefined when the text of the command tells it. */
  readonly tells: string | undefined;
  readonly isNeeded: boolean;
  readonly as: "operand" | "text" | "switch" | "list";
  /** It may hold a password, so no message repeats it. */
  readonly isSecret: boolean;
}

/** The option of a value: `post_id` is `--post-id`. */
export const optionOf = (key: string): string => key.replaceAll("_", "-");

/** The values of a command by their keys, in the order of the help. */
export const shownOf = ({
  input,
  operands = [],
}: Pick<Command, "input" | "operands">): ReadonlyMap<string, Shown> =>
  new Map(
    Object.entries(input.shape).map(([key, schema]) => {
      const { takes, description, isSecret } = metaOf(schema);
      const as = operands.includes(key) ? "operand" : kindOf(schema);
      const name = as === "operand" ? takes : `--${optionOf(key)}`;
      const words = as === "operand" ? takes : `${name} ${takes}`.trim();
      const isNeeded = !schema.isOptional();
      return [key, { name, words, tells: description, isNeeded, as, isSecret }];
    }),
  );

/** What a wrapper says of a value wins over what the value says of itself. */
function metaOf(schema: z.ZodType): Meta {
  const inner = innerOf(schema);
  return meta.parse({ ...(inner && metaOf(inner)), ...schema.meta() });
}

const meta = z.object({
  takes: z.string().default(""),
  description: z.string().optional(),
  isSecret: z.boolean().default(false),
});
type Meta = z.output<typeof meta>;

function innerOf(schema: z.ZodType): z.ZodType | null {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodArray;
  const inner = isWrapper ? schema.unwrap() : null;
  return inner instanceof z.ZodType ? inner : null;
}

function kindOf(schema: z.ZodType): Shown["as"] {
  if (schema instanceof z.ZodBoolean) return "switch";
  if (schema instanceof z.ZodArray) return "list";
  const inner = innerOf(schema);
  return inner === null ? "text" : kindOf(inner);
}

/**
 * The command in one line; optional parts are in brackets. A part written as `<…>` says itself
 * what belongs there. `[options]` stands for options that all have defaults.
 */
export function usageOf(command: Command): string {
  const values = [...shownOf(command).values()];
  const shownIn = (some: readonly Shown[]) =>
    some.map(({ words, isNeeded }) => (isNeeded || words.startsWith("<") ? words : `[${words}]`));
  const operands = values.filter(({ as, words }) => as === "operand" && words !== "");
  const options = values.filter(({ as }) => as !== "operand");
  const isSpelt = command.opens === "service" || options.some(({ isNeeded }) => isNeeded);
  const words = isSpelt ? shownIn(options) : ["[options]"];
  return ["cairn", command.name, ...shownIn(operands), ...words].join(" ");
}

/** The text of `--help`. */
export function helpOf(command: Command): string {
  const { summary, about, opens, exits } = command;
  const isOnService = opens === "service";
  const paragraphs = [
    `usage: ${usageOf(command)}`,
    isOnService ? `${summary[0]?.toUpperCase()}${summary.slice(1)}.` : "",
    about ?? "",
    valueLines(command).join("\n"),
    opens === "nothing" ? "" : SETTINGS_HELP,
    isOnService ? "It works on the database itself, also while the service runs." : "",
    exitText(exits),
  ];
  return paragraphs.filter((text) => text !== "").join("\n\n");
}

function valueLines(command: Command): string[] {
  const values = [...shownOf(command).values()].filter(({ tells }) => tells !== undefined);
  const width = Math.max(NAME_WIDTH, ...values.map(({ words }) => words.length));
  const lines = values.map(({ words, tells = "" }) =>
    `  ${words.padEnd(width)} ${tells}`.replaceAll("\n", `\n${" ".repeat(width + 3)}`),
  );
  return command.opens === "nothing" && !command.silent ? [...lines, JSON_HELP] : lines;
}

function exitText(exits: Command["exits"]): string {
  const all = Object.entries(exits).map(([code, means]) => `${code} ${means}`);
  return all.length === 0 ? "" : wrapped(`exit codes: ${all.join(", ")}`);
}

function wrapped(text: string): string {
  const lines = [""];
  // A code stays beside what it means.
  for (const word of text.split(/(?<!\b\d) /)) {
    const last = `${lines.at(-1)} ${word}`.trim();
    if (last.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = last;
  }
  return lines.join("\n");
}

/** A line of a list of commands. */
export const summaryLine = ({ name, summary }: Pick<Command, "name" | "summary">): string =>
  `  ${name.padEnd(NAME_WIDTH + 1)} ${summary}`;
