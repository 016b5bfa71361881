import type { Body, EntryKind } from "../kernel/contract/entry-kind.ts";
import type { ErrorCode, Problem } from "../kernel/contract/errors.ts";
import { MINUTE_S, type Seconds } from "../kernel/time.ts";

/**
 * Why an entry is not allowed. With a code it is the refusal that an agent is answered; without one only a
 * wrong writer can cause it. The same record answers the agent and the auditor.
 */
export interface Violation<Code extends ErrorCode | undefined = ErrorCode | undefined> {
  readonly code?: Code;
  readonly sentence: string;
  readonly details?: readonly Problem[] | undefined;
}

export const refusal = <Code extends ErrorCode>(
  code: Code,
  sentence: string,
  details?: readonly Problem[],
): Required<Pick<Violation<Code>, "code">> & Violation<Code> => ({ code, sentence, details });

export const fault = (sentence: string): Violation<undefined> => ({ sentence });

/** An entry of a kind as its rule sees it. */
export type Drafted<K extends EntryKind = EntryKind> = DraftedBody<Body<K["fields"]>>;

export interface DraftedBody<B> {
  readonly ref: string;
  readonly body: B;
  /** When it got its place; the writer's own time before it has one. Unix seconds. */
  readonly at: Seconds;
  /**
   * The seconds in which its writer can have made it. Both are the same where the entry seals the time, and
   * for the writer itself.
   */
  readonly earliest: Seconds;
  readonly latest: Seconds;
  /** Whether it waited for its place while the service was down, which is somebody's word. */
  readonly isLate: boolean;
  /** After how long a ban or a pause binds the entry: 0 for its writer, which sees it at once. */
  readonly binds_after_s: Seconds;
}

/** Another entry that one entails: in the same write, with these fields and no others. */
export interface Draft {
  readonly kind: string;
  readonly body: Readonly<Record<string, string | number | undefined>>;
}

/** The violations of one kind, by names of its own; `docs/reference/rules.md` is made of them. */
export type Refuses = Readonly<Record<string, Violation>>;

/**
 * What entries with a body B mean: when one is allowed, and what is so after it. Pure, and free of texts and
 * of clocks.
 */
interface Meaning<State, B, Before, R extends Refuses> {
  /** All that the rule can find. */
  readonly refuses: R;
  /** Whether it has to seal when it was made, where its kind may leave that out. */
  isTimed?(before: Before, entry: DraftedBody<B>): boolean;
  /** The values that the rule reads, none of which changes later; a writer reads the same from rows that it has locked. */
  before(state: State, entry: DraftedBody<B>): Before;
  /** One of `refuses`, perhaps with details; undefined: the entry is allowed. */
  rule(before: Before, entry: DraftedBody<B>, refuses: R): Violation | undefined;
  /**
   * What no version of the rules allows, of `refuses` as well: coins out of nothing, a reward that is collected
   * twice. Asked of entries under rules that are not known; `rule` finds the same.
   */
  always?(before: Before, entry: DraftedBody<B>, refuses: R): Violation | undefined;
  /** Changes the state, also where the rule refuses the entry: rows have it, too. */
  evolve(state: State, entry: DraftedBody<B>): void;
  /** Adds to the state all by which later entries are proven, such as a key: a refused entry proves nothing. */
  proves?(state: State, entry: DraftedBody<B>): void;
  /** Since when somebody had to write this entry, where it is the act of a duty. */
  due?(before: Before, entry: DraftedBody<B>): Seconds | null;
  /** The agent whose act the entry is, where its kind is `signed`; undefined: nobody's that is known. */
  actor?(before: Before, entry: DraftedBody<B>): string | undefined;
  /** The claim that has to be believed because no ledger can show it: `redirected`, `not in XNO`. */
  word?(entry: DraftedBody<B>, before: Before): string | undefined;
}

/** One kind of entry, and what its entries mean. */
export type Transition<State, K extends EntryKind, Before, R extends Refuses> = {
  readonly kind: K;
} & Meaning<State, Body<K["fields"]>, Before, R>;

/** A transition of some kind, for lists of them; each is called with entries of its own kind only. */
export type AnyTransition<State> = Transition<State, EntryKind, unknown, Refuses>;

export const transition = <State, K extends EntryKind, Before, const R extends Refuses>(
  kind: K,
  meaning: Meaning<State, Body<K["fields"]>, Before, R>,
): Transition<State, K, Before, R> => ({ kind, ...meaning });

/** A ban and a pause bind the entries of others after this time: a token is looked up before its write. */
export const BINDS_AFTER_S = MINUTE_S;

/** Whether a moment can have come when the entry was written. */
export const hasCome = (moment: Seconds, { latest }: Pick<Drafted, "latest">): boolean =>
  moment <= latest;

/** Whether a moment can have been ahead when the entry was written. */
export const isAhead = (moment: Seconds, { earliest }: Pick<Drafted, "earliest">): boolean =>
  moment > earliest;

/** Whether the entry can have been written in that second. */
export const isMadeAt = (moment: Seconds, { earliest, latest }: Drafted): boolean =>
  earliest <= moment && moment <= latest;

/** Whether a thing that happened at `since` binds the entry for certain; null: it did not happen. */
export const isBound = (
  since: Seconds | null,
  { earliest, binds_after_s }: Pick<Drafted, "earliest" | "binds_after_s">,
): boolean => since !== null && since + binds_after_s <= earliest;

/** Puts in the place of a value of the state what it becomes. Where there is none, nothing changes. */
export function become<K, V>(all: Map<K, V>, key: K, next: (was: V) => V): void {
  const was = all.get(key);
  if (was !== undefined) all.set(key, next(was));
}

/** The last part of a ref that counts: `<agent>/<n>`. */
export const numberIn = (ref: string): number => Number(ref.slice(ref.lastIndexOf("/") + 1));
