import { plain, textReport as verifiedText } from "../verify-report.ts";
import type { Audit } from "./audit.ts";
import { type Compared, type Group, isEqual } from "./figures.ts";

/** One JSON object on one line. */
export function jsonReport(audit: Audit): string {
  const { verified, groups, breaches, warnings, mostRewards, exit_code } = audit;
  const { seals, entries, faults, findings, state } = verified.walked;
  return JSON.stringify({
    ok: exit_code === 0,
    exit_code,
    source: verified.source,
    origin: verified.origin,
    chain: {
      ok: verified.exit_code === 0,
      ...{ seals, entries, faults, findings },
      unsealed: unsealed(verified.walked),
      head: state.last,
      history: verified.history,
    },
    compared: total(groups, "compared"),
    unequal: total(groups, "unequal"),
    breaches,
    warnings,
    most_rewards: mostRewards,
    groups: groups.map(({ figures, ...group }) => ({
      ...group,
      figures: figures.map((figure) => ({ ...figure, equal: isEqual(figure) })),
    })),
  });
}

/** Short lines for a person; the last one is the verdict. */
export function textReport(audit: Audit): string {
  const { verified, groups, breaches, warnings } = audit;
  const lines = [
    ...unsealedLines(audit),
    ...groups.flatMap(groupLines),
    ...breaches.map(({ ledger_id, rule }) => `Entry ${ledger_id} breaks a rule: ${rule}.`),
    ...rewardLines(audit),
    ...warnings.map((warning) => `Warning: ${warning}.`),
    verdictOf(audit),
  ];
  return [verifiedText(verified), "", ...lines.map(plain)].join("\n");
}

/** Entries that are read, hashed and counted, and for which no seal stands yet. */
export const unsealed = ({ entries, state }: Audit["verified"]["walked"]): number =>
  entries - (state.last?.to_id ?? 0);

const unsealedLines = ({ verified: { walked } }: Audit): string[] =>
  unsealed(walked) === 0
    ? []
    : [`Not sealed yet, but counted: the last ${unsealed(walked)} entries.`];

/** The most rewards of an hour beside the number that was announced; empty without a reward. */
export function rewardLines({ mostRewards: most }: Audit): string[] {
  if (most === null) return [];
  const began = new Date(most.hour_began_at * 1_000).toISOString();
  const held = most.announced === null ? "no number held" : `${most.announced} were announced`;
  return [`Most rewards in an hour: ${most.rewards}, from ${began}; ${held}.`];
}

function groupLines({ name, compared, unequal, figures, untold }: Group): string[] {
  const verdict = unequal === 0 ? "all equal" : `${unequal} NOT EQUAL`;
  return [
    `${name}: ${compared} compared, ${verdict}`,
    ...figures.map(figureLine),
    ...(untold.length === 0 ? [] : [`     not in the ledger: ${untold.join(", ")}`]),
    ...(figures.length === 0 ? [] : [""]),
  ];
}

function figureLine(figure: Compared): string {
  const { name, claimed, recomputed } = figure;
  if (isEqual(figure)) return `  =  ${name}  ${claimed}`;
  return `  ≠  ${name}  claimed ${claimed ?? "nothing"}; the ledger makes ${recomputed ?? "nothing"}`;
}

/** The last sentence of every report. */
export function verdictOf({ verified, groups, breaches, exit_code }: Audit): string {
  if (verified.exit_code !== 0) return "No figure was compared, because the chain is not proven.";
  const compared = total(groups, "compared").toLocaleString("en");
  if (exit_code === 0)
    return `All ${compared} figures are what ${verified.walked.entries.toLocaleString("en")} entries make them.`;
  const unequal = total(groups, "unequal").toLocaleString("en");
  return `${unequal} of ${compared} figures are not what the ledger makes them, and ${breaches.length} entries break a rule.`;
}

const total = (groups: readonly Group[], of: "compared" | "unequal"): number =>
  groups.reduce((sum, group) => sum + group[of], 0);
