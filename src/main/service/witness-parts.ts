import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Asking } from "../../domains/tlog/witnesses.ts";
import { makeFolder } from "../../platform/db/folder.ts";
import { isInside, LOOPBACK, parseAddress } from "../../platform/kernel/address.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { type Policy, parsePolicy } from "../../platform/kernel/tlog/policy.ts";
import { sha256 } from "../../platform/ledger/sha256.ts";
import type { Configuration } from "../settings/settings.ts";
import { replaceDurably } from "./operator-key.ts";
import { callWitness } from "./witness-calls.ts";

/** The witnesses of the log, as the settings name them. */
export interface WitnessParts extends Pick<Asking, "send" | "keepEvidence"> {
  /** Null where no checkpoint needs any. */
  readonly policy: Policy | null;
  readonly interval_s: Seconds;
  readonly patience_s: Seconds;
}

/** Throws a sentence when the policy file is unusable. */
export function witnessParts(configuration: Configuration): WitnessParts {
  const { witnessPolicyFile, witnessAllowPrivate, dataDir } = configuration;
  const reach = witnessAllowPrivate === "on" ? "any" : "public";
  return {
    policy: witnessPolicyFile === null ? null : policyIn(witnessPolicyFile),
    interval_s: configuration.witnessInterval_s,
    patience_s: configuration.witnessPatience_s,
    send: (url, body) => callWitness(url, body, reach),
    keepEvidence(name, text) {
      makeFolder(join(dataDir, "evidence"));
      replaceDurably(join(dataDir, "evidence", `${name}.txt`), text);
    },
  };
}

function policyIn(file: string): Policy {
  try {
    return parsePolicy(readFileSync(file, "utf8"), sha256);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`CAIRN_WITNESS_POLICY_FILE ${file}: ${why}`);
  }
}

/** Whether an origin names this machine alone, so that no witness could know its log. */
export function isLocalOrigin(origin: string): boolean {
  const [host = ""] = origin.split(/[/:#](?![^[]*\])/);
  const address = parseAddress(host.replace(/^\[|\]$/g, ""));
  if (address === null) return /(?:^|\.)localhost\.?$/i.test(host);
  return isInside(address, LOOPBACK) || /^(?:0\.0\.0\.0|::)$/.test(host);
}
