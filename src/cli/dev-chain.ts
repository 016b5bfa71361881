import * as z from "zod";
import { xnoOf } from "../kernel/nano.ts";
import { runningDevChain } from "../main/open-chain.ts";
import { type DevChainOptions, devChainOptions, HELP } from "./dev-chain-options.ts";
import { asksForJson } from "./json-option.ts";
import { REFUSED, Stop, UNREADABLE } from "./stop.ts";

const PATIENCE_MS = 5_000;

/** `cairn dev-chain`: moves play money, so that a newcomer can watch a contribution being checked. */
export async function devChain(args: readonly string[]): Promise<number> {
  const isJson = asksForJson(args);
  try {
    const options = devChainOptions(args);
    console.log(options === null ? HELP : await run(options));
    return 0;
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const { exitCode: exit_code, message } = error;
    if (isJson) console.log(JSON.stringify({ ok: false, exit_code, error: message }));
    else console.error(message);
    return exit_code;
  }
}

const refusal = z.object({ error: z.string() });

async function run(options: DevChainOptions): Promise<string> {
  const running = runningDevChain(options.dataDir);
  if (running === null) throw new Stop(UNREADABLE, noChain(options.dataDir));
  const answer = await ask(options, running.url);
  if (options.output === "json") return JSON.stringify({ ok: true, exit_code: 0, ...answer });
  return textOf(options, answer, running.base_url);
}

/** The node's answer. */
async function ask({ call, dataDir }: DevChainOptions, url: string): Promise<object> {
  const gone = new Stop(UNREADABLE, noChain(dataDir));
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

function textOf({ command, call }: DevChainOptions, answer: object, baseUrl: string): string {
  switch (command) {
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
