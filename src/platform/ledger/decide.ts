import { channel } from "node:diagnostics_channel";
import { type Body, type EntryKind, refIn } from "../kernel/contract/entry-kind.ts";
import type { CommonCode, ErrorCode, Problem, Rejects } from "../kernel/contract/errors.ts";
import type { Seconds } from "../kernel/time.ts";
import { Forbidden } from "./forbidden.ts";
import type { DraftedBody, Refuses, Violation } from "./transition.ts";

/** The codes with which a rule can refuse an agent: an operation that asks it declares them, or does not compile. */
export type CodesOf<R extends Refuses> = Exclude<R[keyof R]["code"], CommonCode | undefined>;

/** Fields of an entry that its writer has: those that the storage draws or the write fills in are asked of no rule. */
type Proposed<K extends EntryKind> = Partial<Body<K["fields"]>>;

/** A transition, as far as its rule is asked. A method, so that it takes an entry that lacks what is drawn. */
export interface Ruled<K extends EntryKind, Before, R extends Refuses> {
  readonly kind: K;
  readonly refuses: R;
  rule(before: Before, entry: DraftedBody<Proposed<K>>, refuses: R): Violation | undefined;
}

interface Proposal<K extends EntryKind, R extends Refuses> {
  readonly body: Proposed<K>;
  readonly now: Seconds;
  /** The count in which the name of the entry would end, where its kind counts. */
  readonly n?: number | undefined;
  /** Values that a refusal shows its caller beside its sentence, by the refusal's name. */
  readonly shows?: { readonly [Name in keyof R]?: readonly Problem[] | undefined };
}

/** What an entry was decided on. */
export interface Decision {
  readonly kind: string;
  readonly before: unknown;
  readonly body: Readonly<Record<string, unknown>>;
  readonly n: number | undefined;
}

/** Decisions that allow an entry, for a test that compares them with the state of a replay. */
export const DECIDED = "cairn:decided";
const decided = channel(DECIDED);

/** An entry as its writer would make it now. It has no place yet, and of its ref only the count. */
export const proposed = <B>(body: B, now: Seconds, n?: number): DraftedBody<B> => ({
  ref: n === undefined ? "" : `${n}`,
  body,
  at: now,
  earliest: now,
  latest: now,
  isLate: false,
  binds_after_s: 0,
});

/** The asker of an entry that no agent has asked for. */
export const NOBODY: Rejects<ErrorCode> = {
  reject(_, sentence) {
    throw new Forbidden(sentence);
  },
};

/**
 * Asks the rule of a kind whether its entry may be written, and answers its refusal. Ahead of a write it is a look
 * that spares the write; with what the write has locked it decides. A refusal without a code, or of what nobody has
 * asked for, is a fault of the writer: it undoes the write, and a caller gets a 500.
 */
export function decide<K extends EntryKind, Before, R extends Refuses>(
  asker: Rejects<CodesOf<R>>,
  of: Ruled<K, Before, R>,
  before: NoInfer<Before>,
  proposal: Proposal<NoInfer<K>, NoInfer<R>>,
): void {
  const found = askedOf(of, before, proposal);
  if (found !== undefined) answer(asker, of, proposal, found);
}

/**
 * The same of an entry that changes something: false where all is so already, which the clause `same` refuses. Then
 * there is nothing to write, and the caller is told how things stand.
 */
export function decideChange<K extends EntryKind, Before, R extends Refuses>(
  asker: Rejects<CodesOf<R>>,
  of: Ruled<K, Before, R>,
  before: NoInfer<Before>,
  proposal: Proposal<NoInfer<K>, NoInfer<R>> & { readonly same: NoInfer<keyof R> },
): boolean {
  const found = askedOf(of, before, proposal);
  if (found === undefined) return true;
  if (found.sentence === of.refuses[proposal.same]?.sentence) return false;
  return answer(asker, of, proposal, found);
}

function askedOf<K extends EntryKind, Before, R extends Refuses>(
  of: Ruled<K, Before, R>,
  before: Before,
  { body, now, n }: Proposal<K, R>,
): Violation | undefined {
  const found = of.rule(before, proposed(body, now, n), of.refuses);
  const decision: Decision = { kind: of.kind.kind, before, body, n };
  if (found === undefined && decided.hasSubscribers) decided.publish(decision);
  return found;
}

function answer<K extends EntryKind, Before, R extends Refuses>(
  asker: Rejects<CodesOf<R>>,
  { kind, refuses }: Ruled<K, Before, R>,
  { body, n, shows = {} }: Proposal<K, R>,
  { code, sentence, details }: Violation,
): never {
  if (asker === NOBODY || !isCodeOf(refuses, code))
    throw new Forbidden(`${kind.kind} ${refIn(kind, body, n) ?? ""}: ${sentence}`);
  const name = Object.keys(refuses).find((each) => refuses[each]?.sentence === sentence);
  return asker.reject(code, sentence, (name && shows[name]) || details);
}

/** Answers a refusal of a rule that its caller has found without it, such as by a query. */
export const refuse = <Code extends ErrorCode>(
  { reject }: Rejects<NoInfer<Code>>,
  { code, sentence, details }: Violation<Code> & { readonly code: Code },
): never => reject(code, sentence, details);

const isCodeOf = <R extends Refuses>(refuses: R, code: ErrorCode | undefined): code is CodesOf<R> =>
  code !== undefined && Object.values(refuses).some((each) => each.code === code);
