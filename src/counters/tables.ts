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

export interface CounterTables {
  counter: CounterTable;
  counted: CountedTable;
}
