import { misfitIn } from "../kernel/contract/entry-form.ts";
import { type EntryKind, madeAt, refIn } from "../kernel/contract/entry-kind.ts";
import { sealedText } from "../kernel/proof/entry.ts";
import { HOUR_S, MINUTE_S, type Seconds } from "../kernel/time.ts";
import { beforeText, shortened } from "./before-text.ts";
import { type EntryNames, isRowId } from "./entry-names.ts";
import { COUNTED_BEYOND, type LedgerState, type Platform, placedIn, waitsIn } from "./ledger.ts";
import { PLACED_WITHIN_S, RULES } from "./rules.ts";
import {
  type AnyTransition,
  BINDS_AFTER_S,
  type Drafted,
  fault,
  numberIn,
  type Violation,
} from "./transition.ts";

/** An entry with its place, as every reader of a ledger has it. */
export interface ReplayedEntry {
  readonly id: number;
  readonly at: Seconds;
  readonly kind: string;
  readonly ref: string;
  readonly body: Readonly<Record<string, string | number>>;
}

/** A rule that an entry breaks, or a duty that nobody has done. */
export interface Finding {
  readonly ledger_id: number;
  readonly kind: string;
  readonly ref: string;
  readonly sentence: string;
  /** The same thing was broken before, so this one may only follow from that. */
  readonly isConsequence: boolean;
  /** The later rules under which it stands, and which may allow it; null: no version that can be meant allows it. */
  readonly later: number | null;
  /** The entry's body, shortened; empty where there is none. */
  readonly body: string;
  /** The state before it, as its rule reads it; empty where no rule was asked. */
  readonly before: string;
}

/** What a program cannot judge, because a newer version wrote it. */
export interface Unknown {
  /** The latest rules that the ledger names, where they are later than those of this program; else null. */
  readonly rules: number | null;
  /** The first entry under them; null without one. */
  readonly rules_from: number | null;
  /** Entries under them, or of kinds of which no rule is known. */
  readonly entries: number;
  /** Those of unknown kinds, by kind: the first hundred kinds, then all others as `…`. */
  readonly kinds: ReadonlyMap<string, number>;
  /** From this entry on amounts may differ: it is the first under them of which it is not known what it does. */
  readonly opaque_from: number | null;
}

/** Something that is not done at the end of a ledger: an entry that had to follow, or an act that was due. */
export interface Owed {
  /** The thing: `order/12`. */
  readonly of: string;
  readonly sentence: string;
  /** Since when it was due; null: in the write of the entry before it. */
  readonly since: Seconds | null;
}

/** All kinds, with the state that they share. */
export interface StateMachine<State extends LedgerState> {
  readonly transitions: readonly AnyTransition<State>[];
  readonly kinds: readonly EntryKind[];
  readonly empty: () => State;
  readonly owed: (state: State) => Iterable<Owed>;
  /** What an entry of a kind that is `signed` breaks as an act of its agent; its number counts where it is one. */
  readonly acted: (
    state: State,
    kind: EntryKind,
    entry: Drafted,
    agent: string,
  ) => Violation | undefined;
  /** What an entry breaks by the transfer that it uses; the use counts as made. */
  readonly used: (
    state: State,
    entry: Pick<ReplayedEntry, "kind" | "body">,
  ) => Violation | undefined;
}

export interface Replay<State> {
  readonly state: State;
  /** Adds the next entry; returns the rules that it breaks. */
  add(entry: ReplayedEntry): readonly Finding[];
  /** All findings, with what is owed at the end. */
  findings(): readonly Finding[];
  /** What of it is not known, so far. */
  unknown(): Unknown;
  /** How many entries rest on somebody's word, by what has to be believed. */
  words(): ReadonlyMap<string, number>;
  /** The first hundred of each. */
  told(): ReadonlyMap<string, readonly number[]>;
}

/** Clocks of nodes differ by less, and a write takes less. */
const CLOCKS_S = MINUTE_S;
/** The service runs while no gap between entries is longer: it writes a heartbeat after 24 hours. */
const RUNNING_GAP_S = 25 * HOUR_S;
/** A duty is done within this time, counting only time in which the service ran. */
const DUTY_S = 49 * HOUR_S;
/** A duty is done before the service has come back so often. */
const RETURNS_MAX = 3;
const LATE_IN_SERVICE = fault("It was due for more than 49 hours in which the service ran.");
const LATE_AFTER_RETURNS = fault("It was due since before the service came back three times.");
/** Findings that are kept; so many are more than a mistake. */
const FINDINGS_MAX = 1_000;
/** Entries that are named of each sort that rests on somebody's word. */
const TOLD_MAX = 100;

/** Replays a ledger from an empty state, in the order of its entries. */
export function openReplay<State extends LedgerState>(machine: StateMachine<State>): Replay<State> {
  const state = machine.empty();
  const transitions = new Map(machine.transitions.map((each) => [each.kind.kind, each]));
  const form = formOf(machine.kinds, state.names);
  const service = serviceTimes();
  let quiet = { from: 0, to: 0 };
  const findings = findingsFold();
  const word = wordsFold();
  const unknown = unknownFold();
  /** Duties that were not done when later rules were adopted: those ask for nothing that was due before. */
  let neglected: readonly Owed[] = [];

  function add(entry: ReplayedEntry): readonly Finding[] {
    const { id, at } = entry;
    if (id === 1) state.genesis = leafIn(entry, state.sha256Hex);
    const previous = state.last;
    if (service.see(at, previous.at)) {
      word.add(id, "silences of more than 25 hours");
      word.add(id, "hours of such silences", Math.floor((at - previous.at) / HOUR_S));
    }
    if (at - previous.at > CLOCKS_S) quiet = { from: previous.at, to: at };
    const later = laterOf(state);
    unknown.see(entry, { isLater: later !== null, isKind: transitions.has(entry.kind) });
    const { isWaiting, isBeyond } = waitsIn(state, entry);
    const beyond = isBeyond
      ? findings.report(entry, `ledger_resumed/${id}`, { ...COUNTED_BEYOND, later, before: "" })
      : [];
    const found = foundIn(entry, isWaiting);
    placedIn(state, entry, isWaiting);
    if (later === null && laterOf(state) !== null) neglected = overdue();
    const own = found === undefined ? [] : findings.report(entry, form.thingOf(entry), found);
    return [...beyond, ...own];
  }

  /** What refuses an entry. Its effect follows anyhow, if it can be read, and proves nothing. */
  function foundIn(entry: ReplayedEntry, isWaiting: boolean): Found | undefined {
    const later = laterOf(state);
    const repeated = form.repeated(entry);
    const misplaced = form.misplaced(entry, state.last);
    const malformed = form.violation(entry);
    const each = transitions.get(entry.kind);
    if (malformed !== undefined && later !== null) unknown.opaque(entry);
    const first = foundOf(repeated ?? misplaced, null); // Under whatever rules.
    if (repeated !== undefined || malformed !== undefined || each === undefined)
      return first ?? foundOf(malformed, later);
    try {
      const judged = judge(each, entry, isWaiting);
      return first ?? judged;
    } catch {
      if (later !== null) unknown.opaque(entry);
      return first ?? foundOf(IMPOSSIBLE, later);
    }
  }

  /** What the rule says of an entry, which then has its effect. */
  function judge(each: AnyTransition<State>, entry: ReplayedEntry, isWaiting: boolean) {
    const times = timesOf(state, entry, each, { isWaiting, quiet });
    const draft: Drafted = { ...entry, ...times, binds_after_s: BINDS_AFTER_S };
    const later = laterOf(state);
    const before = each.before(state, draft);
    const actor = actorOf(each, before, draft);
    const acted = actor === undefined ? actor : machine.acted(state, each.kind, draft, actor);
    const used = machine.used(state, entry);
    const always =
      later === null || unknown.isOpaque() ? undefined : each.always?.(before, draft, each.refuses);
    const violation =
      always ??
      times.violation ??
      untimed(each, before, draft) ??
      each.rule(before, draft, each.refuses) ??
      acted ??
      used ??
      lateness(each, before, draft);
    const found = violation && {
      sentence: violation.sentence,
      later: always === undefined ? later : null,
      before: beforeText(before),
    };
    if (times.isLate) word.add(entry.id, "late placements");
    word.add(entry.id, each.word?.(draft, before));
    each.evolve(state, draft);
    if (violation === undefined) each.proves?.(state, draft);
    return found;
  }

  /** The act of a duty that comes too late says itself that nobody did it in time. */
  function lateness(each: AnyTransition<State>, before: unknown, draft: Drafted) {
    const since = each.due?.(before, draft) ?? null;
    return since === null ? undefined : service.lateness(since, draft.at);
  }

  /** Duties that nobody has done in time, so far. */
  const overdue = (): readonly Owed[] =>
    [...machine.owed(state)].filter(
      ({ since }) => since === null || service.lateness(since, state.last.at) !== undefined,
    );

  function allFindings(): readonly Finding[] {
    const known = new Set(neglected.map(({ of }) => of));
    const late = overdue().map((owed) =>
      findings.late(owed, state.last.id, known.has(owed.of) ? null : laterOf(state)),
    );
    return [...findings.all, ...late];
  }

  return {
    state,
    add,
    findings: allFindings,
    unknown: () => unknown.all(laterOf(state)),
    words: () => word.counts,
    told: () => word.named,
  };
}

/** What refuses an entry, and whether the later rules under which it stands may allow it. */
type Found = Pick<Finding, "sentence" | "later" | "before">;

/** Of an entry of which no rule was asked. */
const foundOf = (violation: Violation | undefined, later: number | null): Found | undefined =>
  violation && { sentence: violation.sentence, later, before: "" };

/** Its numbers make no sense there. */
const IMPOSSIBLE = fault("It cannot follow from the entries before it.");

/** The rules in force, where this program does not know them; else null. */
const laterOf = ({ rules }: LedgerState): number | null => (rules > RULES ? rules : null);

/** Keeps what was found, and which things are broken: later findings of one may follow from an earlier one. */
function findingsFold() {
  const all: Finding[] = [];
  const broken = new Set<string>();
  return {
    all,
    report(entry: ReplayedEntry, of: string, found: Found): readonly Finding[] {
      const { id: ledger_id, kind, ref } = entry;
      const body = shortened(JSON.stringify(entry.body));
      const finding = { ledger_id, kind, ref, ...found, body, isConsequence: broken.has(of) };
      if (all.length < FINDINGS_MAX) {
        broken.add(of);
        all.push(finding);
      }
      return [finding];
    },
    /** That a duty is not done at the end. */
    late({ of, sentence }: Owed, ledger_id: number, later: number | null): Finding {
      const [kind = "", ...ref] = of.split("/");
      const thing = { ledger_id, kind, ref: ref.join("/"), isConsequence: broken.has(of) };
      return { ...thing, sentence, later, body: "", before: "" };
    },
  };
}

interface Seen {
  /** Whether it is under later rules. */
  readonly isLater: boolean;
  /** Whether its kind is known. */
  readonly isKind: boolean;
}

/** Counts what a newer version wrote. */
function unknownFold() {
  const kinds = new Map<string, number>();
  let entries = 0;
  let rules_from: number | null = null;
  let opaque_from: number | null = null;

  function opaque({ id }: Pick<ReplayedEntry, "id">): void {
    opaque_from ??= id;
  }

  return {
    opaque,
    isOpaque: () => opaque_from !== null,
    see(entry: ReplayedEntry, { isLater, isKind }: Seen): void {
      if (isLater) rules_from ??= entry.id;
      if (isLater || !isKind) entries++;
      if (isKind) return;
      if (isLater) opaque(entry);
      const { kind } = entry;
      const named = kinds.size < TOLD_MAX || kinds.has(kind) ? kind : "…";
      kinds.set(named, (kinds.get(named) ?? 0) + 1);
    },
    all: (rules: number | null): Unknown => ({
      ...{ rules, rules_from, entries, kinds, opaque_from },
    }),
  };
}

/** Counts entries that rest on somebody's word, and names the first ones. */
function wordsFold() {
  const counts = new Map<string, number>();
  const named = new Map<string, number[]>();
  return {
    counts,
    named,
    add(id: number, word: string | undefined, count = 1): void {
      if (word === undefined) return;
      counts.set(word, (counts.get(word) ?? 0) + count);
      const ids = named.get(word) ?? [];
      if (ids.length < TOLD_MAX) named.set(word, [...ids, id]);
    },
  };
}

/** Whose act an entry is: from its first key on an agent signs what it does. */
const actorOf = <State>(
  { kind, actor }: AnyTransition<State>,
  before: unknown,
  draft: Drafted,
): string | undefined => (kind.signed === undefined ? undefined : actor?.(before, draft));

/** An entry whose rule looks at a time seals its writer's. */
function untimed<State>(
  each: AnyTransition<State>,
  before: unknown,
  draft: Drafted,
): Violation | undefined {
  const isTimed = each.isTimed?.(before, draft) === true;
  return isTimed && madeAt(each.kind, draft.body) === undefined
    ? fault("It does not say when it was made.")
    : undefined;
}

/** The leaf of an entry, in hex; empty for what no ledger can hold. */
function leafIn(entry: ReplayedEntry, sha256Hex: Platform["sha256Hex"]): string {
  const text = sealedText(entry);
  return text === null ? "" : sha256Hex(`\u0000${text}`);
}

interface Times {
  readonly earliest: Seconds;
  readonly latest: Seconds;
  readonly isLate: boolean;
  readonly violation: Violation | undefined;
}

interface Waiting {
  /** Whether an entry before it says that it waited while the service was down. */
  readonly isWaiting: boolean;
  /** The newest time in which nothing got a place. */
  readonly quiet: { readonly from: Seconds; readonly to: Seconds };
}

/** When the writer of an entry can have made it, and whether its place is one that it can have got. */
function timesOf<State extends LedgerState>(
  state: State,
  { at, body }: ReplayedEntry,
  { kind }: AnyTransition<State>,
  { isWaiting, quiet }: Waiting,
): Times {
  /** An entry that waited was written when the last ones before it got their places, or later. */
  const resumedFrom = state.steadyAt - PLACED_WITHIN_S - CLOCKS_S;
  /** It may have waited since the ledger stood still: others would have been placed, too. */
  const waitedSince = (at <= quiet.to + CLOCKS_S ? quiet.from : at) - CLOCKS_S;
  const given = madeAt(kind, body);
  if (given === undefined) {
    const earliest = isWaiting ? resumedFrom : Math.max(waitedSince, at - PLACED_WITHIN_S);
    return { earliest, latest: at, isLate: false, violation: undefined };
  }
  const made_at = Number(given);
  const isLate = isWaiting && at > made_at + PLACED_WITHIN_S;
  const isPlaced = isWaiting ? made_at >= resumedFrom : at <= made_at + PLACED_WITHIN_S;
  const violation =
    made_at <= at && isPlaced
      ? undefined
      : fault("It got its place before it was made, or more than 300 seconds after.");
  return { earliest: made_at, latest: made_at, isLate, violation };
}

/** What every entry keeps: the fields of its kind and no others, its own name, its place, a time that never falls. */
function formOf(kinds: readonly EntryKind[], names: EntryNames) {
  const forms = new Map(
    kinds.map(({ kind, ref, fields }) => {
      const [thing = ""] = Object.keys(fields);
      const isCounted = ref.endsWith("/<n>") && !("n" in fields);
      return [kind, { ref, isCounted, thing, fields }] as const;
    }),
  );

  /** Whether an entry before it had its name. */
  const repeated = ({ kind, ref }: ReplayedEntry): Violation | undefined =>
    names.isFirst(kind, ref) ? undefined : fault("There is such an entry already.");

  function violation({ kind, ref, body }: ReplayedEntry): Violation | undefined {
    const form = forms.get(kind);
    if (form === undefined) return undefined; // A newer version's.
    const misfit = misfitIn(form.fields, body);
    if (misfit !== null) return fault(`No ${kind} has such a field, or lacks it: ${misfit}.`);
    const n = form.isCounted ? numberIn(ref) : undefined;
    const isNamed = ref === refIn(form, body, n) && (n === undefined || isRowId(`${n}`));
    return isNamed ? undefined : fault("Its ref is not what its body names.");
  }

  /** Whether an entry has no place after the last one. */
  const misplaced = ({ id, at }: ReplayedEntry, last: LedgerState["last"]) =>
    id !== last.id + 1 || at < last.at ? fault("Ids are dense, and times never fall.") : undefined;

  /** The thing that an entry is about: later findings of the same one may follow from an earlier one. */
  const thingOf = ({ kind, body }: Pick<ReplayedEntry, "kind" | "body">): string => {
    const thing = forms.get(kind)?.thing ?? "";
    return `${thing.replace(/_id$/, "")}/${body[thing] ?? ""}`;
  };

  return { repeated, violation, misplaced, thingOf };
}

/** When the service demonstrably ran: between entries at most 25 hours apart. */
function serviceTimes() {
  const gaps: { readonly from: Seconds; readonly to: Seconds }[] = [];
  return {
    /** Whether the service was silent between two entries. */
    see(at: Seconds, previous_at: Seconds): boolean {
      const isSilent = previous_at > 0 && at - previous_at > RUNNING_GAP_S;
      if (isSilent) gaps.push({ from: previous_at, to: at });
      return isSilent;
    },
    /** Why a duty that was due at `since` is late; undefined: it is not. */
    lateness(since: Seconds, until: Seconds): Violation | undefined {
      const silences = gaps.filter(({ to }) => to > since);
      if (silences.length >= RETURNS_MAX) return LATE_AFTER_RETURNS;
      const away = silences.reduce((sum, { from, to }) => sum + to - Math.max(from, since), 0);
      return until - since - away > DUTY_S ? LATE_IN_SERVICE : undefined;
    },
  };
}
