import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import * as z from "zod";
import { PACKAGE_VERSION } from "../../main/version.ts";
import { file, onOrOff, whole } from "../../operator/values.ts";
import { command } from "../command/command.ts";
import { messageOf, Stop, USAGE } from "../command/stop.ts";
import { chainInput } from "../verify/options.ts";
import { type Audit, auditOf } from "./audit.ts";
import { htmlReport } from "./html-report.ts";
import { SAMPLE_DEFAULT } from "./served/reading/sample.ts";
import { factsOf, textReport } from "./text-report.ts";

/** Recomputes what a service, an export or a database file claims. */
export const audit = command({
  name: "audit",
  summary: "recompute every figure from the ledger and compare",
  about: `Verifies the whole chain with every entry, as \`cairn verify --entries\` does, makes every balance,
book and count again from these entries alone, and compares them with what is claimed: by the
public answers of a service, or by the rows of an export or of a database file.

With CAIRN_TOKEN in the environment, an agent's own orders, coins and profile are compared, too.`,
  input: z.object({
    from: chainInput.from,
    html: file.optional().describe("write a report with plots"),
    key: chainInput.key,
    origin: chainInput.origin,
    state: chainInput.state.describe("where `cairn verify` remembers what it saw"),
    sample: whole("N", 1, 999_999_999)
      .default(SAMPLE_DEFAULT)
      .describe(
        "of a service with over 10,000 objects, read so many of each list (default\n2,000): the newest half, and as many drawn ones",
      ),
    seed: z
      .string()
      .default(() => randomBytes(4).toString("hex"))
      .meta({ takes: "TEXT" })
      .describe("draw the same ones as an audit that printed this seed"),
    all: onOrOff.describe("read all of them"),
    equal: onOrOff.describe("name the figures that are equal, too"),
  }),
  operands: ["from"],
  opens: "nothing",
  exits: {
    0: "all figures are equal",
    1: "one is not or the chain does not verify",
    2: "wrong usage",
    3: "history was rewritten",
    4: "history was cut off",
    5: "it could not be read, or is damaged",
  },
  async run({ values: { html, key: keys, sample, seed, all, equal, ...options }, environment }) {
    const token = environment["CAIRN_TOKEN"] || undefined;
    const service = { objects: all ? null : sample, seed, token };
    const found = await auditOf({ ...options, keys, depth: "entries" }, service);
    if (html !== undefined) await writeReport(html, found);
    return {
      text: textReport(found, { equal }),
      facts: factsOf(found),
      exit_code: found.exit_code,
    };
  },
});

async function writeReport(path: string, found: Audit): Promise<void> {
  const made = { at: Date.now(), release: PACKAGE_VERSION };
  await writeFile(path, htmlReport(found, made)).catch((error: unknown) => {
    throw new Stop(USAGE, `${path} cannot be written: ${messageOf(error)}.`, error);
  });
}
