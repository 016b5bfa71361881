import assert from "node:assert/strict";
import { readArguments } from "../src/cli/command.ts";
import { type Done, partsOf } from "../src/cli/operator-command.ts";
import { OPERATOR_COMMANDS } from "../src/cli/operator-commands.ts";
import { Stop } from "../src/cli/stop.ts";
import type { World } from "../src/main/world.ts";

/** Does what `cairn <name> <args>` does, in the process of the test and on its world. */
export async function operate(world: World, name: string, ...args: string[]): Promise<Done> {
  const command = OPERATOR_COMMANDS.find((each) => each.name === name);
  assert.ok(command, `There is a command ${name}.`);
  const given = readArguments(args, partsOf(command));
  assert.ok(given);
  return command.read(given)(world);
}

/** That a command refuses, with its exit code and its words. */
export async function refuses(
  world: World,
  [name = "", ...args]: readonly string[],
  words: RegExp,
): Promise<void> {
  await assert.rejects(operate(world, name, ...args), (error) => {
    assert.ok(error instanceof Error);
    if (error instanceof Stop) assert.notEqual(error.exitCode, 0);
    assert.match(error.message, words, `${name} ${args.join(" ")}`);
    return true;
  });
}
