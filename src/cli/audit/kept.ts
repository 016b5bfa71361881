import type { Books } from "./books.ts";
import type { Entry } from "./entry.ts";
import type { Figures } from "./figures.ts";

/** A stored row: numbers and texts by column; bytes are base64url. */
export type Row = Readonly<Record<string, string | number | null>>;

/** The agent whose row has a number; the ledger knows it by its name alone. */
export type AgentOf = (number: Value) => string;

/** A table whose rows follow from the ledger. */
export interface KeptTable {
  readonly table: string;
  /** Rows of the ledger's head are kept by the sequencing; others also hold what has no id yet. */
  readonly stands: "at_head" | "at_commit";
  /** The name of a stored row and its figures; figures that count nothing are empty. */
  stored(row: Row, agentOf: AgentOf): readonly [name: string, figures: string];
  /** Told of every entry, after the books. */
  add?(entry: Entry): void;
  /** The rows that the ledger makes. */
  made(books: Books): Figures;
}

export type Value = string | number | bigint | null | undefined;

/** Figures of a row, as one text. */
export const shown = (figures: Readonly<Record<string, Value>>): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${value ?? "-"}`)
    .join(", ");

/** The same of columns of a stored row. */
export const columns = (row: Row, ...names: readonly string[]): string =>
  shown(Object.fromEntries(names.map((name) => [name, row[name]])));

/** Rows of a table, each with a number that is its id. */
export const rowName = (table: string, id: Value): string => `${table} ${id}`;
