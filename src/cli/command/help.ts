import { fieldsOf } from "../../domains/operator/fields.ts";
import { type Command, mayAsk } from "./command.ts";

/** The columns that a list of exit codes may fill. */
const WIDTH = 95;
/** The columns of a list of commands. */
const SUMMARY_WIDTH = 100;
const NAME_WIDTH = 16;
/** The fewest columns of a meaning beside a long option. */
const TEXT_MIN = 30;
/** Shorter lines are hard to read, and so are longer ones. */
const COLUMNS_MIN = 60;
const COLUMNS_MAX = 120;

/** The columns to write in, on a terminal of so many; undefined where there is none. */
export const columnsOf = (terminal: number | undefined): number =>
  Math.min(Math.max(terminal ?? WIDTH, COLUMNS_MIN), COLUMNS_MAX);

const JSON_HELP = `  ${"--json".padEnd(NAME_WIDTH)} print one JSON object`;

const YES_HELP = `  ${"--yes".padEnd(NAME_WIDTH)} do not ask; a script needs it only for a service that nobody named`;

const SETTINGS_HELP =
  "The service is the one that the environment or an option for each setting names, such as --data-dir DIR or --database-url URL; else the ledger in ./data; else the only service on this machine.";

/** One value of a command, as its user sees it. */
export interface Shown {
  /** `AGENT` of an operand, `--post-id` of an option. */
  readonly name: string;
  /** With what it takes: `--post-id ID`. */
  readonly words: string;
  /** The line of help; undefined if the text of the command describes it. */
  readonly meaning: string | undefined;
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
    fieldsOf(input).map(({ key, takes, meaning: about, choices, isNeeded, as: kind, isSecret }) => {
      const as = operands.includes(key) ? "operand" : kind;
      const name = as === "operand" ? takes : `--${optionOf(key)}`;
      const words = as === "operand" ? takes : `${name} ${takes}`.trim();
      const meaning = about === undefined ? about : about + allowedOf(takes, choices);
      return [key, { name, words, meaning, isNeeded, as, isSecret }];
    }),
  );

/** The words and the forms that usage only calls WORD, TIME or FROM/TO. */
function allowedOf(takes: string, choices: readonly string[] | null): string {
  if (takes === "WORD" && choices !== null) return `: ${choices.join(", ")}`;
  return /^(?:TIME|FROM\/TO)$/.test(takes) ? ", as 2027-01-31T18:00Z or in Unix seconds" : "";
}

/**
 * The command in one line; optional parts are in brackets. A part written as `<…>` says itself
 * what belongs there. `[options]` stands for options that all have defaults.
 */
function usageOf(command: Command): string {
  const values = [...shownOf(command).values()];
  const shownIn = (some: readonly Shown[]) =>
    some.map(({ words, isNeeded }) => (isNeeded || words.startsWith("<") ? words : `[${words}]`));
  const operands = values.filter(({ as, words }) => as === "operand" && words !== "");
  const options = values.filter(({ as }) => as !== "operand");
  const yes = command.confirms === undefined ? [] : ["[--yes]"];
  const isSpelt = command.opens === "service" || options.some(({ isNeeded }) => isNeeded);
  const words = isSpelt ? shownIn(options) : ["[options]"];
  return ["cairn", command.name, ...shownIn(operands), ...words, ...yes].join(" ");
}

/** Some have a `--yes` of their own. */
const asksAnyway = (command: Command): boolean =>
  mayAsk(command) && !Object.hasOwn(command.input.shape, "yes");

/** The text of `--help`; `columns` are those of the terminal. */
export function helpOf(command: Command, columns = WIDTH): string {
  const { summary, about, opens, exits } = command;
  const isOnService = opens === "service";
  const paragraphs = [
    wrapped(`usage: ${usageOf(command)}`, columns).replaceAll("\n", "\n  "),
    isOnService ? wrapped(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`, columns) : "",
    typeof about === "function" ? about(columns) : proseOf(about ?? "", columns),
    valueLines(command, columns).join("\n"),
    opens === "nothing" ? "" : `${wrapped(SETTINGS_HELP, columns)}\n${JSON_HELP}`,
    isOnService ? "It works on the database itself, also while the service runs." : "",
    exitText(exits),
  ];
  return paragraphs.filter((text) => text !== "").join("\n\n");
}

function valueLines(command: Command, columns: number): string[] {
  const values = [...shownOf(command).values()].filter(({ meaning }) => meaning !== undefined);
  const width = Math.max(NAME_WIDTH, ...values.map(({ words }) => words.length));
  const lines = values.map(({ words, meaning = "" }) => {
    const text = wrapped(meaning.replaceAll("\n", " "), Math.max(columns - width - 3, TEXT_MIN));
    return `  ${words.padEnd(width)} ${text}`.replaceAll("\n", `\n${" ".repeat(width + 3)}`);
  });
  if (asksAnyway(command)) lines.push(YES_HELP);
  return command.opens === "nothing" && !command.silent ? [...lines, JSON_HELP] : lines;
}

function exitText(exits: Command["exits"]): string {
  const all = Object.entries(exits).map(([code, means]) => `${code} ${means}`);
  return all.length === 0 ? "" : wrapped(`exit codes: ${all.join(", ")}`);
}

/** The text in lines of at most `width` characters; a number stays beside what it means. */
export function wrapped(text: string, width = WIDTH): string {
  const lines = [""];
  for (const word of text.split(/(?<!\b\d) /)) {
    const last = `${lines.at(-1)} ${word}`.trim();
    if (last.length > width) lines.push(word);
    else lines[lines.length - 1] = last;
  }
  return lines.join("\n");
}

/** Paragraphs, with lines of their own for what is indented. */
const proseOf = (text: string, columns: number): string =>
  text
    .replaceAll(/(?<=\S)\n(?=\S)/g, (_, at: number) => (isIndented(text, at) ? "\n" : " "))
    .split("\n")
    .map((line) => (line.startsWith(" ") ? line : wrapped(line, columns)))
    .join("\n");

const isIndented = (text: string, at: number): boolean =>
  text.slice(text.lastIndexOf("\n", at - 1) + 1).startsWith(" ");

/** A line of a list of commands. */
export const summaryLine = ({ name, summary }: Pick<Command, "name" | "summary">): string => {
  const indent = NAME_WIDTH + 4;
  const text = wrapped(summary, SUMMARY_WIDTH - indent).replaceAll("\n", `\n${" ".repeat(indent)}`);
  return `  ${name.padEnd(NAME_WIDTH + 1)} ${text}`;
};
