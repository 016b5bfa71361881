import { styleText } from "node:util";
import { isoOf } from "../../platform/kernel/iso-time.ts";
import { plain } from "../../verify/plain.ts";
import { textReport as verifiedText } from "../../verify/report.ts";
import {
  beliefLines,
  breachesLines,
  UNKNOWN_RULES,
  unknownFacts,
  unknownLines,
} from "../../verify/rules.ts";
import { countedLong } from "../command/counted.ts";
import type { Audit } from "./audit.ts";
import { type Compared, type Group, isEqual } from "./figures.ts";

/** What it found, for a machine. */
export function factsOf(audit: Audit) {
  const { verified, groups, breaches, warnings, mostRewards } = audit;
  const { notCompared, unknown, drawn } = audit;
  const { seals, entries, faults, findings, state } = verified.walked;
  return {
    source: verified.source,
    origin: verified.origin,
    chain: {
      ok: verified.exit_code === 0,
      seals,
      entries,
      faults,
      findings,
      unsealed: unsealed(verified.walked),
      head: state.last,
      history: verified.history,
    },
    compared: totalOf(groups, "compared"),
    unequal: totalOf(groups, "unequal"),
    objects: totalOf(groups, "objects"),
    older: totalOf(groups, "older"),
    drawn,
    unknown: unknownFacts(unknown),
    not_compared: notCompared,
    breaches,
    warnings,
    words: Object.fromEntries(audit.words),
    told: Object.fromEntries(audit.told),
    most_rewards: mostRewards,
    groups: groups.map(({ figures, ...group }) => ({
      ...group,
      figures: figures.map((figure) => ({ ...figure, equal: isEqual(figure) })),
    })),
  };
}

/** Short lines for a person; the last one is the verdict. Equal figures are named where they are asked for. */
export function textReport(audit: Audit, { equal }: { readonly equal: boolean }): string {
  const { verified, groups, breaches, warnings } = audit;
  const lines = [
    ...unsealedLines(audit),
    ...groups.flatMap((group) => groupLines(group, equal)),
    ...breachesLines(breaches),
    ...beliefLines(audit),
    ...unknownLines(audit.unknown),
    ...rewardLines(audit),
    ...warnings.map((warning) => `Warning: ${warning}.`),
    ...besideLines(audit),
  ].map(plain);
  const verdict = styleText(audit.exit_code === 0 ? "green" : "red", plain(verdictOf(audit)));
  return [verifiedText(verified), "", ...lines, verdict].join("\n");
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
  const began = isoOf(most.hour_began_at);
  const held =
    most.announced === null
      ? "no limit was announced"
      : `the announced limit was ${most.announced}`;
  return [`Most rewards in an hour: ${most.rewards}, from ${began}; ${held}.`];
}

/** The parts that were not compared. */
export function besideLines({ groups, notCompared, drawn }: Audit): string[] {
  const older = totalOf(groups, "older");
  return [
    ...notCompared.map(({ what, why }) => `Not compared: ${what} (${why}).`),
    ...(drawn === null
      ? []
      : [
          `Of long lists ${drawn.objects} objects were read, half of them drawn: --seed ${drawn.seed}.`,
        ]),
    ...(older === 0
      ? []
      : [`Not compared: ${countedLong(older, "figure")} that no entry contains.`]),
  ];
}

/** How much of a group was compared, and whether it is right. */
export function sumOf({ compared, unequal, objects = 0 }: Group): string {
  const of = objects === 0 ? "" : ` figures of ${objects.toLocaleString("en")} objects`;
  return `${compared.toLocaleString("en")}${of} compared, ${unequal === 0 ? "all equal" : `${unequal} NOT EQUAL`}`;
}

function groupLines(group: Group, equal: boolean): string[] {
  const { name, untold, newer = [] } = group;
  const figures = group.figures.filter((figure) => equal || !isEqual(figure));
  return [
    `${name}: ${sumOf(group)}`,
    ...figures.map(figureLine),
    ...(untold.length === 0 ? [] : [`     not in the ledger: ${untold.join(", ")}`]),
    ...(newer.length === 0 ? [] : [`     newer than this program: ${newer.join(", ")}`]),
    ...(figures.length === 0 ? [] : [""]),
  ];
}

function figureLine(figure: Compared): string {
  const { name, claimed, recomputed } = figure;
  if (isEqual(figure)) return `  =  ${name}  ${claimed}`;
  return `  ≠  ${name}  claimed ${claimed ?? "nothing"}; the ledger makes ${recomputed ?? "nothing"}`;
}

/** The last sentence of every report. */
export function verdictOf({ verified, groups, breaches, unknown, exit_code }: Audit): string {
  if (verified.exit_code !== 0) return "No figure was compared, because the chain is not proven.";
  const compared = totalOf(groups, "compared").toLocaleString("en");
  const objects = totalOf(groups, "objects");
  const shown =
    objects === 0 ? "" : ` of ${objects.toLocaleString("en")} objects in ${groups.length} answers`;
  const entries = verified.walked.entries.toLocaleString("en");
  if (exit_code === 0)
    return `All ${compared} figures${shown} are what ${entries} entries make them.`;
  const unequal = totalOf(groups, "unequal").toLocaleString("en");
  if (exit_code === UNKNOWN_RULES)
    return `${unequal} of ${compared} figures${shown} are not what this version makes of ${entries} entries, and ${unknown.entries.toLocaleString("en")} of these it does not know: use a newer one.`;
  const broken = breaches.filter(({ later }) => later === undefined).length;
  return `${unequal} of ${compared} figures are not what the ledger makes them, and ${broken} entries break a rule.`;
}

/** A sum over all groups. */
export const totalOf = (
  groups: readonly Group[],
  of: "compared" | "unequal" | "objects" | "older",
): number => groups.reduce((sum, group) => sum + (group[of] ?? 0), 0);
