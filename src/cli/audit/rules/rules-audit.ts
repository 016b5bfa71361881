import { styleText } from "node:util";
import { PLATFORM } from "../../../ledger/platform.ts";
import { UNKNOWN_RULES } from "../../../ledger/replay.ts";
import { replayLedger } from "../../../transitions.ts";
import { refuseEndedLedger } from "../../../verify/ended.ts";
import { plain } from "../../../verify/plain.ts";
import { counted } from "../../../verify/report.ts";
import {
  type Breach,
  beliefLines,
  breachesOf,
  breachLine,
  type RulesReplay,
} from "../../../verify/rules.ts";
import { entriesIn } from "./entries-file.ts";

/** A replay that hashes as the service does. */
export const newReplay = (): RulesReplay => replayLedger(PLATFORM);

/** Whether breaches that the operator has acknowledged leave the exit code as it is. */
export interface AcceptedBreaches {
  readonly acceptAcknowledged?: boolean;
}

/** What the rules find in entries alone. */
export interface RulesAudit {
  readonly source: string;
  readonly entries: number;
  readonly breaches: readonly Breach[];
  /** How many entries rest on somebody's word, by what has to be believed. */
  readonly words: ReadonlyMap<string, number>;
  /** The first hundred of each. */
  readonly told: ReadonlyMap<string, readonly number[]>;
  readonly exit_code: number;
}

/** Exit code: an entry breaks a rule. */
const BROKEN = 1;

/** Replays the entries of a file. It needs no database and no network, and looks at no seal. */
export async function auditEntries(
  source: string,
  { acceptAcknowledged = false }: AcceptedBreaches = {},
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
  const breaches = [...malformed, ...breachesOf(replay)];
  const counting = breaches.filter(({ acknowledged }) => !acceptAcknowledged || !acknowledged);
  return {
    source,
    entries,
    breaches,
    words: replay.words(),
    told: replay.told(),
    exit_code: counting.length === 0 ? 0 : BROKEN,
  };
}

export const rulesFacts = ({ exit_code: _, words, told, ...audit }: RulesAudit) => ({
  ...audit,
  words: Object.fromEntries(words),
  told: Object.fromEntries(told),
});

export function rulesReport(audit: RulesAudit): string {
  const { source, entries, breaches, exit_code } = audit;
  const count = entries.toLocaleString("en");
  const unknown = audit.words.get(UNKNOWN_RULES) ?? 0;
  const allowed =
    unknown === 0
      ? `All ${count} entries were allowed.`
      : `${(entries - unknown).toLocaleString("en")} of ${count} entries were allowed. The others follow rules that this version does not know: use a newer one.`;
  const verdict =
    breaches.length === 0
      ? allowed
      : `${counted(breaches.length, "breach", "breaches")} of the rules in ${count} entries.`;
  const lines = [
    source,
    ...breaches.map(breachLine),
    ...beliefLines(audit),
    "Seals and signatures were not looked at: `cairn verify` does that.",
  ].map(plain);
  return [...lines, styleText(exit_code === 0 ? "green" : "red", plain(verdict))].join("\n");
}
