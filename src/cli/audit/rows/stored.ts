import { columnsOf } from "../../../domains/rows.ts";
import { fileSnapshot } from "../../../main/storage/database.ts";
import { rowsOf } from "../../../platform/db/entry-copy.ts";
import type { Cell, Table } from "../../../platform/db/table-copy.ts";
import { bodyText, type EntryBody } from "../../../platform/kernel/proof/entry.ts";
import { DETERMINED } from "../../../platform/ledger/rows/columns.ts";
import type { Row } from "../../../platform/ledger/rows/told.ts";
import { isDatabaseFile } from "../../command/lines.ts";
import { Stop, UNREADABLE } from "../../command/stop.ts";
import { openExport } from "../../transfer/export-reader.ts";

/** A row of one of the tables that were asked for. */
interface StoredRow {
  readonly table: string;
  readonly row: Row;
}

/**
 * The rows of some tables in a database file or an export; in `ledger_entry` those that had no id
 * yet. A Stop when the file holds none, or when an export was changed after it was written.
 */
export async function* storedRows(
  path: string,
  tables: ReadonlySet<string>,
): AsyncGenerator<StoredRow> {
  yield* (await isDatabaseFile(path)) ? databaseRows(path, tables) : exportRows(path, tables);
}

async function* databaseRows(path: string, tables: ReadonlySet<string>): AsyncGenerator<StoredRow> {
  const snapshot = fileSnapshot(path);
  const columnsIn = ({ columns }: Table) => columns.map((column) => column.name);
  try {
    demandColumns(
      path,
      tables,
      new Map(snapshot.tables.map((each) => [each.name, columnsIn(each)])),
    );
    for (const { name, columns } of snapshot.tables.filter((table) => tables.has(table.name))) {
      const names = columns.map((column) => column.name);
      const rest = name === UNSEQUENCED ? "ORDER BY row_id" : "";
      for await (const page of snapshot.scan(`SELECT * FROM ${rowsOf(name)} ${rest}`))
        for (const cells of page) yield { table: name, row: rowOf(names, cells) };
    }
  } finally {
    await snapshot.close();
  }
}

/** Of the ledger's own table only what has no place in the ledger yet is a row here. */
export const UNSEQUENCED = "ledger_entry";

async function* exportRows(path: string, tables: ReadonlySet<string>): AsyncGenerator<StoredRow> {
  const { header, records } = await openExport(path);
  const namesOf = new Map(header.tables.map(({ name, columns }) => [name, columns]));
  demandColumns(path, tables, namesOf);
  for await (const record of records) {
    if (record.type !== "row" || !tables.has(record.table)) continue;
    const names = namesOf.get(record.table);
    if (names === undefined) throw new Stop(UNREADABLE, `${path} names a table that it lacks.`);
    yield { table: record.table, row: rowOf(names, record.cells) };
  }
}

/** A file that an earlier version wrote lacks columns that are compared by now. A Stop names the first. */
function demandColumns(
  path: string,
  tables: ReadonlySet<string>,
  held: ReadonlyMap<string, readonly string[]>,
): void {
  const lacks = columnsOf(...DETERMINED).find(
    ([table, column]) =>
      table !== UNSEQUENCED && tables.has(table) && !held.get(table)?.includes(column),
  );
  if (lacks === undefined) return;
  throw new Stop(
    UNREADABLE,
    `${path} was written by an earlier version: it has no column ${lacks.join(".")}. Audit it with that version, or start this version on the database and audit that. \`cairn verify\` reads its chain as it is.`,
  );
}

/** A row by column; bytes are base64url, as an export has them. */
const rowOf = (names: readonly string[], cells: readonly Cell[]): Row =>
  Object.fromEntries(
    names.map((name, i) => {
      const cell = cells[i] ?? null;
      return [name, cell instanceof Uint8Array ? Buffer.from(cell).toString("base64url") : cell];
    }),
  );

/** An entry that has no id yet, as the row that it is. */
export function waitingEntry({ kind, ref, body }: Row) {
  const parsed: EntryBody = JSON.parse(String(body));
  bodyText(parsed); // Throws on what no entry may hold.
  return { kind: String(kind), ref: String(ref), body: parsed };
}
