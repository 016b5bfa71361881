import * as z from "zod";
import { file, onOrOff } from "../../domains/operator/values.ts";
import { fileSnapshot } from "../../main/storage/database.ts";
import { fileChain, saveChain } from "../../verify/file.ts";
import { logOutcome } from "../../verify/log/outcome.ts";
import { logFacts, logReport } from "../../verify/log/report.ts";
import { networkChain } from "../../verify/network.ts";
import { outcomeOf, type VerifyOptions } from "../../verify/outcome.ts";
import { factsOf, textReport } from "../../verify/report.ts";
import { UNKNOWN_RULES } from "../../verify/rules.ts";
import type { ChainSource } from "../../verify/shapes.ts";
import { command } from "../command/command.ts";
import { isDatabaseFile } from "../command/lines.ts";
import { messageOf, Stop, UNREADABLE, USAGE } from "../command/stop.ts";
import { databaseChain } from "./database-chain.ts";
import { chainInput, logPlace, stateFile } from "./options.ts";
import { withProgress } from "./progress.ts";

export const verify = command({
  name: "verify",
  summary: "check a service's chain, a saved copy of it, or the files of its log, offline",
  about: `Walks the whole chain of seals of a service, or of a copy saved with --save, and checks
every link, hash and signature. The verified head is remembered and compared the next time.

With --log it reads the files that \`cairn log export\` or \`cairn mirror\` wrote instead, and checks every
entry, every hash and the checkpoint; no service or database has to be there. It remembers nothing.`,
  input: z
    .object({
      from: chainInput.from.optional(),
      log: logPlace("PLACE")
        .optional()
        .describe("read the files of a public log instead, all of them: a URL or a folder"),
      entries: onOrOff.describe("also read every entry, and check each leaf, root and text"),
      rules: onOrOff.describe("the same, and check that the rules allowed each entry"),
      key: chainInput.key,
      origin: chainInput.origin,
      save: file
        .optional()
        .describe("keep a copy of what was read, to be verified later without the service"),
      policy: file
        .optional()
        .describe(
          "compare it with the log and the witnesses that the file names (c2sp.org/tlog-policy)",
        ),
      state: chainInput.state.describe(
        "where to remember (default: heads.json in the user's state folder)",
      ),
    })
    .refine(({ from, log }) => (from === undefined) !== (log === undefined), {
      error: "Name a service, a file, or a log with --log, and only one of them.",
    })
    .refine(({ from, save }) => from?.kind === "network" || save === undefined, {
      error: "--save copies a service's chain.",
    }),
  operands: ["from"],
  opens: "nothing",
  proxied: true,
  exits: {
    0: "it verifies",
    1: "it does not",
    2: "wrong usage",
    3: "history was rewritten (also where a restore is claimed that nobody signed, or only a key from before a rotation that was seen)",
    4: "history was cut off",
    5: "it could not be read",
    [UNKNOWN_RULES]:
      "it verifies, but with --rules a part is under rules or of kinds that this version does not know",
  },
  async run({ values: { from, log, entries, key: keys, ...options } }) {
    if (log !== undefined) {
      const outcome = await logOutcome({ ...options, address: log, keys });
      const { exit_code } = outcome;
      return { text: logReport(outcome), facts: logFacts(outcome), exit_code };
    }
    if (from === undefined) throw new Stop(USAGE, "There is nothing to verify.");
    const depth = entries || options.rules ? "entries" : "links";
    const state = stateFile(options.state);
    const outcome = await outcomeOf({ ...options, state, from, keys, depth }, openChain);
    const { exit_code } = outcome;
    return { text: textReport(outcome), facts: factsOf(outcome), exit_code };
  },
});

/** The chain to walk. One that is to be saved is saved first, and then read back from its copy. */
export async function openChain({ from, depth, save }: VerifyOptions): Promise<ChainSource> {
  if (from.kind === "file") {
    const copy = withProgress(await copyOf(from.address));
    if (depth === "links" || copy.header.entries) return copy;
    throw new Stop(USAGE, `${from.address} was saved without --entries, so it holds none.`);
  }
  const source = withProgress(await networkChain(from.address, depth));
  if (save === undefined) return source;
  await saveChain(save, source);
  return fileChain(save);
}

/** A saved chain, an export, or a backup of the embedded engine. */
async function copyOf(path: string): Promise<ChainSource> {
  if (!(await isDatabaseFile(path))) return fileChain(path);
  try {
    return await databaseChain(fileSnapshot(path).read); // Held until the process ends.
  } catch (error) {
    if (error instanceof Stop) throw error;
    throw new Stop(UNREADABLE, messageOf(error), error);
  }
}
