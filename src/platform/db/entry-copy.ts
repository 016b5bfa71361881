import { CorruptEntry } from "../kernel/proof/packed.ts";
import type { Tx } from "./engine.ts";
import { entryStore, type WholeEntry } from "./entry-packing.ts";
import { inserting } from "./rows.ts";
import { type Cell, type Column, ENTRIES, type Table } from "./table-copy.ts";

/*
 * How entries are stored is no part of a copy: in it they are whole, as rows of one `ledger_entry` with those that have
 * no id yet, and the tables that they are packed with are left out.
 */

const insertPending = inserting("ledger_pending", {
  row_id: "bigint",
  kind: "text",
  ref: "text",
  body: "text",
  rules: "bigint",
});

/** Stores rows of a copy's `ledger_entry`. */
export function entryRowsInto(): (
  tx: Tx,
  table: Table,
  rows: readonly (readonly Cell[])[],
) => Promise<void> {
  const store = entryStore();
  return async (tx, { columns }, rows) => {
    const entries = rows.map(readerOf(columns));
    await store(tx, entries.filter(isPlaced));
    // A copy does not say which rules an entry without an id keeps: the first ones, so that it stands before later ones.
    await insertPending(
      tx,
      entries.flatMap((entry) => (isPlaced(entry) ? [] : [{ ...entry, rules: 1 }])),
    );
  };
}

const isPlaced = (entry: PendingRow | WholeEntry): entry is WholeEntry => "leaf" in entry;

interface PendingRow {
  readonly row_id: number;
  readonly kind: string;
  readonly ref: string;
  readonly body: string;
}

function readerOf(columns: readonly Column[]): (row: readonly Cell[]) => WholeEntry | PendingRow {
  const placeOf = (name: string) => columns.findIndex((column) => column.name === name);
  const row_id = placeOf("row_id");
  const kind = placeOf("kind");
  const ref = placeOf("ref");
  const body = placeOf("body");
  const ledger_id = placeOf("ledger_id");
  const at = placeOf("at");
  const leaf = placeOf("leaf");
  return (row) => {
    const named = { kind: String(row[kind]), ref: String(row[ref]) };
    const text = String(row[body]);
    const id = row[ledger_id] ?? null;
    if (id === null) return { row_id: Number(row[row_id]), ...named, body: text };
    const hash = row[leaf];
    if (!(hash instanceof Uint8Array)) throw new CorruptEntry(Number(id), "It has no leaf.");
    return {
      ledger_id: Number(id),
      at: Number(row[at]),
      ...named,
      body: JSON.parse(text),
      leaf: hash,
    };
  };
}

/** Where a copy reads the rows of a table: of entries only those that have no id yet. */
export const rowsOf = (table: string): string =>
  table === ENTRIES
    ? `(SELECT row_id, kind, ref, body, NULL AS ledger_id, NULL AS at, NULL AS entry, NULL AS leaf
        FROM ledger_pending) AS pending`
    : `"${table}"`;

/** SELECTs whose sum is the number of rows that a copy has of a table. */
export const countsOf = (table: string): readonly string[] =>
  (table === ENTRIES ? ["ledger_entry", "ledger_pending"] : [table]).map(
    (name) => `SELECT count(*) FROM "${name}"`,
  );
