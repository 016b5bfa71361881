import type { Seal } from "../kernel/seal-text.ts";
import type { Walked } from "./chain-walk.ts";
import type { Head } from "./heads.ts";

/** How a chain that was walked stands to what is remembered of it. */
export type History =
  /** Nothing is remembered. */
  | "new"
  /** The remembered seal is still there. */
  | "kept"
  /** It is gone, and the ledger itself says that a backup was restored. */
  | "restored"
  /** Another seal stands in its place. */
  | "rewritten"
  /** The chain ends before it. */
  | "truncated"
  /** The same of a saved copy: it may just be older. */
  | "older"
  /** The address served a chain with another origin before. */
  | "replaced";

export const EXIT_CODE_OF: Readonly<Record<History, number>> = {
  new: 0,
  kept: 0,
  restored: 0,
  older: 0,
  rewritten: 3,
  replaced: 3,
  truncated: 4,
};

/** An origin line ends with `#<epoch>` after a restore; the first epoch is not written. */
const EPOCH = /#(\d{1,9})$/;
export const epochOf = (origin: string): number => Number(EPOCH.exec(origin)?.[1] ?? 1);

/** The origin that the chain began with. */
export const firstOrigin = (origin: string): string => origin.replace(EPOCH, "");

/** What was read, and from where. */
export interface Reading {
  readonly from: { readonly kind: "network" | "file"; readonly address: string };
  /** The origin that the chain began with. */
  readonly origin: string;
  readonly walked: Walked;
  /** The seal that has the remembered number now. */
  readonly seen: Seal | undefined;
}

/** Compares a chain with the remembered head, or with what its address served before. */
export function historyOf(
  { from, origin, walked, seen }: Reading,
  heads: ReadonlyMap<string, Head>,
): { readonly history: History; readonly remembered: Head | undefined } {
  const remembered = heads.get(origin);
  if (remembered === undefined) {
    const other = [...heads.values()].find(({ address }) => address === from.address);
    return { history: other === undefined ? "new" : "replaced", remembered: other };
  }
  if (seen?.seal_hash === remembered.seal_hash) return { history: "kept", remembered };
  // No number has two seals under one origin line: a loss that is admitted begins a new epoch.
  const now = seen?.origin ?? walked.state.origin;
  if (epochOf(now) > epochOf(remembered.origin)) return { history: "restored", remembered };
  if (seen !== undefined) return { history: "rewritten", remembered };
  return { history: from.kind === "file" ? "older" : "truncated", remembered };
}
