import type { State } from "../domains/transitions.ts";
import type { Finding, Replay, Unknown } from "../platform/ledger/replay.ts";
import { RULES } from "../platform/ledger/rules.ts";

export type RulesReplay = Replay<State>;

/** A rule that an entry breaks. */
export interface Breach {
  readonly ledger_id: number;
  /** The entry's kind and ref, and the rule's sentence. */
  readonly rule: string;
  /** The later rules under which the entry stands, and which may allow it. */
  readonly later?: number;
  /** The entry's body, shortened. */
  readonly body?: string;
  /** The state before the entry, as its rule reads it. */
  readonly before?: string;
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
  readonly unknown: Unknown;
}

/** Exit code: a newer version wrote a part of the ledger, so nobody here knows whether that was allowed. */
export const UNKNOWN_RULES = 6;

/** Exit code: an entry breaks a rule. */
export const BROKEN = 1;

/** Whether a part of the ledger is under rules, or of kinds, that this program does not know. */
export const isUnknown = ({ rules, kinds }: Unknown): boolean => rules !== null || kinds.size > 0;

/** The exit code of breaches that count, and of what is not known. */
export const rulesExit = (counting: readonly Breach[], unknown: Unknown): number => {
  if (counting.some(({ later }) => later === undefined)) return BROKEN;
  return isUnknown(unknown) ? UNKNOWN_RULES : 0;
};

/** The findings of a replay, once all entries were added. */
export const rulesFound = (replay: RulesReplay): RulesFound => ({
  breaches: breachesOf(replay),
  words: replay.words(),
  told: replay.told(),
  unknown: replay.unknown(),
});

/** A finding as the audit's report has it. */
const breachOf =
  (acknowledged: ReadonlySet<number>) =>
  ({ ledger_id, kind, ref, sentence, isConsequence, later, body, before }: Finding): Breach => ({
    ledger_id,
    rule: `${kind} ${ref}: ${sentence.replace(/\.$/, "")}`,
    ...(later === null ? {} : { later }),
    ...(body === "" ? {} : { body }),
    ...(before === "" ? {} : { before }),
    ...(isConsequence ? { consequence: true } : {}),
    ...(acknowledged.has(ledger_id) ? { acknowledged: true } : {}),
  });

/** What the rules find in all that was replayed. */
export const breachesOf = (replay: RulesReplay): Breach[] =>
  replay.findings().map(breachOf(replay.state.acknowledged));

/** Why an entry is refused: its rule's sentence, and whether later rules may allow it. */
const refusedText = (rule: string, later: number | undefined): string =>
  later === undefined
    ? `breaks a rule: ${rule}`
    : `is not allowed by rules ${RULES}; later rules ${later} are unknown: ${rule}`;

/** The lines of a breach: one that may only follow from an earlier one says so. */
function breachLines({ ledger_id, rule, later, ...breach }: Breach): readonly string[] {
  const { consequence, acknowledged, body, before } = breach;
  const notes = [
    ...(consequence === true ? ["it may follow from an earlier one"] : []),
    ...(acknowledged === true ? ["acknowledged by the operator"] : []),
  ];
  const note = notes.length === 0 ? "" : ` (${notes.join("; ")})`;
  return [
    `Entry ${ledger_id} ${refusedText(rule, later)}${note}.`,
    ...(body === undefined ? [] : [`  It says ${body}`]),
    ...(before === undefined ? [] : [`  Before it: ${before}`]),
  ];
}

/** The lines of all breaches, with the page that has their rules. */
export const breachesLines = (breaches: readonly Breach[]): readonly string[] =>
  breaches.length === 0
    ? []
    : [...breaches.flatMap(breachLines), "The rules of each kind: docs/reference/rules.md."];

/** The same for a machine. */
export const unknownFacts = ({ kinds, ...unknown }: Unknown) => ({
  ...unknown,
  kinds: Object.fromEntries(kinds),
});

/** What a newer version wrote, in one line; none where it wrote nothing. */
export function unknownLines({ rules, rules_from, entries, kinds }: Unknown): readonly string[] {
  if (rules === null && kinds.size === 0) return [];
  const from = rules_from === null ? "" : ` from entry ${rules_from} on`;
  const parts = [
    ...(rules === null ? [] : [`rules ${rules}${from}, and this version knows rules ${RULES}`]),
    ...[...kinds].map(([kind, count]) => `${count} of the kind ${kind}`),
  ];
  return [`Not known: ${entries} ${entries === 1 ? "entry" : "entries"} (${parts.join("; ")}).`];
}

/** The verdict on entries of which none is refused by rules that are known and in force. */
export function allowedLine(entries: number, { breaches, unknown }: Judged): string {
  const [all, known] = [entries, entries - unknown.entries].map((n) => n.toLocaleString("en"));
  if (!isUnknown(unknown)) return `All ${all} entries were allowed.`;
  const of = unknown.rules === null ? "are of kinds" : "follow rules";
  const refused =
    breaches.length === 0
      ? ""
      : ` Rules ${RULES} refuse ${breaches.length.toLocaleString("en")} of them.`;
  return `${known} of ${all} entries were allowed. The others ${of} that this version does not know: use a newer one.${refused}`;
}

type Judged = Pick<RulesFound, "breaches" | "unknown">;

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
