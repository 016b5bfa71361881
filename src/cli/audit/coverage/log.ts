import { chain, local } from "./classes.ts";

/** The class of every column of the public log: the tree is the chain's, the rest is this service's own. */
export const LOG_COVERAGE = {
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
