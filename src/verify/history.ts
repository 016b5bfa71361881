import { epochOf } from "../platform/kernel/proof/origin.ts";
import type { Seal } from "../platform/kernel/proof/seal-text.ts";
import type { Head } from "./known-heads.ts";
import type { Walked } from "./walk.ts";

/** How a chain that was walked stands to what is remembered of it. */
export type History =
  /** Nothing is remembered. */
  | "new"
  /** The remembered seal is still there. */
  | "kept"
  /** It is gone, and the ledger itself says that a backup was restored. */
  | "restored"
  /** The same, but nothing that the reader trusts has signed it: anybody may have written that. */
  | "unvouched"
  /** The same, but only another key has signed it than the one that signed when the seal was seen. */
  | "another_key"
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
  unvouched: 3,
  another_key: 3,
  rewritten: 3,
  replaced: 3,
  truncated: 4,
};

/** The input of a verification, and its source. */
export interface Reading {
  readonly from: { readonly kind: "network" | "file"; readonly address: string };
  /** The origin that the chain began with. */
  readonly origin: string;
  /** Those that are pinned; none for a ledger without a key. */
  readonly keys: readonly string[];
  readonly walked: Walked;
  /** The seal that has the remembered number now. */
  readonly seen: Seal | undefined;
  /** The keys that have signed seals of a later epoch than the remembered one. */
  readonly vouchers: ReadonlySet<string>;
}

/** Compares a chain with the remembered head, or with what its address served before. */
export function historyOf(
  reading: Reading,
  heads: ReadonlyMap<string, Head>,
): { readonly history: History; readonly remembered: Head | undefined } {
  const { from, origin, walked, seen } = reading;
  const remembered = heads.get(origin);
  if (remembered === undefined) {
    const other = [...heads.values()].find(({ address }) => address === from.address);
    return { history: other === undefined ? "new" : "replaced", remembered: other };
  }
  if (seen?.seal_hash === remembered.seal_hash) return { history: "kept", remembered };
  // No number has two seals under one origin line: a loss that is admitted begins a new epoch.
  const epoch = epochOf(remembered.origin);
  if (epochOf(seen?.origin ?? walked.state.origin) > epoch)
    return { history: admitted(reading, remembered), remembered };
  if (seen !== undefined) return { history: "rewritten", remembered };
  return { history: from.kind === "file" ? "older" : "truncated", remembered };
}

/**
 * Whether a signature vouches for the admission. One of a key that was replaced before the loss does
 * not: a later thief could replace everything since. The key that signed last has to
 * sign again, or one that the reader pins for the first time.
 */
function admitted({ keys, vouchers }: Reading, { keys: known, signer }: Head): History {
  if (keys.length === 0) return "restored";
  if (vouchers.size === 0) return "unvouched";
  const isNew = keys.some((key) => vouchers.has(key) && !known.includes(key));
  return signer === null || vouchers.has(signer) || isNew ? "restored" : "another_key";
}
