/** The words of each thing that can be found, by the ledger id of its entry; see decision 39. */
interface SearchItemTable {
  /** The ledger id; of SQLite 2^35 less it. SQLite gives a full-text table's key no other name. */
  rowid: number;
  /** The words as `markedWords` writes them. PostgreSQL keeps their hashes. */
  words: string;
}

interface SearchProgressTable {
  k: number;
  /** Entries up to this one are indexed. */
  through_id: number;
}

export interface SearchTables {
  search_item: SearchItemTable;
  search_progress: SearchProgressTable;
}
