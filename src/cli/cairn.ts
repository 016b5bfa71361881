#!/usr/bin/env node
import { PROTOCOL_VERSION } from "../kernel/contract/protocol.ts";
import { PACKAGE_VERSION } from "../main/version.ts";
import { print } from "../verify/print.ts";
import { runCommand } from "./command/runner.ts";
import { USAGE } from "./command/stop.ts";
import { commandIn, commandList, unknownCommand } from "./commands.ts";

async function main(words: readonly string[]): Promise<number> {
  const [name = "--help", ...more] = words;
  if (name === "--version") {
    const node = process.version.slice(1);
    const text = `cairn ${PACKAGE_VERSION}, protocol ${PROTOCOL_VERSION}, Node ${node}`;
    return print({ exit_code: 0, stream: "stdout", text });
  }
  const found = await commandIn(words);
  if (found !== null) return runCommand(found.command, found.rest);

  const { isOfGroup, page } = await commandList(name);
  if (["--help", "-h", "help"].includes(name) || (isOfGroup && more.includes("--help")))
    return print({ exit_code: 0, stream: "stdout", text: page });
  const typed = words.filter((word) => !word.startsWith("-")).slice(0, 2);
  const text = await unknownCommand(typed, isOfGroup);
  return print({ exit_code: USAGE, stream: "stderr", text });
}

process.exitCode = await main(process.argv.slice(2));
