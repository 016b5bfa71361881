import { createInterface } from "node:readline/promises";
import type { Command, Given } from "./command.ts";
import { REFUSED, Stop } from "./stop.ts";

/** Where a person reads and answers. */
interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/**
 * Asks on a terminal before what nothing undoes, unless the words had `--yes`. A script is not asked: it has no
 * terminal, and scripts of earlier releases must go on working. Ends with exit code 1 unless the answer is yes.
 */
export async function demandAgreement(
  { confirms }: Pick<Command, "confirms">,
  { values, isAgreed = false }: Pick<Given, "values" | "isAgreed">,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  const sentence = confirms?.(values) ?? null;
  if (sentence === null || isAgreed || !input.isTTY || !output.isTTY) return;
  const lines = createInterface({ input, output });
  const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
  try {
    const answer = await Promise.race([lines.question(`${sentence} Go on? [y/N] `), ended]);
    if (!/^y(es)?$/i.test(answer.trim())) throw new Stop(REFUSED, "Nothing was done.");
  } finally {
    lines.close();
  }
}
