import { createInterface } from "node:readline/promises";
import { PACKAGE_VERSION } from "../../main/version.ts";
import { type Command, type Given, isWrite, type Place } from "./command.ts";
import { REFUSED, Stop } from "./stop.ts";

/** Where a person reads and answers. */
interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

const FOUND = "This writes to a service that nobody named: it was found on this machine.";

const UNNAMED =
  "Nothing was done: this writes to a service that nobody named. Name it with --data-dir, or repeat this with --yes.";

/**
 * Asks on a terminal before what nothing undoes, and before a write to a service that was only found, unless the words
 * had `--yes`. A script is not asked, because it has no terminal: of what nothing undoes scripts of earlier releases
 * must go on working, and a write to a service that was only found ends with exit code 1. So does every answer but yes.
 */
export async function demandAgreement(
  command: Pick<Command, "confirms" | "opens" | "looks" | "changes">,
  { values, place, isAgreed = false }: Pick<Given, "values" | "place" | "isAgreed">,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (isAgreed) return;
  const isOnlyFound = place?.how === "found" && isWrite(command, values);
  const sentences = [isOnlyFound ? FOUND : null, command.confirms?.(values) ?? null];
  const sentence = sentences.filter((each) => each !== null).join(" ");
  if (sentence === "") return;
  if (!input.isTTY || !output.isTTY) {
    if (isOnlyFound) throw new Stop(REFUSED, UNNAMED);
    return;
  }
  const lines = createInterface({ input, output });
  const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
  try {
    const answer = await Promise.race([lines.question(`${sentence} Go on? [y/N] `), ended]);
    if (!/^y(es)?$/i.test(answer.trim())) throw new Stop(REFUSED, "Nothing was done.");
  } finally {
    lines.close();
  }
}

/** Another version of the program may store what the service does not know, or not know what it stores. */
export function demandSameVersion({ running }: Place): void {
  if (running === null || running.version === PACKAGE_VERSION) return;
  throw new Stop(
    REFUSED,
    `The service on ${running.data_dir} is Cairn ${running.version}, and this is ${PACKAGE_VERSION}: use the command of that version, or restart the service with this one. Nothing was done.`,
  );
}
