#!/usr/bin/env node
import { enableCompileCache } from "node:module";

const COMMANDS: Readonly<Record<string, { what: string; load: () => Promise<Command> }>> = {
  serve: {
    what: "serve the network; all settings have defaults",
    load: async () => (await import("./serve.ts")).serve,
  },
  "dev-chain": {
    what: "move play money on the dev chain of a running service",
    load: async () => (await import("./dev-chain.ts")).devChain,
  },
  verify: {
    what: "check a service's chain, or a saved copy of it, offline",
    load: async () => (await import("./verify.ts")).verify,
  },
};

/** Takes the arguments after its name; resolves to the exit code. */
type Command = (args: readonly string[]) => Promise<number>;

const USAGE_EXIT_CODE = 2;

const usage = (): string =>
  ["usage: cairn <command> [options]", ""]
    .concat(Object.entries(COMMANDS).map(([name, { what }]) => `  ${name.padEnd(9)} ${what}`))
    .concat("", "cairn <command> --help tells more.")
    .join("\n");

async function main([name = "--help", ...args]: readonly string[]): Promise<number> {
  if (name === "--help" || name === "help") {
    console.log(usage());
    return 0;
  }
  const command = COMMANDS[name];
  if (command !== undefined) return (await command.load())(args);
  console.error(`There is no command ${JSON.stringify(name)}.\n\n${usage()}`);
  return USAGE_EXIT_CODE;
}

enableCompileCache(); // Types are stripped once and not at every start.
process.exitCode = await main(process.argv.slice(2));
