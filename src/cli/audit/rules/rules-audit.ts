import { styleText } from "node:util";
import type { Finding, Replay } from "../../../ledger/replay.ts";
import { sha256Hex } from "../../../ledger/sha256.ts";
import { replayLedger, type State } from "../../../transitions.ts";
import { counted } from "../../../verify/report.ts";
import { plain } from "../../command/plain.ts";
import type { Breach } from "../replay.ts";
import { entriesIn } from "./entries-file.ts";

export type RulesReplay = Replay<State>;

/** A replay that hashes as the service does. */
export const newReplay = (): RulesReplay => replayLedger(sha256Hex);

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
  /** The last entry that follows the rules of earlier versions, which asked for less; 0 without one. */
  readonly lenient_to_id: number;
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
    entries++;
    if (fault !== null) malformed.push({ ledger_id: entry.id, rule: fault });
    replay.add(entry);
  }
  const breaches = [...malformed, ...breachesOf(replay)];
  const counting = breaches.filter(({ acknowledged }) => !acceptAcknowledged || !acknowledged);
  return {
    ...{ source, entries, breaches },
    ...{ words: replay.words(), lenient_to_id: replay.state.lenient_to_id },
    exit_code: counting.length === 0 ? 0 : BROKEN,
  };
}

/** A finding as the audit's report has it. */
export const breachOf =
  (acknowledged: ReadonlySet<number>) =>
  ({ ledger_id, kind, ref, sentence, isConsequence }: Finding): Breach => ({
    ledger_id,
    rule: `${kind} ${ref}: ${sentence.replace(/\.$/, "")}`,
    ...(isConsequence ? { consequence: true } : {}),
    ...(acknowledged.has(ledger_id) ? { acknowledged: true } : {}),
  });

/** What the rules find in all that was replayed. */
export const breachesOf = (replay: RulesReplay): Breach[] =>
  replay.findings().map(breachOf(replay.state.acknowledged));

/** One line for each breach; one that may only follow from an earlier one says so. */
export function breachLine({ ledger_id, rule, consequence, acknowledged }: Breach): string {
  const notes = [
    ...(consequence === true ? ["it may follow from an earlier one"] : []),
    ...(acknowledged === true ? ["acknowledged by the operator"] : []),
  ];
  const note = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
  return `Entry ${ledger_id} breaks a rule: ${rule}${note}.`;
}

/** Lines on entries that rest on somebody's word, and on older ones of which less was asked. */
export const beliefLines = ({
  words,
  lenient_to_id,
}: Pick<RulesAudit, "words" | "lenient_to_id">): string[] => [
  ...(words.size === 0
    ? []
    : [`On somebody's word: ${[...words].map(([what, count]) => `${count} ${what}`).join(", ")}.`]),
  ...(lenient_to_id === 0
    ? []
    : [
        `Entries 1 to ${lenient_to_id} follow the rules of earlier versions, which asked for less.`,
      ]),
];

export const rulesFacts = ({ exit_code: _, words, ...audit }: RulesAudit) => ({
  ...audit,
  words: Object.fromEntries(words),
});

export function rulesReport(audit: RulesAudit): string {
  const { source, entries, breaches, exit_code } = audit;
  const count = entries.toLocaleString("en");
  const verdict =
    breaches.length === 0
      ? `All ${count} entries were allowed.`
      : `${counted(breaches.length, "breach", "breaches")} of the rules in ${count} entries.`;
  const lines = [
    source,
    ...breaches.map(breachLine),
    ...beliefLines(audit),
    "Seals and signatures were not looked at: `cairn verify` does that.",
  ].map(plain);
  return [...lines, styleText(exit_code === 0 ? "green" : "red", plain(verdict))].join("\n");
}
