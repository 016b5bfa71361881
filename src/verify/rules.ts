import type { Finding, Replay } from "../ledger/replay.ts";
import type { State } from "../transitions.ts";

export type RulesReplay = Replay<State>;

/** A rule that an entry breaks. */
export interface Breach {
  readonly ledger_id: number;
  readonly rule: string;
  /** Whether the same thing was broken before, so that this may only follow from it. */
  readonly consequence?: boolean;
  /** Whether the operator has said so in the ledger. */
  readonly acknowledged?: boolean;
}

/** The part of a replay that is no breach, and that a reader should know. */
interface RulesSeen {
  /** How many entries rest on somebody's word, by what has to be believed. */
  readonly words: ReadonlyMap<string, number>;
  /** The first hundred of each. */
  readonly told: ReadonlyMap<string, readonly number[]>;
}

/** All that the rules find in a chain. */
export interface RulesFound extends RulesSeen {
  readonly breaches: readonly Breach[];
}

/** The findings of a replay, once all entries were added. */
export const rulesFound = (replay: RulesReplay): RulesFound => ({
  breaches: breachesOf(replay),
  words: replay.words(),
  told: replay.told(),
});

/** A finding as the audit's report has it. */
const breachOf =
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

/** Ids of one sort that a line has. */
const SHOWN = 5;

/** One sort of entries that rest on somebody's word: `2 refunds redirected (entries 31, 77)`. */
function toldLine(what: string, count: number, ids: readonly number[]): string {
  const more = count > SHOWN ? ", …" : "";
  return `${count} ${what} (${count === 1 ? "entry" : "entries"} ${ids.slice(0, SHOWN).join(", ")}${more})`;
}

/** Lines on entries that rest on somebody's word. */
export const beliefLines = ({ words, told }: RulesSeen): string[] => [
  ...(words.size === 0
    ? []
    : [
        `On somebody's word: ${[...words].map(([what, count]) => toldLine(what, count, told.get(what) ?? [])).join("; ")}.`,
      ]),
];
