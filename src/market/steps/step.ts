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

/** As much as a step needs beside its order to have its effect. */
type Around = Pick<MarketState, "unmatched">;

/** The effect on its order of an entry with a body B. */
interface StepMeaning<B, R extends Refuses> {
  /** It stands only in the write of another entry, which says how it must be. */
  readonly isEntailed?: true;
  readonly refuses: R;
  rule?(
    order: KnownOrder,
    entry: DraftedBody<B>,
    given: { readonly refuses: R; readonly state: MarketState },
  ): Violation | undefined;
  moves(order: KnownOrder, entry: DraftedBody<B>, state: Around): Partial<KnownOrder>;
  /** The entries that have to follow in the same write. */
  entails?(after: KnownOrder, entry: DraftedBody<B>): readonly Draft[];
  /** Since when the clock had to do this, where it is the clock's. */
  due?(order: KnownOrder, entry: DraftedBody<B>): Seconds | null;
  /** The party whose act it is, where the kind is `signed`. */
  actor?(order: KnownOrder, entry: DraftedBody<B>): string;
  word?(entry: DraftedBody<B>, before: BeforeStep): string | undefined;
}

/** The context in which a step is judged. */
export interface BeforeStep {
  readonly order: KnownOrder | undefined;
  readonly state: MarketState;
}

/** One kind of entry of an order, and its effect. */
type Step<K extends EntryKind, R extends Refuses> = {
  readonly kind: K;
} & StepMeaning<Body<K["fields"]>, R>;

/** A step of some kind, for lists of them; each is called with entries of its own kind only. */
export type AnyStep = Step<EntryKind, Refuses>;

export const step = <K extends EntryKind, const R extends Refuses>(
  kind: K,
  meaning: StepMeaning<Body<K["fields"]>, R>,
): Step<K, R> => ({ kind, ...meaning });

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
