import { sha256Hex, sha256IfAny } from "../../ledger/sha256.ts";
import type { Books } from "./books.ts";
import type { Entry } from "./entry.ts";
import { type AgentOf, type KeptTable, type Row, rowName, shown, type Value } from "./kept.ts";

export type Figures = Readonly<Record<string, Value>>;

/** A table with a row for each entry of a kind. */
interface Shape {
  readonly table: string;
  readonly kind: string;
  /** The name of a row, as its columns and as its entry say it. */
  readonly id: { readonly row: (row: Row) => string; readonly entry: (entry: Entry) => string };
  /** Columns by the field of the body that has the same value; both may lack it. */
  readonly columns: Readonly<Record<string, string>>;
  /** Columns that name an agent by the number of its row. */
  readonly agents?: readonly string[];
  /** Figures that are more than a field of the body. */
  readonly more?: {
    readonly row: (row: Row) => Figures;
    readonly entry: (entry: Entry) => Figures;
  };
  /** What later entries change: of which row one speaks, if of any, and its figures from then on. */
  readonly later?: {
    readonly of: (entry: Entry) => string | null;
    readonly figures: (entry: Entry, before: Figures) => Figures;
  };
}

/** A row as its entries have it, column by column. */
export function entryRows(shape: Shape): KeptTable {
  const { table, kind, id, columns, agents = [], more, later } = shape;
  const rows = new Map<string, Figures>();
  const names = Object.entries(columns);
  return {
    table,
    stands: "at_commit",
    stored: (row, agentOf) => {
      const value = (column: string) =>
        agents.includes(column) ? agentIn(row, column, agentOf) : row[column];
      const own = Object.fromEntries(names.map(([column]) => [column, value(column)]));
      return [id.row(row), shown({ ...own, ...more?.row(row) })];
    },
    add(entry) {
      const { body } = entry;
      if (entry.kind === kind) {
        const own = Object.fromEntries(names.map(([column, field]) => [column, body[field]]));
        rows.set(id.entry(entry), { ...own, ...more?.entry(entry) });
      }
      const name = later?.of(entry) ?? "";
      const before = rows.get(name);
      if (before !== undefined) rows.set(name, { ...before, ...later?.figures(entry, before) });
    },
    made: () => new Map([...rows].map(([name, figures]) => [name, shown(figures)])),
  };
}

/** Rows with figures beside, which all entries together make. */
export function withFigures(
  rows: KeptTable,
  row: (row: Row) => Figures,
  made: (books: Books) => Iterable<readonly [name: string, figures: Figures]>,
): KeptTable {
  return {
    ...rows,
    stored: (stored, agentOf) => {
      const [name, figures] = rows.stored(stored, agentOf);
      return [name, `${figures}, ${shown(row(stored))}`];
    },
    made: (books) => {
      const own = rows.made(books);
      return new Map(
        [...made(books)].map(([name, figures]) => [name, `${own.get(name)}, ${shown(figures)}`]),
      );
    },
  };
}

/** The name of an agent whose row has the number in a column; nothing where that is empty. */
const agentIn = (row: Row, column: string, agentOf: AgentOf): Value =>
  row[column] === null ? null : agentOf(row[column]);

/** Rows with a number of their own, which stands in the entry under a name. */
export const numbered = (name: string, field: string) => ({
  row: (row: Row) => rowName(name, row["id"]),
  entry: ({ body }: Entry) => rowName(name, body[field]),
});

/** Rows that are counted within an order; without a number there is one of them. */
export const ofOrder = (name: string) => {
  const named = (order_id: Value, n: Value) =>
    rowName(name, n === undefined ? order_id : `${order_id}/${n}`);
  return {
    row: (row: Row) => named(row["order_id"], row["n"]),
    entry: ({ body }: Entry) => named(body["order_id"], body["n"]),
  };
};

/** The name of a transfer as a hash, for that is all that the ledger has where it is free text. */
export const transferName = {
  row: ({ txid }: Row) => ({ txid: txid === null ? null : sha256Hex(String(txid)) }),
  entry: ({ body: { txid, txid_sha256 } }: Entry) => ({
    txid: txid_sha256 ?? sha256IfAny(txid === undefined ? txid : String(txid)),
  }),
};
