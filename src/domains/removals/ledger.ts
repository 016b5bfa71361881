import type { LedgerState } from "../../platform/ledger/ledger.ts";
import {
  type AnyTransition,
  become,
  fault,
  numberIn,
  refusal,
  transition,
} from "../../platform/ledger/transition.ts";
import * as entries from "./entries.ts";
import { hidesItself } from "./rules.ts";

export interface RemovalsState extends LedgerState {
  /** Texts that were ever removed, by `<kind>/<ref>`. */
  readonly removals: Map<string, Removal>;
  /** Posts and applications that were ever hidden (domains/feed/ledger.ts, domains/apps/ledger.ts). */
  readonly hidings: ReadonlyMap<number, { readonly isHidden: boolean }>;
  readonly apps: ReadonlyMap<number, { readonly isHidden: boolean }>;
}

interface Removal {
  readonly n: number;
  readonly isHidden: boolean;
  readonly isErased: boolean;
}

export const emptyRemovals = () => ({ removals: new Map<string, Removal>() });

const NEVER: Removal = { n: 0, isHidden: false, isErased: false };

const nameOf = ({ of, of_ref }: { readonly of: string; readonly of_ref: string }) =>
  `${of}/${of_ref}`;
const removalOf = (
  { removals }: RemovalsState,
  { body }: { readonly body: { readonly of: string; readonly of_ref: string } },
) => removals.get(nameOf(body)) ?? NEVER;

/** A content of files, which has a hash and no entry. */
const CONTENT = "file";

/** Whether a text is hidden; posts and applications are by entries of their own. */
function isOutOfSight(
  state: RemovalsState,
  entry: { readonly body: { readonly of: string; readonly of_ref: string } },
): boolean {
  const { of, of_ref } = entry.body;
  if (!hidesItself(of)) return removalOf(state, entry).isHidden;
  const hidings = of === "post" ? state.hidings : state.apps;
  return hidings.get(Number(of_ref))?.isHidden === true;
}

/** Of all kinds that show again what another one hides. */
export const hidingsNumber = fault("The end of a hiding has the hiding's number.");

export const textHidden = transition(entries.textHidden, {
  refuses: {
    own: fault("Posts and applications are hidden by entries of their own."),
    hidden: fault("This text is hidden already, or erased."),
    unknown: refusal(
      "invalid_state",
      "There is no such text, or its entry does not show it any more.",
    ),
    count: fault("The hidings of a text are counted from 1."),
  },
  before: (state: RemovalsState, entry) => ({
    ...removalOf(state, entry),
    isThere: entry.body.of === CONTENT || state.names.has(entry.body.of, entry.body.of_ref),
  }),
  rule({ n, isHidden, isErased, isThere }, { ref, body }, refuses) {
    if (hidesItself(body.of ?? "")) return refuses.own;
    if (isHidden || isErased) return refuses.hidden;
    if (!isThere) return refuses.unknown;
    return numberIn(ref) === n + 1 ? undefined : refuses.count;
  },
  evolve(state, entry) {
    const n = removalOf(state, entry).n + 1;
    state.removals.set(nameOf(entry.body), { n, isHidden: true, isErased: false });
  },
});

export const textShown = transition(entries.textShown, {
  refuses: {
    shown: fault("This text is not hidden, or is erased."),
    count: hidingsNumber,
  },
  before: removalOf,
  rule({ n, isHidden, isErased }, { ref }, refuses) {
    if (!isHidden || isErased) return refuses.shown;
    return numberIn(ref) === n ? undefined : refuses.count;
  },
  evolve({ removals }, { body }) {
    become(removals, nameOf(body), (was) => ({ ...was, isHidden: false }));
  },
});

export const textErased = transition(entries.textErased, {
  refuses: {
    shown: refusal("invalid_state", "The text is not hidden. Hide it first."),
    again: fault("This text is erased already."),
  },
  before: (state: RemovalsState, entry) => ({
    ...removalOf(state, entry),
    isHidden: isOutOfSight(state, entry),
  }),
  rule({ isHidden, isErased }, _, refuses) {
    if (isErased) return refuses.again;
    return isHidden ? undefined : refuses.shown;
  },
  evolve(state, entry) {
    state.removals.set(nameOf(entry.body), { ...removalOf(state, entry), isErased: true });
  },
});

export const removalsTransitions: readonly AnyTransition<RemovalsState>[] = [
  textHidden,
  textShown,
  textErased,
];
