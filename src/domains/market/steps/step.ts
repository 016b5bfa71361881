import type { Body, EntryKind } from "../../../platform/kernel/contract/entry-kind.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import {
  type Draft,
  type Drafted,
  type DraftedBody,
  hasCome,
  isAhead,
  type Refuses,
  refusal,
  type Violation,
} from "../../../platform/ledger/transition.ts";
import type * as rules from "../rules.ts";
import type { Beside, KnownOrder, MarketState, Seen } from "./order-state.ts";

/**
 * The effect on its order of an entry with a body B. A: the values beyond its order that its rule reads; D: the fields
 * that follow from its order. Asked and Taken: the facts beside the row of its order that it reads.
 * @public The types of steps name it.
 */
export interface StepMeaning<
  B,
  R extends Refuses,
  A,
  D extends object,
  Asked extends Beside,
  Taken extends Beside,
> {
  /** It stands only in the write of another entry, which says how it must be. */
  readonly isEntailed?: true;
  readonly refuses: R;
  /** The facts beside the row that its rule reads. */
  readonly asks?: readonly Asked[];
  /** Those that its effect reads, and those that the effects of all that it entails read. */
  readonly takes?: readonly Taken[];
  /** The fields that follow from the order and from what is said: a writer takes them, and the rule compares with them. */
  drafts?(order: Seen<Asked>, now: Seconds, said: Partial<B>): D;
  /** Left out where the rule reads its order alone. */
  beyond?(state: MarketState, entry: DraftedBody<B>, order: KnownOrder): A;
  rule?(
    order: Seen<Asked>,
    entry: DraftedBody<B>,
    given: { readonly refuses: R; readonly beyond: A },
  ): Violation | undefined;
  moves(order: Seen<Asked | Taken>, entry: DraftedBody<B>): Partial<KnownOrder>;
  /** The effect on what is not its order's. */
  spends?(state: MarketState, entry: DraftedBody<B>): void;
  /** The entries that have to follow in the same write. */
  entails?(after: Seen<Asked | Taken>, entry: DraftedBody<B>): readonly Draft[];
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
type Step<
  K extends EntryKind,
  R extends Refuses,
  A,
  D extends object,
  Asked extends Beside,
  Taken extends Beside,
> = {
  readonly kind: K;
} & StepMeaning<Body<K["fields"]>, R, A, D, Asked, Taken>;

/** A step of some kind, for lists of them; each is called with entries of its own kind only. */
export type AnyStep = Step<EntryKind, Refuses, unknown, object, Beside, Beside>;

export const step = <
  K extends EntryKind,
  const R extends Refuses,
  A = undefined,
  D extends object = Record<never, never>,
  const Asked extends Beside = never,
  const Taken extends Beside = never,
>(
  kind: K,
  meaning: StepMeaning<Body<K["fields"]>, R, A, D, Asked, Taken>,
): Step<K, R, A, D, Asked, Taken> => ({ kind, ...meaning });

/** A step for a writer that has loaded `beyond`: the values beyond the order that its rule reads. */
export function knowing<
  K extends EntryKind,
  R extends Refuses,
  A,
  D extends object,
  Asked extends Beside,
  Taken extends Beside,
>({ word: _, ...of }: Step<K, R, A, D, Asked, Taken>, beyond: A) {
  const rule = (
    order: Seen<Asked>,
    entry: DraftedBody<Body<K["fields"]>>,
    { refuses }: { readonly refuses: R; readonly beyond: undefined },
  ) => of.rule?.(order, entry, { refuses, beyond });
  return { ...of, beyond, rule };
}

/** How a step changes an order; methods, so that it also takes as much of one as its writer has loaded. */
interface Moving<Order, Entry> {
  moves(order: Order, entry: Entry): Partial<KnownOrder>;
  entails?(after: Order, entry: Entry): readonly Draft[];
}

/** An order after one of its entries, with those that have to come next. */
export function movedBy<Order extends Pick<KnownOrder, "next">, Entry>(
  step: Moving<Order, Entry>,
  order: Order,
  entry: Entry,
): Order {
  const moved = { ...order, ...step.moves(order, entry) };
  const entailed = step.entails?.(moved, entry) ?? [];
  return { ...moved, next: [...entailed, ...order.next.slice(1)] };
}

export const stateRefusal = refusal(
  "invalid_state",
  "The order's state does not allow this. {market.get} shows what it allows.",
);
export const inState = <V extends Violation>(found: V, state: rules.State): V => ({
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
