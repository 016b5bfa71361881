import assert from "node:assert/strict";
import type { Given, Outcome } from "../src/cli/command/command.ts";
import { runOn } from "../src/cli/command/open-service.ts";
import { Stop } from "../src/cli/command/stop.ts";
import { readWords } from "../src/cli/command/words.ts";
import { OPERATOR_COMMANDS } from "../src/cli/operator/operator-commands.ts";
import type { Service } from "../src/main/service/open-service.ts";

/** Does what `cairn <name> <args>` does, in the process of the test and on its service. */
export const operate = (service: Service, name: string, ...args: string[]): Promise<Outcome> =>
  operateWith({}, service, name, ...args);

/** The same for a command that looks into the settings. */
export async function operateWith(
  settings: Pick<Given, "configuration">,
  service: Service,
  name: string,
  ...args: string[]
): Promise<Outcome> {
  const command = OPERATOR_COMMANDS.find((each) => each.name === name);
  assert.ok(command, `There is a command ${name}.`);
  const given = await readWords(command, args, process.env);
  assert.ok(given);
  return runOn(service, command, { ...given, ...settings });
}

/** That a command refuses, with its exit code and its words. */
export async function refuses(
  service: Service,
  [name = "", ...args]: readonly string[],
  words: RegExp,
): Promise<void> {
  await assert.rejects(operate(service, name, ...args), (error) => {
    assert.ok(error instanceof Error);
    if (error instanceof Stop) assert.notEqual(error.exitCode, 0);
    assert.match(error.message, words, `${name} ${args.join(" ")}`);
    return true;
  });
}
