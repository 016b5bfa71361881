import type { ChainSource, EntryRecord } from "../../verify/shapes.ts";
import type { Group } from "./figures.ts";
import type { Books } from "./replay.ts";

/** The figures that somebody claims, to be compared with those of the ledger. */
export interface Claims {
  /** The chain with the entries that are claimed and not sealed yet. */
  whole(source: ChainSource): ChainSource;
  /** Told of every entry, after the books have it. */
  see(entry: EntryRecord, books: Books): Promise<void> | void;
  /** Told when the whole ledger is in the books; what came since is read by way of `add`. */
  compared(books: Books, add: (entry: EntryRecord) => Promise<void>): Promise<Comparison>;
  /** Lets go of what it holds outside of memory. */
  close(): void;
}

/** Figures that were compared, and what was not. */
export interface Comparison {
  readonly groups: readonly Group[];
  /** Routes or classes of columns that are not compared, and why. */
  readonly notCompared: readonly NotCompared[];
  /** How much of long lists was looked at; null for all of them. */
  readonly drawn: { readonly objects: number | null; readonly seed: string } | null;
}

export interface NotCompared {
  readonly what: string;
  readonly why: string;
}
