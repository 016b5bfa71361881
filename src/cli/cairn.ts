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
  audit: {
    what: "make a service's figures again from its ledger, and compare them",
    load: async () => (await import("./audit.ts")).audit,
  },
  mcp: {
    what: "serve the tools of a network to a host that speaks MCP over stdio",
    load: async () => (await import("./mcp.ts")).mcp,
  },
  backup: {
    what: "copy the database while the service runs, and check the copy",
    load: async () => (await import("./backup.ts")).backup,
  },
  restore: {
    what: "bring a backup back, and admit in the ledger what it lacks",
    load: async () => (await import("./restore.ts")).restore,
  },
  export: {
    what: "write the whole database as text",
    load: async () => (await import("./export.ts")).exportDatabase,
  },
  import: {
    what: "read an export into an empty database of either engine",
    load: async () => (await import("./import.ts")).importDatabase,
  },
  doctor: {
    what: "look whether all is well, and say what to do",
    load: async () => (await import("./doctor.ts")).doctor,
  },
};

/** Takes the arguments after its name; resolves to the exit code. */
type Command = (args: readonly string[]) => Promise<number>;

const USAGE_EXIT_CODE = 2;

/** All commands, or those of the operator that begin with a word. */
function usage(commandLines: (first?: string) => string[], first?: string): string {
  const own = Object.entries(COMMANDS).map(([name, { what }]) => `  ${name.padEnd(17)} ${what}`);
  const version = `  ${"--version".padEnd(17)} tell the release`;
  const lines =
    first === undefined ? [...own, "", ...commandLines(), "", version] : commandLines(first);
  const name = ["cairn", first, "<command> [options]"].filter((word) => word !== undefined);
  return [`usage: ${name.join(" ")}`, "", ...lines, "", "Each tells more with --help."].join("\n");
}

async function main(words: readonly string[]): Promise<number> {
  const [name = "--help", ...args] = words;
  const command = COMMANDS[name];
  if (command !== undefined) return (await command.load())(args);
  const { commandLines, runNamed } = await import("./operator-commands.ts");
  const run = runNamed(words);
  if (run !== null) return run;

  if (["--help", "-h", "help"].includes(name)) {
    console.log(usage(commandLines));
    return 0;
  }
  if (name === "--version") {
    const { PACKAGE_VERSION } = await import("../main/version.ts");
    console.log(`cairn ${PACKAGE_VERSION}`);
    return 0;
  }
  const group = commandLines(name).length > 0 ? name : undefined;
  if (group !== undefined && args.includes("--help")) {
    console.log(usage(commandLines, group));
    return 0;
  }
  const typed = words.filter((word) => !word.startsWith("-")).slice(0, 2);
  console.error(
    `There is no command ${JSON.stringify(typed.join(" "))}.\n\n${usage(commandLines, group)}`,
  );
  return USAGE_EXIT_CODE;
}

enableCompileCache(); // Types are stripped once and not at every start.
process.exitCode = await main(process.argv.slice(2));
