import type { TextForm } from "./columns.ts";
import type { AgentOf, Entry, Figures, Made, Row } from "./told.ts";

/** A table whose rows follow from the ledger. `Books`: the figures at the entry, as far as it reads them. */
export interface RowFold<Books = unknown> {
  readonly table: string;
  /** Rows of the ledger's head are kept by the sequencing; others also hold what has no id yet. */
  readonly stands: "at_head" | "at_commit";
  /** The name of a stored row and its figures; null when they count nothing. */
  stored(row: Row, agentOf: AgentOf): readonly [name: string, figures: Figures | null];
  /** Other tables whose rows contain more than their entries; these are compared themselves. */
  readonly beside?: Readonly<Record<string, (row: Row, agentOf: AgentOf) => void>>;
  /** Told of every entry, after the books, which have it already. */
  add?(entry: Entry, books: Books): void;
  /** Whether `made` needs the stored rows; where tables stand beside, it does. The others are compared row by row. */
  readonly rowsFirst?: true;
  /** The rows that the ledger makes, as the caller's own: it may take out each that it has met. */
  made(books: Books): Rows<Made | null>;
  /** One of them, where single rows are asked for; undefined when the ledger makes none of this name. */
  row?(name: string, books: Books): Made | undefined;
  /** The columns that the name of a row of `row` says. */
  keyIn?(name: string): Readonly<Record<string, string | number>>;
  /** The columns with a text of which a row of `row` has the SHA-256, and the form in which a handler reads it. */
  readonly forms?: Readonly<Record<string, TextForm>>;
  /** Tells from now on of each row that an entry changes, by its name. */
  watch?(told: (name: string) => void): void;
}

/** The fold of a table whose rows single entries make. */
export type FoldOf = (table: string) => RowFold;

/** Rows by their names: as much of a Map as they need. */
export interface Rows<Each> extends Iterable<[name: string, row: Each]> {
  get(name: string): Each | undefined;
  set(name: string, row: Each): unknown;
  delete(name: string): unknown;
}

/** Rows, and somebody who is told of each that changes. */
export function watchedRows<Each = Made>(rows: Rows<Each> = new Map()) {
  let tell: (name: string) => void = () => {};
  const put = rows.set.bind(rows);
  rows.set = (name, row) => {
    tell(name);
    put(name, row);
  };
  return {
    rows,
    watch(told: (name: string) => void): void {
      tell = told;
    },
  };
}
