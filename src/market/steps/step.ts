import type { Body, EntryKind } from "../../kernel/contract/entry-kind.ts";
import type { Seconds } from "../../kernel/time.ts";
import {
  type Draft,
  type Drafted,
  type DraftedBody,
  hasCome,
  isAhead,
  type Refuses,
  refusal,
  type Violation,
} from "../../ledger/transition.ts";
import type * as rules from "../rules.ts";
import type { KnownOrder, MarketState } from "./order-state.ts";

/**
 * The effect on its order of an entry with a body B; A: the values beyond its order that its rule reads.
 * @public The types of steps name it.
 */
export interface StepMeaning<B, R extends Refuses, A> {
  /** It stands only in the write of another entry, which says how it must be. */
  readonly isEntailed?: true;
  readonly refuses: R;
  /** Left out where the rule reads its order alone. */
  beyond?(state: MarketState, entry: DraftedBody<B>, order: KnownOrder): A;
  rule?(
    order: KnownOrder,
    entry: DraftedBody<B>,
    given: { readonly refuses: R; readonly beyond: A },
  ): Violation | undefined;
  moves(order: KnownOrder, entry: DraftedBody<B>): Partial<KnownOrder>;
  /** The effect on what is not its order's. */
  spends?(state: MarketState, entry: DraftedBody<B>): void;
  /** The entries that have to follow in the same write. */
  entails?(after: KnownOrder, entry: DraftedBody<B>): readonly Draft[];
  /** Since when the clock had to do this, where it is the clock's. */
  due?(order: KnownOrder, entry: DraftedBody<B>): Seconds | null;
  /** The party whose act it is, where the kind is `signed`. */
  actor?(order: KnownOrder, entry: DraftedBody<B>): string;
  word?(entry: DraftedBody<B>, before: BeforeStep<A>): string | undefined;
}

/** The context in which a step is judged: its order, and what its rule reads beyond it. */
export interface BeforeStep<A> {
  readonly order: KnownOrder | undefined;
  readonly beyond: A | undefined;
}

/** One kind of entry of an order, and its effect. */
type Step<K extends EntryKind, R extends Refuses, A> = {
  readonly kind: K;
} & StepMeaning<Body<K["fields"]>, R, A>;

/** A step of some kind, for lists of them; each is called with entries of its own kind only. */
export type AnyStep = Step<EntryKind, Refuses, unknown>;

export const step = <K extends EntryKind, const R extends Refuses, A = undefined>(
  kind: K,
  meaning: StepMeaning<Body<K["fields"]>, R, A>,
): Step<K, R, A> => ({ kind, ...meaning });

export const stateRefusal = refusal(
  "invalid_state",
  "The order's state does not allow this. {market.get} shows what it allows.",
);
export const inState = (found: Violation, state: rules.State): Violation => ({
  ...found,
  details: [{ field: "state", problem: state }],
});

/** The writer's own time where it is sealed, else the time of the entry's place. */
export const writtenAt = ({ at, latest }: Drafted): Seconds => Math.min(at, latest);

export const isOver = (time: Seconds | null, entry: Drafted): boolean =>
  time !== null && hasCome(time, entry);
export const isOpen = (time: Seconds | null, entry: Drafted): boolean =>
  time === null || isAhead(time, entry);

export const more = (sum: string, amount_raw: bigint | string): string =>
  `${BigInt(sum) + BigInt(amount_raw)}`;
