import { local } from "../../platform/ledger/rows/columns.ts";

/** Tables of inboxes, which this service makes of entries and rows as it likes. */
export const otherTables = {
  inbox: local("agent", "ledger_id", "why"),
  inbox_progress: local("k", "through_id", "to_id"),
} as const;
