import type { ChainSource } from "../chain-records.ts";
import type { Books } from "./books.ts";
import type { Entry } from "./entry.ts";
import type { Group } from "./figures.ts";

/** The figures that somebody claims, to be compared with those of the ledger. */
export interface Claims {
  /** The chain with the entries that are claimed and not sealed yet. */
  whole(source: ChainSource): ChainSource;
  /** Told of every entry, after the books have it. */
  see(entry: Entry, books: Books): void;
  /** Told when the whole ledger is in the books. */
  groups(books: Books): Promise<readonly Group[]>;
}
