import * as z from "zod";
import { onOrOff } from "../../domains/operator/values.ts";
import { isNothingAt } from "../../main/running/trusted-file.ts";
import { signerFiles, signerOf } from "../../main/service/operator-key.ts";
import {
  baseUrlOf,
  type Configuration,
  isNobodysAddress,
  NOBODYS_ADDRESS,
  type ShownSetting,
} from "../../main/settings/settings.ts";
import { databaseFile, openSnapshot } from "../../main/storage/database.ts";
import { NoSchema, type Snapshot } from "../../platform/db/table-copy.ts";
import { EndedForm } from "../../platform/kernel/ended-form.ts";
import { command, type Outcome } from "../command/command.ts";
import { machineOf, runningOn } from "../command/found-services.ts";
import { messageOf, REFUSED } from "../command/stop.ts";
import { checkAccounts } from "./accounts.ts";
import { checkAlarms } from "./alarms.ts";
import { checkConditions } from "./conditions.ts";
import { checkFailover } from "./failover.ts";
import { checkFiles } from "./files.ts";
import type { Finding, Patient } from "./finding.ts";
import { checkLedger } from "./ledger.ts";
import { checkLimits } from "./limits.ts";
import { checkAnswers, checkNodes } from "./nodes.ts";
import { checkPublicLog } from "./public-log.ts";
import { checkRehearsal } from "./rehearsal.ts";
import { checkReplica } from "./replica.ts";
import { checkRewards } from "./rewards.ts";
import { checkRunning } from "./running.ts";

export const doctor = command({
  name: "doctor",
  summary: "look whether all is well, and say what to do",
  about: `Looks at the settings, files and rights, disk, clock, schema, key, chain, limits, failover, replica
and Nano nodes of a service, whether it runs or not, and says what to do. It changes nothing.`,
  input: z.object({ quick: onOrOff.describe("do not walk the chain") }),
  opens: "database",
  exits: { 0: "no fault", 1: "at least one fault", 2: "wrong usage" },
  async run({ values, configuration, settings, environment }) {
    const running = runningOn(machineOf(environment)).found.map(({ record }) => record);
    const depth = values.quick ? "quick" : "whole";
    const findings = await findingsOf({ configuration, settings, depth, running });
    return pageOf(findings, settings);
  },
});

const CHECKS: Readonly<Record<string, (patient: Patient) => Promise<readonly Finding[]>>> = {
  settings: checkSettings,
  running: checkRunning,
  files: checkFiles,
  ledger: checkLedger,
  accounts: checkAccounts,
  limits: checkLimits,
  alarms: checkAlarms,
  log: checkPublicLog,
  rehearsal: checkRehearsal,
  conditions: checkConditions,
  rewards: checkRewards,
  failover: checkFailover,
  replica: checkReplica,
  service: checkAnswers,
  nano: checkNodes,
};

async function findingsOf({
  configuration,
  ...looked
}: Pick<Patient, "configuration" | "settings" | "depth" | "running">): Promise<readonly Finding[]> {
  const memory = signerOf(signerFiles(configuration)).recall();
  const findings: Finding[] = [];
  let database: Patient["database"] | null = null;
  const snapshot = await snapshotOf(configuration).catch((error: unknown) => {
    findings.push({
      about: "database",
      state: "fault",
      text: messageOf(error),
      ...adviceFor(error),
    });
    database = "unreadable";
    return null;
  });
  database ??= snapshot === null ? "missing" : "read";
  try {
    for (const [about, check] of Object.entries(CHECKS)) {
      const patient = { configuration, ...looked, snapshot, database, memory };
      const found = await check(patient).catch((error: unknown): Finding[] => [
        { about, state: "fault", text: messageOf(error), advice: "Look at what it names." },
      ]);
      findings.push(...found);
    }
  } finally {
    await snapshot?.close();
  }
  return findings;
}

/** The sentence about a database of a version before 0.3.0 says what to do itself. */
const adviceFor = (error: unknown): Pick<Finding, "advice"> =>
  error instanceof EndedForm
    ? {}
    : { advice: "Look at the disk, or at the PostgreSQL server and its address." };

async function snapshotOf(configuration: Configuration): Promise<Snapshot | null> {
  const isMissing = configuration.databaseUrl === null && isNothingAt(databaseFile(configuration));
  if (isMissing) return null;
  try {
    return await openSnapshot(configuration);
  } catch (error) {
    if (error instanceof NoSchema) return null;
    throw error;
  }
}

/** Settings that are allowed, and still seldom meant. */
async function checkSettings({ configuration, database }: Patient): Promise<Finding[]> {
  const about = "settings";
  const { adminHost, adminPort, origin, baseUrl } = configuration;
  const findings: Finding[] = [];
  if (adminPort !== 0 && (adminHost === "0.0.0.0" || adminHost === "::")) {
    const text = "The operators' listener is on every address of the machine.";
    const advice = "Set CAIRN_ADMIN_HOST to 127.0.0.1 or to a private address.";
    findings.push({ about, state: "warning", text, advice });
  }
  if (isNobodysAddress(baseUrlOf(configuration)))
    findings.push({ about, state: "warning", ...NOBODYS_ADDRESS });
  if (database === "missing" && origin === null && baseUrl === null) {
    const text = "Neither CAIRN_ORIGIN nor CAIRN_BASE_URL is set: the ledger gets a local name.";
    const advice = "For a network, set CAIRN_ORIGIN before the first start: it never changes.";
    findings.push({ about, state: "warning", text, advice });
  }
  if (findings.length > 0) return findings;
  return [{ about, state: "ok", text: "All settings are valid." }];
}

const MARKS = { ok: "ok     ", warning: "WARNING", fault: "FAULT  " } as const;

function pageOf(findings: readonly Finding[], settings: readonly ShownSetting[]): Outcome {
  const count = (state: Finding["state"]) => findings.filter((one) => one.state === state).length;
  const faults = count("fault");
  const warnings = count("warning");
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
