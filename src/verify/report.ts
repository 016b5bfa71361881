import type { History } from "./history.ts";
import type { Head } from "./known-heads.ts";
import { plain } from "./plain.ts";
import {
  allowedLine,
  beliefLines,
  breachesLines,
  type RulesFound,
  UNKNOWN_RULES,
  unknownFacts,
  unknownLines,
} from "./rules.ts";
import type { Walked } from "./walk.ts";
import type { Witnessed } from "./witnessed.ts";

/** Where the pinned keys come from. */
type KeySource = "given" | "remembered" | "first_use" | "none";

/** All that a run of `cairn verify` found. */
export interface Verified {
  readonly exit_code: number;
  readonly source: string;
  readonly origin: string;
  readonly checked: "links" | "entries";
  readonly keys: readonly string[];
  readonly keySource: KeySource;
  readonly walked: Walked;
  readonly history: History;
  /** The state known of this chain, or of the one that it replaced. */
  readonly remembered: Head | undefined;
  /** Entries whose name was compared with all earlier ones; fewer than all only on very long chains. */
  readonly namesCompared: number;
  /** Up to where the witnesses of the policy have seen it; null without a policy, or where they have not. */
  readonly witnessed: Witnessed | null;
  /** The findings of the rules; null where they were not asked. */
  readonly rules: RulesFound | null;
}

/** What it found, for a machine. */
export function factsOf({ walked, remembered, ...outcome }: Verified) {
  const { state, seals, unsigned, entries, findings, faults } = walked;
  return {
    source: outcome.source,
    origin: outcome.origin,
    checked: outcome.checked,
    seals,
    unsigned,
    entries,
    head: state.last && { ...state.last, origin: state.origin },
    vouched: state.vouched,
    keys: outcome.keys,
    key_source: outcome.keySource,
    history: outcome.history,
    remembered: remembered ?? null,
    faults,
    findings,
    names_compared: outcome.namesCompared,
    witnessed: outcome.witnessed,
    ...(outcome.rules !== null && {
      rules: {
        ...outcome.rules,
        words: Object.fromEntries(outcome.rules.words),
        told: Object.fromEntries(outcome.rules.told),
        unknown: unknownFacts(outcome.rules.unknown),
      },
    }),
  };
}

/** The report for a machine, as `--json` prints it. */
export const jsonReport = (outcome: Verified) => {
  const { exit_code } = outcome;
  return { ok: exit_code === 0, exit_code, ...factsOf(outcome) };
};

/** `1 seal`, `2 seals`. */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;

/** Short lines for a person; the last one is the verdict. */
export function textReport(outcome: Verified): string {
  const { walked, history, remembered } = outcome;
  const kept = walked.findings.map(({ seq, reason }) => `seal ${seq}: ${reason}`);
  const more = walked.faults - kept.length;
  return [
    `${outcome.source}: ${outcome.origin}`,
    sizeLine(walked),
    checkedLine(outcome),
    ...namesLine(outcome),
    keyLine(outcome),
    ...vouchedLine(outcome),
    witnessLine(outcome),
    ...(history === "new" || !remembered ? [] : [HISTORY_LINES[history](remembered)]),
    ...kept,
    ...(more > 0 ? [`and ${more} more`] : []),
    ...rulesLines(outcome),
    verdictLine(outcome),
  ]
    .map(plain)
    .join("\n");
}

function sizeLine({ seals, unsigned, state }: Walked): string {
  if (state.last === null) return "There is no seal yet.";
  const waiting = unsigned === 0 ? "all signed" : `${unsigned} not signed yet`;
  const { seq, seal_hash } = state.last;
  return `${counted(seals, "seal")}, ${waiting}; the newest is ${seq}, ${seal_hash}.`;
}

const checkedLine = ({ checked, walked }: Verified): string =>
  walked.state.last === null
    ? "Checked: nothing, because nothing is sealed."
    : checked === "entries"
      ? `Checked: every link, hash and signature, and every entry (${walked.entries}).`
      : "Checked: every link, hash and signature. --entries also checks what they seal.";

const namesLine = ({ namesCompared, walked }: Verified): string[] =>
  namesCompared === walked.entries
    ? []
    : [`Of the names, the memory was enough to compare ${namesCompared}.`];

const KEY_LINES: Readonly<Record<KeySource, (key: string) => string>> = {
  given: (key) => `Key ${key}, as given.`,
  remembered: (key) => `Key ${key}, as remembered.`,
  first_use: (key) =>
    `Key ${key} is trusted on first use: the source named it. Compare it with a second place.`,
  none: () => "There is no key: nothing is signed.",
};

const keyLine = ({ keySource, keys }: Verified): string => KEY_LINES[keySource](keys.join(", "));

/** How far signatures lead, where that is not the whole chain. */
function vouchedLine({ keys, walked: { state, unsigned } }: Verified): string[] {
  if (keys.length === 0 || unsigned === 0) return [];
  const { last, vouched } = state;
  if (vouched === null) return ["No seal is signed with it: anybody could have made this chain."];
  if (vouched.seq === last?.seq) return [];
  return [`It vouches for everything up to seal ${vouched.seq}, and for nothing after it yet.`];
}

/** Up to where strangers have seen the chain. */
function witnessLine({ witnessed }: Verified): string {
  if (witnessed === null) return "Not checked against witnesses.";
  const { through_seq, through_id, at, by } = witnessed;
  const place = `up to seal ${through_seq}, entry ${through_id}`;
  if (by.length === 0)
    return `The log's checkpoint is this chain ${place}; no witness is asked for.`;
  return `Witnessed ${place}, by ${by.join(", ")}, since Unix second ${at}.`;
}

const HISTORY_LINES: Readonly<Record<Exclude<History, "new">, (head: Head) => string>> = {
  kept: ({ seq }) => `Seal ${seq} of an earlier walk is still there.`,
  restored: ({ seq }) =>
    `Seal ${seq} of an earlier walk is gone, and the ledger says so: a backup was restored.`,
  unvouched: ({ seq }) =>
    `Seal ${seq} of an earlier walk is gone. A restore is said to be why, but no key that you hold signed that.`,
  another_key: ({ seq, signer }) =>
    `Seal ${seq} of an earlier walk is gone. A restore is said to be why, but only another key than ${signer} signed that, which was the operator's by then. Believe it only if the operator says so in a second place.`,
  rewritten: ({ seq, seal_hash }) =>
    `History was rewritten: an earlier walk saw another seal ${seq}, ${seal_hash}.`,
  truncated: ({ seq, seal_hash }) =>
    `History was cut off: an earlier walk saw seal ${seq}, ${seal_hash}.`,
  older: ({ seq }) => `This copy ends before seal ${seq}, which an earlier walk saw.`,
  replaced: ({ origin }) =>
    `History was replaced: this address served ${origin} before. If that is right, pass --origin.`,
};

function rulesLines({ rules, walked }: Verified): string[] {
  if (rules === null) return [];
  const { breaches, unknown } = rules;
  const broken = breaches.filter(({ later }) => later === undefined).length;
  const verdict =
    broken === 0
      ? allowedLine(walked.entries, rules)
      : `${counted(broken, "breach", "breaches")} of the rules.`;
  return [...breachesLines(breaches), ...beliefLines(rules), ...unknownLines(unknown), verdict];
}

function verdictLine({ walked, exit_code, rules }: Verified): string {
  const [first] = walked.findings;
  if (first !== undefined) {
    const count = counted(walked.faults, "fault");
    return `The chain does not verify: ${count}, the first at seal ${first.seq}.`;
  }
  if (exit_code === 0 && walked.state.last === null) return "There is no chain to verify yet.";
  if (exit_code === 0) return "The chain verifies.";
  if (exit_code === UNKNOWN_RULES)
    return "The chain verifies, but whether every entry was allowed is not known.";
  if (exit_code === 1 && rules?.breaches.some(({ later }) => later === undefined))
    return "The chain verifies, but not every entry was allowed.";
  return exit_code === 1
    ? "The chain does not verify: its hashes fit, and nothing vouches for them."
    : "The chain verifies by itself, but it is not the one that was seen before.";
}
