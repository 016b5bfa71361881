import { resolve } from "node:path";
import * as z from "zod";
import { onOrOff } from "../../domains/operator/values.ts";
import { accountKey } from "../../platform/chain/account.ts";
import { devAccountNamed, devAccounts } from "../../platform/chain/dev/keys.ts";
import { parseRaw, parseXno } from "../../platform/kernel/nano.ts";
import { wrong } from "../command/words.ts";

/** The text of the command lists the options of each form. */
export const devChainInput = z.object({
  form: z
    .enum(["send", "receive", "accounts"], { error: "send, receive or accounts" })
    .optional()
    .meta({ takes: "<send|receive|accounts>" }),
  name: z.string().optional(),
  to: z.string().optional(),
  amount: z.string().optional(),
  raw: onOrOff,
  from: z.string().default("alice"),
  data_dir: z
    .string()
    .default(() => process.env["CAIRN_DATA_DIR"] || "./data")
    .transform((folder) => resolve(folder))
    .meta({ takes: "DIR" })
    .describe("the data folder of the service (default: CAIRN_DATA_DIR or ./data)"),
});

type Values = z.output<typeof devChainInput>;
export type Form = NonNullable<Values["form"]>;

/** One call to the dev chain's node, as it is sent. */
export type Call = Readonly<Record<string, string>>;

/** A Stop when a value is wrong, or one is missing. */
export function callOf(form: Form, values: Values): Call {
  const { name } = values;
  if (name !== undefined && form !== "receive") throw refused("Too many words.");
  switch (form) {
    case "accounts":
      return { action: "dev_accounts" };
    case "receive": {
      if (name === undefined || devAccountNamed(name) === undefined)
        throw refused(`Name one of ${names()}.`);
      return { action: "dev_receive", account: name };
    }
    case "send":
      return sendCall(values);
  }
}

function sendCall({ to, amount, raw, from }: Values): Call {
  if (to === undefined || amount === undefined) throw refused("A send needs --to and --amount.");
  if (devAccountNamed(from) === undefined) throw refused(`--from is one of ${names()}.`);
  if (devAccountNamed(to) === undefined && accountKey(to) === null) {
    throw refused(`--to is a Nano account, or one of ${names()}.`);
  }
  const amountRaw = raw ? parseRaw(amount) : parseXno(amount);
  if (amountRaw === null || amountRaw === 0n) {
    throw refused(
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

const refused = (sentence: string) => wrong({ name: "dev-chain" }, sentence);
