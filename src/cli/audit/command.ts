import { randomBytes } from "node:crypto";
import * as z from "zod";
import { file, onOrOff, reasonText, value, whole } from "../../domains/operator/values.ts";
import { PACKAGE_VERSION } from "../../main/version.ts";
import { WEB_URL, webUrlIn } from "../../platform/kernel/url.ts";
import type { VerifyOptions } from "../../verify/outcome.ts";
import { writeWhole } from "../../verify/platform.ts";
import { UNKNOWN_RULES } from "../../verify/rules.ts";
import { command, type Environment, type Outcome } from "../command/command.ts";
import { Stop, USAGE } from "../command/stop.ts";
import { chainInput, stateFile } from "../verify/options.ts";
import { type Audit, auditOf } from "./audit.ts";
import { htmlReport } from "./html-report.ts";
import { auditChain, chainLines } from "./nano/nano-audit.ts";
import { SAMPLE_DEFAULT } from "./replayed/reading/sample.ts";
import { acknowledgeBreach } from "./rules/acknowledge.ts";
import {
  type AcceptedBreaches,
  auditEntries,
  rulesFacts,
  rulesReport,
} from "./rules/rules-audit.ts";
import { factsOf, textReport } from "./text-report.ts";

const nodeUrl = value("URL", WEB_URL, (text) => (webUrlIn(text) === null ? undefined : text));

/** Recomputes what a service, an export or a database file claims. */
export const audit = command({
  name: "audit",
  summary: "recompute every figure from the ledger and compare",
  about: `Verifies the whole chain with every entry, as \`cairn verify --entries\` does, makes every balance,
book and count again from these entries alone, and compares them with what is claimed: by the
public answers of a service, or by the rows of an export or of a database file.

With CAIRN_TOKEN in the environment, an agent's own orders, coins and profile are compared, too.

With --entries it checks entries alone: that each has the form of its kind, and that the rules allowed it.
That needs no service and no database. FILE has lines as GET /since?with=entry gives them, or is a bundle of
a public log, or a folder with its files.

With --acknowledge the operator says in the ledger, for ever, that it knows of an entry that breaks a rule:
its own service stops raising the alarm for it. Everybody else's audit still ends with 1, unless it is run
with --accept-acknowledged.`,
  input: z
    .object({
      from: chainInput.from.optional(),
      entries: file
        .optional()
        .describe("check the entries of this file instead, by their form and the rules"),
      acknowledge: whole("ID", 1, Number.MAX_SAFE_INTEGER)
        .optional()
        .describe("seal that the operator knows of the breach by this entry"),
      reason: reasonText
        .optional()
        .describe("why it was broken, for ever and in public; with --acknowledge"),
      accept_acknowledged: onOrOff.describe(
        "a breach that was acknowledged leaves the exit code as it is",
      ),
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
      nano: z
        .array(nodeUrl)
        .default([])
        .describe(
          "look up every sealed transfer of XNO at this Nano node, too, ten a second, and\nwhat lies on the escrow accounts; once more for each node",
        ),
      nano_done: file
        .optional()
        .describe("with --nano: keep what was fine in this file, and go on from there"),
    })
    .refine(
      ({ from, entries, acknowledge }) =>
        [from, entries, acknowledge].filter((each) => each !== undefined).length === 1,
      {
        error:
          "Name a service or a file, or entries with --entries, or an entry with --acknowledge.",
      },
    )
    .refine(({ acknowledge, reason }) => (acknowledge === undefined) === (reason === undefined), {
      error: "--acknowledge and --reason go together.",
    }),
  operands: ["from"],
  opens: "nothing",
  proxied: true,
  exits: {
    0: "all figures are equal",
    1: "one is not or the chain does not verify",
    2: "wrong usage",
    3: "history was rewritten",
    4: "history was cut off",
    5: "it could not be read, or is damaged",
    [UNKNOWN_RULES]: "a part is under rules or of kinds that this version does not know",
  },
  run({ values, environment }) {
    const { from, entries, acknowledge, reason } = values;
    const acceptAcknowledged = values.accept_acknowledged;
    if (entries !== undefined) return runOnEntries(entries, { acceptAcknowledged });
    if (from !== undefined) return runOnFigures({ ...values, from }, environment);
    if (acknowledge === undefined || reason === undefined)
      throw new Stop(USAGE, "There is nothing to audit.");
    return acknowledgeBreach({ of: acknowledge, reason }, environment);
  },
});

async function runOnEntries(path: string, accepted: AcceptedBreaches): Promise<Outcome> {
  const found = await auditEntries(path, accepted);
  return { text: rulesReport(found), facts: rulesFacts(found), exit_code: found.exit_code };
}

interface FigureValues extends Omit<VerifyOptions, "keys" | "depth" | "state"> {
  readonly state?: string | undefined;
  readonly html?: string | undefined;
  readonly key: readonly string[];
  readonly sample: number;
  readonly seed: string;
  readonly all: boolean;
  readonly equal: boolean;
  readonly accept_acknowledged: boolean;
  readonly nano: readonly string[];
  readonly nano_done?: string | undefined;
}

async function runOnFigures(
  { html, key: keys, sample, seed, all, equal, accept_acknowledged, ...values }: FigureValues,
  environment: Environment,
): Promise<Outcome> {
  const { nano: urls, nano_done: done, ...options } = values;
  const token = environment["CAIRN_TOKEN"] || undefined;
  const service = { objects: all ? null : sample, seed, token };
  const found = await auditOf(
    { ...options, state: stateFile(options.state), keys, depth: "entries" },
    { ...service, acceptAcknowledged: accept_acknowledged },
  );
  if (html !== undefined) await writeReport(html, found);
  const { sealed, exit_code, verified } = found;
  const isAsked = urls.length > 0 && verified.exit_code === 0;
  const chain = isAsked ? await auditChain(sealed, sealed.owed_raw, { urls, done }) : null;
  return {
    text: [textReport(found, { equal }), ...(chain === null ? [] : chainLines(chain))].join("\n"),
    facts: { ...factsOf(found), ...(chain && { nano: chain }) },
    exit_code: exit_code === 0 ? (chain?.exit_code ?? 0) : exit_code,
  };
}

async function writeReport(path: string, found: Audit): Promise<void> {
  const made = { at: Date.now(), release: PACKAGE_VERSION };
  await writeWhole(path, [htmlReport(found, made)]);
}
