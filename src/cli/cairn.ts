#!/usr/bin/env node
import { PACKAGE_VERSION } from "../main/version.ts";
import { PROTOCOL_VERSION } from "../platform/kernel/contract/protocol.ts";
import { plainJson } from "../verify/plain.ts";
import { print } from "../verify/print.ts";
import { runCommand } from "./command/runner.ts";
import { USAGE } from "./command/stop.ts";
import { commandIn, commandList, unknownCommand } from "./commands.ts";

const VERSIONS = { version: PACKAGE_VERSION, protocol: PROTOCOL_VERSION };

async function main(words: readonly string[]): Promise<number> {
  const [name = "--help", ...more] = words;
  if (name === "--version") {
    const node = process.version.slice(1);
    const text = more.includes("--json")
      ? plainJson({ ok: true, exit_code: 0, ...VERSIONS, node })
      : `cairn ${PACKAGE_VERSION}, protocol ${PROTOCOL_VERSION}, Node ${node}`;
    return print({ exit_code: 0, stream: "stdout", text });
  }
  const found = await commandIn(words);
  if (found !== null) return runCommand(found.command, found.rest);

  const { isOfGroup, page } = await commandList(name);
  if (["--help", "-h", "help"].includes(name) || (isOfGroup && more.includes("--help")))
    return print({ exit_code: 0, stream: "stdout", text: page });
  const typed = words.filter((word) => !word.startsWith("-")).slice(0, 2);
  const error = await unknownCommand(typed, isOfGroup);
  if (!words.includes("--json")) return print({ exit_code: USAGE, stream: "stderr", text: error });
  const text = plainJson({ ok: false, exit_code: USAGE, error });
  return print({ exit_code: USAGE, stream: "stdout", text });
}

process.exitCode = await main(process.argv.slice(2));
