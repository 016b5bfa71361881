import { plain, plainJson } from "../../verify/plain.ts";
import { followProxy } from "../../verify/platform.ts";
import { type Ended, print } from "../../verify/print.ts";
import { demandAgreement, demandSameVersion } from "./agreement.ts";
import { type Command, type Environment, isWrite, type Outcome } from "./command.ts";
import { columnsOf, helpOf } from "./help.ts";
import { exitCodeOf, messageOf } from "./stop.ts";
import { readWords } from "./words.ts";

/** Runs a command with the words after its name, prints what it says, and resolves to its exit code. */
export async function runCommand(command: Command, words: readonly string[]): Promise<number> {
  return print(await endOf(command, words));
}

/** The same, without printing it. */
export async function endOf(
  command: Command,
  words: readonly string[],
  environment: Environment = process.env,
): Promise<Ended> {
  const isJson = !command.silent && asksForJson(words);
  try {
    const outcome = await outcomeOf(command, words, environment);
    if (outcome === null)
      return {
        exit_code: 0,
        stream: "stdout",
        text: helpOf(command, columnsOf(process.stdout.columns)),
      };
    const { text, facts, exit_code = 0, printed } = outcome;
    const json = { ok: exit_code === 0, exit_code, ...facts };
    const shown = isJson ? plainJson(json) : plainLines(command, text);
    return { exit_code, stream: "stdout", text: shown, ...(printed && { printed }) };
  } catch (error) {
    const exit_code = exitCodeOf(error);
    const message = messageOf(error);
    const json = { ok: false, exit_code, error: message };
    if (isJson) return { exit_code, stream: "stdout", text: plainJson(json) };
    return { exit_code, stream: "stderr", text: plainOf(command, message) };
  }
}

/** Characters of a message, of which a stranger may have written a part. */
const MESSAGE_MAX = 2_000;

/** What a command that reads what strangers wrote says in one line, and any other in several. */
const plainOf = (command: Command, message: string): string =>
  command.opens === "nothing" && !command.silent
    ? plain(message.slice(0, MESSAGE_MAX))
    : plainLines(command, message);

/** Files hold what anybody wrote; a silent command prints what is its own. */
const plainLines = ({ silent }: Command, text: string): string =>
  silent ? text : text.split("\n").map(plain).join("\n");

async function outcomeOf(
  command: Command,
  words: readonly string[],
  environment: Environment,
): Promise<Outcome | null> {
  const given = await readWords(command, words, await withFileOf(environment));
  if (given === null) return null;
  const { place } = given;
  if (place?.note) console.error(place.note);
  if (place !== undefined && isWrite(command, given.values)) demandSameVersion(place);
  await demandAgreement(command, given);
  if (command.proxied) await followProxy(given.environment);
  if (command.opens !== "service") return command.run(given);
  const { runOnService } = await import("./open-service.ts"); // The whole service, which most commands do without.
  return runOnService(command, given);
}

/** With the variables of the file that CAIRN_ENV_FILE names, which scripts such as ops/cairn do. */
async function withFileOf(environment: Environment): Promise<Environment> {
  if (!environment["CAIRN_ENV_FILE"]) return environment;
  const { withEnvFile } = await import("./env-file.ts"); // It knows all settings.
  return withEnvFile(environment);
}

/**
 * Whether a command is to print JSON. It is asked before the words are read, because a refusal of
 * them is JSON then, too. Words after `--` are no options.
 */
function asksForJson(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end === -1 ? words.length : end).includes("--json");
}
