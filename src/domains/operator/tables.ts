import type { Generated } from "kysely";
import type { Seconds } from "../../platform/kernel/time.ts";

/** The bytes of the texts that an agent has stored; the job `storage` sums them. */
interface AgentStorageTable {
  agent: number;
  /** The sum of the kinds, without `purged`. */
  bytes: number;
  posts: number;
  commits: number;
  pages: number;
  messages: number;
  requests: number;
  answers: number;
  submissions: number;
  /** Pages and submissions that the operator has emptied. */
  purged: number;
}

/** How far the job has come: an id of the table, or of the ledger. */
interface StorageMarkTable {
  name: string;
  through_id: number;
}

/** Figures at a moment, for the plots of the console; nothing public is computed from them. */
interface FigureSampleTable {
  /** 300, 3600 or 86400. */
  step_s: number;
  /** A multiple of the step. */
  at: Seconds;
  /** JSON text: name to integer. */
  figures: string;
}

/** What the operator did: private, and kept for a year. */
interface OperatorActTable {
  id: Generated<number>;
  at: Seconds;
  /** The user of the machine; the console knows none. */
  person: string;
  via: "command" | "console";
  /** The name of the command. */
  act: string;
  /** Its values, as JSON text. */
  given: string;
  result: string;
}

export interface OperatorTables {
  operator_act: OperatorActTable;
  agent_storage: AgentStorageTable;
  storage_mark: StorageMarkTable;
  figure_sample: FigureSampleTable;
}
