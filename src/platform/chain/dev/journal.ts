import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from "node:fs";
import { dirname } from "node:path";
import { signedBlock } from "../answers.ts";
import type { DevLedger, SignedState } from "./ledger.ts";
import { contentsJson } from "./shapes.ts";

/** Keeps blocks over restarts. */
export interface DevJournal {
  save(block: SignedState): void;
}

/**
 * Puts the blocks of a file on the chain, which the file then goes on with: one block in a line, as
 * nodes write it. A last line that was not finished is taken off, since it was never acknowledged;
 * any other line that is no next block ends the start with a sentence.
 */
export function openDevJournal(file: string, ledger: DevLedger): DevJournal {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  if (whole !== text) truncateSync(file, Buffer.byteLength(whole));
  for (const [i, line] of whole.split("\n").slice(0, -1).entries()) {
    try {
      const block = signedBlock.parse(line);
      if (block.type !== "state") throw new Error("The dev chain has state blocks only.");
      ledger.confirm(ledger.process(block).hash);
    } catch (cause) {
      const sentence = `Line ${i + 1} of ${file} is not the dev chain's next block. Remove the whole data folder to begin anew.`;
      throw new Error(sentence, { cause });
    }
  }
  return {
    save: (block) => appendFileSync(file, `${JSON.stringify(contentsJson(block))}\n`),
  };
}
