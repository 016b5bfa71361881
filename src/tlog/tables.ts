import type { Seconds } from "../kernel/time.ts";

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

export interface LogTables {
  log_node: LogNodeTable;
  log_progress: LogProgressTable;
  log_checkpoint: LogCheckpointTable;
  log_published: LogPublishedTable;
}
