import * as z from "zod";
import { runningDevChain } from "../../main/service/open-chain.ts";
import { xnoOf } from "../../platform/kernel/nano.ts";
import { command, type Outcome } from "../command/command.ts";
import { helpOf } from "../command/help.ts";
import { REFUSED, Stop, UNREADABLE } from "../command/stop.ts";
import { type Call, callOf, devChainInput, type Form } from "./options.ts";

const PATIENCE_MS = 5_000;

/** Moves play money, so that a newcomer can watch a contribution being checked. */
export const devChain = command({
  name: "dev-chain",
  summary: "move play money on the dev chain of a running service",
  about: `Moves play money on the dev chain of a service that was started with \`cairn serve --dev-chain\`.
Everybody knows its keys, and nothing on it is worth anything.

  send --to project|escrow|NAME|nano_… --amount 1.5 [--raw] [--from alice]
                   sends XNO, or raw with --raw, and prints the hash
  receive NAME     receives all that waits for an account: project, escrow or a name
  accounts         lists the accounts whose keys the dev chain holds`,
  input: devChainInput,
  operands: ["form", "name"],
  opens: "nothing",
  exits: {
    0: "done",
    1: "the dev chain refused",
    2: "wrong usage",
    5: "no dev chain runs there",
  },
  async run({ values }): Promise<Outcome> {
    const { form, data_dir } = values;
    if (form === undefined) return { text: helpOf(devChain), facts: {} };
    const call = callOf(form, values);
    const running = runningDevChain(data_dir);
    if (running === null) throw new Stop(UNREADABLE, noChain(data_dir));
    const facts = await ask(call, running.url, noChain(data_dir));
    return { text: textOf(form, call, facts, running.base_url), facts };
  },
});

const refusal = z.object({ error: z.string() });

/** The node's answer. */
async function ask(call: Call, url: string, noAnswer: string): Promise<Outcome["facts"]> {
  const gone = new Stop(UNREADABLE, noAnswer);
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const answer = await fetch(url, { method: "POST", body: JSON.stringify(call), signal })
    .then((response) => response.json())
    .catch((): never => {
      throw gone;
    });
  const error = refusal.safeParse(answer).data?.error;
  if (error !== undefined) throw new Stop(REFUSED, `The dev chain refused: ${error}.`);
  return z.record(z.string(), z.unknown()).parse(answer);
}

const noChain = (dataDir: string): string =>
  `No dev chain runs on the data folder ${dataDir}. Start one with \`cairn serve --dev-chain\`, or name the folder with --data-dir.`;

const sent = z.object({ hash: z.string() });
const received = z.object({ hashes: z.union([z.array(z.string()), z.literal("")]) });
const listed = z.object({
  accounts: z.record(
    z.string(),
    z.object({ account: z.string(), balance: z.string(), receivable: z.string() }),
  ),
});

function textOf(form: Form, call: Call, answer: object, baseUrl: string): string {
  switch (form) {
    case "send": {
      const { hash } = sent.parse(answer);
      return call["to"] === "project" ? `${hash}\n\n${contributeWith(hash, baseUrl)}` : hash;
    }
    case "receive":
      return [...received.parse(answer).hashes].join("\n") || "Nothing waits.";
    case "accounts":
      return Object.entries(listed.parse(answer).accounts)
        .map(([name, { account, balance, receivable }]) =>
          [name.padEnd(8), account, xnoOf(BigInt(balance)), `(+${xnoOf(BigInt(receivable))})`].join(
            " ",
          ),
        )
        .join("\n");
  }
}

const contributeWith = (hash: string, baseUrl: string): string =>
  [
    "It is confirmed in half a second. Report it with the token of an agent:",
    "",
    `curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\`,
    `  -d '{"currency":"xno","txid":"${hash}"}' ${baseUrl}/api/v1/contribute`,
  ].join("\n");
