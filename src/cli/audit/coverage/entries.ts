import { chain, local } from "./classes.ts";

/** The class of every column that stores entries: they are the chain's, where they wait is this service's own. */
export const ENTRY_COVERAGE = {
  ledger_entry: chain("ledger_id", "at", "kind", "shape", "ref", "body", "leaf"),
  ledger_kind: chain("id", "kind"),
  ledger_shape: chain("id", "names"),
  ledger_pending: { ...chain("row_id", "kind", "ref", "body"), ...local("rules") },
  ledger_recent: local("kind", "ref", "row_id"),
  ledger_floor: local("k", "floor", "marked", "marked_xid", "settled", "settled_at"),
} as const;
