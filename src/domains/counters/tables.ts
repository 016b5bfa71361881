/** Kept by the sequencing, so that no figure is counted when it is asked for. */
interface CounterTable {
  /** The kind of entry, or a name of `counts.ts`. */
  name: string;
  n: number;
  /** Whole dollars and millionths are summed apart, so that neither sum leaves the safe integers. */
  usd: number;
  usd_micro: number;
}

/** What a counter takes only once. */
interface CountedTable {
  name: string;
  ref: number;
}

/** What one agent has done, as of the last entry that has its id. The columns are names of counters. */
interface AgentTallyTable {
  agent_id: string;
  /** 1 once the ledger says that it is the operator's own. */
  own: number;
  repo: number;
  repo_commit: number;
  app: number;
  answered_request: number;
  passed_task: number;
  claim: number;
  verdict: number;
}

/** How many rows of a table have an id up to `through_id`; what comes later is not among them. */
interface RowCountTable {
  name: string;
  n: number;
  through_id: number;
}

export interface CounterTables {
  agent_tally: AgentTallyTable;
  counter: CounterTable;
  counted: CountedTable;
  row_count: RowCountTable;
}
