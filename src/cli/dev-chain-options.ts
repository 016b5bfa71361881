import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { accountKey } from "../chain/account.ts";
import { devAccountNamed, devAccounts } from "../chain/dev/keys.ts";
import { parseRaw, parseXno } from "../kernel/nano.ts";
import { Stop, USAGE } from "./stop.ts";

export const HELP = `usage: cairn dev-chain <send|receive|accounts> [options]

Moves play money on the dev chain of a service that was started with \`cairn serve --dev-chain\`.
Everybody knows its keys, and nothing on it is worth anything.

  send --to project|escrow|NAME|nano_… --amount 1.5 [--raw] [--from alice]
                   sends XNO, or raw with --raw, and prints the hash
  receive NAME     receives all that waits for an account: project, escrow or a name
  accounts         lists the accounts whose keys the dev chain holds

  --data-dir DIR   the data folder of the service (default: CAIRN_DATA_DIR or ./data)
  --json           print one JSON object

exit codes: 0 done, 1 the dev chain refused, 2 wrong usage, 5 no dev chain runs there`;

/** One call to the dev chain's node. */
export interface DevChainOptions {
  readonly command: "send" | "receive" | "accounts";
  readonly call: Readonly<Record<string, string>>;
  readonly dataDir: string;
  readonly output: "text" | "json";
}

/** What the arguments ask for, or null when they ask for help. A Stop when they are wrong. */
export function devChainOptions(args: readonly string[]): DevChainOptions | null {
  const { values, positionals } = parsed(args);
  const [command, name, ...more] = positionals;
  if (values.help || command === undefined) return null;
  if (more.length > 0 || (name !== undefined && command !== "receive"))
    throw wrong("Too many words.");
  const common = {
    dataDir: resolve(values["data-dir"] ?? (process.env["CAIRN_DATA_DIR"] || "./data")),
    output: values.json ? "json" : "text",
  } as const;
  switch (command) {
    case "accounts":
      return { ...common, command, call: { action: "dev_accounts" } };
    case "receive": {
      if (name === undefined || devAccountNamed(name) === undefined)
        throw wrong(`Name one of ${names()}.`);
      return { ...common, command, call: { action: "dev_receive", account: name } };
    }
    case "send":
      return { ...common, command, call: sendCall(values) };
    default:
      throw wrong(`There is no command ${JSON.stringify(command)}.`);
  }
}

type Values = ReturnType<typeof parsed>["values"];

function sendCall({ to, amount, raw, from = "alice" }: Values): DevChainOptions["call"] {
  if (to === undefined || amount === undefined) throw wrong("A send needs --to and --amount.");
  if (devAccountNamed(from) === undefined) throw wrong(`--from is one of ${names()}.`);
  if (devAccountNamed(to) === undefined && accountKey(to) === null) {
    throw wrong(`--to is a Nano account, or one of ${names()}.`);
  }
  const amountRaw = raw ? parseRaw(amount) : parseXno(amount);
  if (amountRaw === null || amountRaw === 0n) {
    throw wrong(
      raw
        ? "--amount is a whole number above 0."
        : "--amount is above 0, with at most 30 decimals.",
    );
  }
  return { action: "dev_send", from, to, amount_raw: String(amountRaw) };
}

const names = (): string =>
  devAccounts()
    .map(({ name }) => name)
    .join(", ");

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        to: { type: "string" },
        from: { type: "string" },
        amount: { type: "string" },
        raw: { type: "boolean" },
        "data-dir": { type: "string" },
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw wrong(error instanceof Error ? error.message : String(error));
  }
}

const wrong = (sentence: string): Stop =>
  new Stop(USAGE, `${sentence} \`cairn dev-chain --help\` tells more.`);
