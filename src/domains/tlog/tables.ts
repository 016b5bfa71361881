import type { Seconds } from "../../platform/kernel/time.ts";

/** A node of the tree over all entries, at every eighth level; the leaves are those of the entries. */
interface LogNodeTable {
  /** 1 for the root over 256 leaves, 2 over 65,536. */
  level: number;
  n: number;
  hash: Uint8Array;
}

/** How far the nodes are made. */
interface LogProgressTable {
  k: number;
  /** The newest seal whose entries they cover. */
  seq: number;
  size: number;
  /** Roots of the full subtrees, largest first, 32 bytes each. */
  frontier: Uint8Array;
}

/** What the log's key has signed. */
interface LogCheckpointTable {
  origin: string;
  size: number;
  seq: number;
  root: Uint8Array;
  /** With the log's own signature only. */
  note: string;
  at: Seconds;
}

/** The checkpoint that readers get. */
interface LogPublishedTable {
  k: number;
  origin: string;
  size: number;
}

/** What a witness has said of a checkpoint. */
interface LogCosignatureTable {
  origin: string;
  size: number;
  /** What the policy calls it. */
  witness: string;
  key_id: string;
  /** The signature line of the note. */
  line: string;
  time: Seconds;
}

/** How a witness stands. */
interface WitnessStateTable {
  origin: string;
  witness: string;
  /** What it has cosigned last. */
  size: number;
  last_time: Seconds | null;
  failures: number;
  last_error: string | null;
  next_at: Seconds;
}

/** A log of somebody else that this service witnesses, and the tree that it has cosigned last. */
interface WitnessedLogTable {
  origin: string;
  /** Hex: by it readers ask. */
  origin_sha256: string;
  vkey: string;
  size: number;
  /** Null before the first checkpoint, as are the next two. */
  root: Uint8Array | null;
  /** Text, the log's own signature, and the witness's. */
  note: string | null;
  at: Seconds | null;
}

/** The name and the key of this service as a witness. */
interface WitnessIdentityTable {
  k: number;
  name: string;
  pubkey: string;
}

export interface LogTables {
  log_node: LogNodeTable;
  log_progress: LogProgressTable;
  log_checkpoint: LogCheckpointTable;
  log_published: LogPublishedTable;
  log_cosignature: LogCosignatureTable;
  witness_state: WitnessStateTable;
  witnessed_log: WitnessedLogTable;
  witness_identity: WitnessIdentityTable;
}
