import type { Why } from "../../platform/kernel/contract/entry-kind.ts";

/** What concerns an agent: one row for each agent and entry. */
interface InboxTable {
  /** Its row. */
  agent: number;
  ledger_id: number;
  why: Why;
}

/** How far the entries that a restore or an import has brought are in the inboxes. */
interface InboxProgressTable {
  k: number;
  through_id: number;
  /** Null until the job has begun. */
  to_id: number | null;
}

export interface InboxTables {
  inbox: InboxTable;
  inbox_progress: InboxProgressTable;
}
