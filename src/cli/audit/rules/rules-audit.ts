import { styleText } from "node:util";
import { replayLedger } from "../../../domains/transitions.ts";
import { PLATFORM } from "../../../platform/ledger/platform.ts";
import { refuseEndedLedger } from "../../../verify/ended.ts";
import { plain } from "../../../verify/plain.ts";
import { counted } from "../../../verify/report.ts";
import {
  allowedLine,
  type Breach,
  beliefLines,
  breachesLines,
  type RulesFound,
  type RulesReplay,
  rulesExit,
  rulesFound,
  unknownFacts,
  unknownLines,
} from "../../../verify/rules.ts";
import { entriesIn } from "./entries-file.ts";

/** A replay that hashes as the service does. */
export const newReplay = (): RulesReplay => replayLedger(PLATFORM);

/** Whether breaches that the operator has acknowledged leave the exit code as it is. */
export interface AcceptedBreaches {
  readonly acceptAcknowledged?: boolean;
}

/** What the rules find in entries alone. */
export interface RulesAudit extends RulesFound {
  readonly source: string;
  readonly entries: number;
  readonly exit_code: number;
}

/** Those that decide the exit code. */
export const countingOf = (
  breaches: readonly Breach[],
  { acceptAcknowledged = false }: AcceptedBreaches,
): readonly Breach[] =>
  breaches.filter(({ acknowledged }) => !acceptAcknowledged || acknowledged !== true);

/** Replays the entries of a file. It needs no database and no network, and looks at no seal. */
export async function auditEntries(
  source: string,
  accepted: AcceptedBreaches = {},
): Promise<RulesAudit> {
  const replay = newReplay();
  const malformed: Breach[] = [];
  let entries = 0;
  for await (const { entry, fault } of entriesIn(source)) {
    refuseEndedLedger(source, entry);
    entries++;
    if (fault !== null) malformed.push({ ledger_id: entry.id, rule: fault });
    replay.add(entry);
  }
  const found = rulesFound(replay);
  const breaches = [...malformed, ...found.breaches];
  const exit_code = rulesExit(countingOf(breaches, accepted), found.unknown);
  return { source, entries, ...found, breaches, exit_code };
}

export const rulesFacts = ({ exit_code: _, words, told, unknown, ...audit }: RulesAudit) => ({
  ...audit,
  unknown: unknownFacts(unknown),
  words: Object.fromEntries(words),
  told: Object.fromEntries(told),
});

export function rulesReport(audit: RulesAudit): string {
  const { source, entries, breaches, unknown, exit_code } = audit;
  const broken = breaches.filter(({ later }) => later === undefined).length;
  const verdict =
    broken === 0
      ? allowedLine(entries, audit)
      : `${counted(broken, "breach", "breaches")} of the rules in ${entries.toLocaleString("en")} entries.`;
  const lines = [
    source,
    ...breachesLines(breaches),
    ...beliefLines(audit),
    ...unknownLines(unknown),
    "Seals and signatures were not looked at: `cairn verify` does that.",
  ].map(plain);
  return [...lines, styleText(exit_code === 0 ? "green" : "red", plain(verdict))].join("\n");
}
