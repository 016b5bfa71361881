#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import { runCommand } from "./command/runner.ts";
import { USAGE } from "./command/stop.ts";
import { commandIn, commandList } from "./commands.ts";

async function main(words: readonly string[]): Promise<number> {
  const [name = "--help", ...more] = words;
  if (name === "--version") {
    const { PACKAGE_VERSION } = await import("../main/version.ts");
    console.log(`cairn ${PACKAGE_VERSION}`);
    return 0;
  }
  const found = await commandIn(words);
  if (found !== null) return runCommand(found.command, found.rest);

  const { isOfGroup, page } = await commandList(name);
  if (["--help", "-h", "help"].includes(name) || (isOfGroup && more.includes("--help"))) {
    console.log(page);
    return 0;
  }
  const typed = words.filter((word) => !word.startsWith("-")).slice(0, 2);
  console.error(`There is no command ${JSON.stringify(typed.join(" "))}.\n\n${page}`);
  return USAGE;
}

enableCompileCache(); // Types are stripped once and not at every start.
process.exitCode = await main(process.argv.slice(2));
