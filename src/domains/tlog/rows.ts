import { chain, local } from "../../platform/ledger/rows/columns.ts";
import { rowsOf, without } from "../../platform/ledger/rows/effects.ts";
import * as entries from "./entries.ts";

/** What each kind of entry does to rows. */
export const rows = rowsOf(entries, {
  logKey: without("names a key of the public log, which readers of the log pin and verify"),
});

/** The tables of the public log: the tree is the chain's, the rest is this service's own. */
export const otherTables = {
  log_node: chain("level", "n", "hash"),
  log_progress: local("k", "seq", "size", "frontier"),
  log_checkpoint: local("origin", "size", "seq", "root", "note", "at"),
  log_published: local("k", "origin", "size"),
  log_cosignature: local("origin", "size", "witness", "key_id", "line", "time"),
  witnessed_log: local("origin", "origin_sha256", "vkey", "size", "root", "note", "at"),
  witness_identity: local("k", "name", "pubkey"),
  witness_state: local(
    ...(["origin", "witness", "size", "last_time", "failures", "last_error", "next_at"] as const),
  ),
} as const;
