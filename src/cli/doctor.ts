import { existsSync } from "node:fs";
import { NoSchema, type Snapshot } from "../db/table-copy.ts";
import { databaseFile, openSnapshot } from "../main/database.ts";
import { signerFiles, signerOf } from "../main/operator-key.ts";
import type { Configuration, ShownSetting } from "../main/settings.ts";
import { type Given, type Outcome, runCommand, SETTINGS_HELP } from "./command.ts";
import { checkAccounts } from "./doctor-accounts.ts";
import { checkFiles } from "./doctor-files.ts";
import { checkLedger } from "./doctor-ledger.ts";
import { checkLimits } from "./doctor-limits.ts";
import { checkMarket } from "./doctor-market.ts";
import { checkAnswers, checkNodes } from "./doctor-nodes.ts";
import { checkReplica } from "./doctor-replica.ts";
import { checkRewards } from "./doctor-rewards.ts";
import type { Finding, Patient } from "./finding.ts";
import { messageOf, REFUSED, Stop, USAGE } from "./stop.ts";

const HELP = `usage: cairn doctor [options]

Looks at the settings, files and rights, disk, clock, schema, key, chain, limits, replica and Nano
nodes of a service, whether it runs or not, and says what to do. It changes nothing.

  --quick          do not walk the chain
${SETTINGS_HELP}

exit codes: 0 no fault, 1 at least one fault, 2 wrong usage`;

/** `cairn doctor`: resolves to its exit code. */
export const doctor = (args: readonly string[]): Promise<number> =>
  runCommand(args, { help: HELP, texts: [], switches: ["quick"], run });

const CHECKS: Readonly<Record<string, (patient: Patient) => Promise<readonly Finding[]>>> = {
  settings: checkSettings,
  files: checkFiles,
  ledger: checkLedger,
  accounts: checkAccounts,
  limits: checkLimits,
  market: checkMarket,
  rewards: checkRewards,
  replica: checkReplica,
  service: checkAnswers,
  nano: checkNodes,
};

async function run(given: Given): Promise<Outcome> {
  if (given.positionals.length > 0) throw new Stop(USAGE, "It takes options only.");
  const { configuration, settings } = given;
  const memory = signerOf(signerFiles(configuration)).recall();
  const findings: Finding[] = [];
  const snapshot = await snapshotOf(configuration).catch((error: unknown) => {
    findings.push({
      about: "database",
      state: "fault",
      text: messageOf(error),
      advice: "Look at the disk, or at the PostgreSQL server and its address.",
    });
    return null;
  });
  const depth = given.isSet("quick") ? "quick" : "whole";
  try {
    for (const [about, check] of Object.entries(CHECKS)) {
      const patient = { configuration, settings, snapshot, memory, depth } as const;
      const found = await check(patient).catch((error: unknown): Finding[] => [
        { about, state: "fault", text: messageOf(error), advice: "Look at what it names." },
      ]);
      findings.push(...found);
    }
  } finally {
    await snapshot?.close();
  }
  return pageOf(findings, settings);
}

async function snapshotOf(configuration: Configuration): Promise<Snapshot | null> {
  const isMissing = configuration.databaseUrl === null && !existsSync(databaseFile(configuration));
  if (isMissing) return null;
  try {
    return await openSnapshot(configuration);
  } catch (error) {
    if (error instanceof NoSchema) return null;
    throw error;
  }
}

/** Settings that are allowed, and still seldom meant. */
async function checkSettings({ configuration, snapshot }: Patient): Promise<Finding[]> {
  const about = "settings";
  const { adminHost, adminPort, origin, baseUrl } = configuration;
  const findings: Finding[] = [];
  if (adminPort !== 0 && (adminHost === "0.0.0.0" || adminHost === "::")) {
    const text = "The operators' listener is on every address of the machine.";
    const advice = "Set CAIRN_ADMIN_HOST to 127.0.0.1 or to a private address.";
    findings.push({ about, state: "warning", text, advice });
  }
  if (snapshot === null && origin === null && baseUrl === null) {
    const text = "Neither CAIRN_ORIGIN nor CAIRN_BASE_URL is set: the ledger gets a local name.";
    const advice = "For a network, set CAIRN_ORIGIN before the first start: it never changes.";
    findings.push({ about, state: "warning", text, advice });
  }
  if (findings.length > 0) return findings;
  return [{ about, state: "ok", text: "They are allowed, and go together." }];
}

const MARKS = { ok: "ok     ", warning: "WARNING", fault: "FAULT  " } as const;

function pageOf(findings: readonly Finding[], settings: readonly ShownSetting[]): Outcome {
  const count = (state: Finding["state"]) => findings.filter((one) => one.state === state).length;
  const [faults, warnings] = [count("fault"), count("warning")];
  const lines = findings.flatMap(({ about, state, text, advice }) => [
    `${MARKS[state]}  ${about.padEnd(9)}  ${text}`,
    ...(advice === undefined ? [] : [`${" ".repeat(20)}${advice}`]),
  ]);
  const shown = settings
    .filter(({ isSet }) => isSet)
    .map(({ variable, value }) => `  ${variable}=${value}`);
  const verdict =
    faults + warnings === 0 ? "All is well." : `Faults: ${faults}. Warnings: ${warnings}.`;
  const set =
    shown.length === 0 ? ["No setting is set; all have defaults."] : ["Settings:", ...shown];
  return {
    text: [...lines, "", ...set, "", verdict].join("\n"),
    facts: {
      faults,
      warnings,
      findings,
      settings: Object.fromEntries(settings.map(({ variable, value }) => [variable, value])),
    },
    exit_code: faults === 0 ? 0 : REFUSED,
  };
}
