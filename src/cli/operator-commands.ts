import { AGENT_COMMANDS } from "./operator/agents.ts";
import { CONTENT_COMMANDS } from "./operator/contents.ts";
import { MARKET_COMMANDS } from "./operator/market.ts";
import { NETWORK_COMMANDS } from "./operator/network.ts";
import { REGISTRATION_COMMANDS } from "./operator/registrations.ts";
import { WORK_COMMANDS } from "./operator/work.ts";
import { type OperatorCommand, runOperatorCommand } from "./operator-command.ts";

/** What the operator does to the network, in the order of the help. None of it is done over HTTP. */
export const OPERATOR_COMMANDS: readonly OperatorCommand[] = [
  ...NETWORK_COMMANDS,
  ...AGENT_COMMANDS,
  ...REGISTRATION_COMMANDS,
  ...CONTENT_COMMANDS,
  ...WORK_COMMANDS,
  ...MARKET_COMMANDS,
];

/** Runs the command that the first words name, and resolves to its exit code; null when they name none. */
export function runNamed(words: readonly string[]): Promise<number> | null {
  const found = OPERATOR_COMMANDS.find(({ name }) =>
    wordsOf(name).every((word, i) => words[i] === word),
  );
  return found ? runOperatorCommand(found, words.slice(wordsOf(found.name).length)) : null;
}

const wordsOf = (name: string): string[] => name.split(" ");

/** A line for each command, or for those that begin with a word. */
export const commandLines = (first?: string): string[] =>
  OPERATOR_COMMANDS.filter(({ name }) => first === undefined || name.startsWith(`${first} `)).map(
    ({ name, summary }) => `  ${name.padEnd(17)} ${summary}`,
  );
