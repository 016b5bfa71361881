import { didYouMean } from "../platform/kernel/words/nearest.ts";
import type { Command } from "./command/command.ts";
import { summaryLine } from "./command/help.ts";

/** Made once, because it depends on all commands. */
let completion: Command | undefined;

/** The commands of one word, in the order of the help. Each loads its own part of the service. */
const OWN: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import("./serve/serve.ts")).serve,
  "dev-chain": async () => (await import("./dev-chain/dev-chain.ts")).devChain,
  verify: async () => (await import("./verify/verify.ts")).verify,
  audit: async () => (await import("./audit/command.ts")).audit,
  mirror: async () => (await import("./log/mirror.ts")).mirror,
  monitor: async () => (await import("./log/mirror.ts")).monitor,
  mcp: async () => (await import("./mcp/mcp.ts")).mcp,
  backup: async () => (await import("./backup/backup.ts")).backup,
  restore: async () => (await import("./backup/restore.ts")).restore,
  export: async () => (await import("./transfer/export.ts")).exportDatabase,
  import: async () => (await import("./backup/import.ts")).importDatabase,
  console: async () => (await import("./console/console.ts")).consoleLink,
  doctor: async () => (await import("./doctor/doctor.ts")).doctor,
  completion: async () => {
    completion ??= (await import("./completion/completion.ts")).completionOf(everyCommand);
    return completion;
  },
};

/** The commands of one word, and those of the operator. */
export async function allCommands() {
  const { OPERATOR_COMMANDS } = await import("./operator/operator-commands.ts");
  const own = await Promise.all(Object.values(OWN).map((load) => load()));
  return { own, operator: OPERATOR_COMMANDS };
}

async function everyCommand(): Promise<readonly Command[]> {
  const { own, operator } = await allCommands();
  return [...own, ...operator];
}

/** The command that the first words name, and the words after its name; null when they name none. */
export async function commandIn(words: readonly string[]) {
  const [first = "", ...rest] = words;
  const own = Object.hasOwn(OWN, first) ? OWN[first] : undefined;
  if (own !== undefined) return { command: await own(), rest };
  const { OPERATOR_COMMANDS } = await import("./operator/operator-commands.ts");
  for (const command of OPERATOR_COMMANDS) {
    const name = command.name.split(" ");
    if (name.every((word, i) => words[i] === word))
      return { command, rest: words.slice(name.length) };
  }
  return null;
}

/** What commands there are; or where some begin with the same first word, these. */
export async function commandList(first: string): Promise<{ isOfGroup: boolean; page: string }> {
  const { own, operator } = await allCommands();
  const group = operator.filter(({ name }) => name.startsWith(`${first} `));
  const version = { name: "--version", summary: "print the version" };
  const isOfGroup = group.length > 0;
  const parts = isOfGroup ? [group] : [own, operator, [version]];
  const page = [
    `usage: cairn ${isOfGroup ? `${first} ` : ""}<command> [options]`,
    ...parts.map((commands) => commands.map(summaryLine).join("\n")),
    "Run a command with --help for details.",
  ];
  return { isOfGroup, page: page.join("\n\n") };
}

/** What to say of words that name no command; `isOfGroup` when commands begin with the first one. */
export async function unknownCommand(
  typed: readonly string[],
  isOfGroup: boolean,
): Promise<string> {
  const [first = ""] = typed;
  const { own, operator } = await allCommands();
  const names = [...own, ...operator].map(({ name }) => name);
  const meant = didYouMean(typed.join(" "), names) || didYouMean(first, names);
  const all = isOfGroup ? `cairn ${first} --help` : "cairn --help";
  return `There is no command ${JSON.stringify(typed.join(" "))}.${meant} \`${all}\` lists them.`;
}
