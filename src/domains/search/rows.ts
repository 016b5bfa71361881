import { local } from "../../platform/ledger/rows/columns.ts";

/** Tables of the index of words, which this service makes as it likes. */
export const otherTables = {
  search_item: local("rowid", "words"),
  search_progress: local("k", "through_id"),
} as const;
