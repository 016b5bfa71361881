import { createHash } from "node:crypto";
import { countsOf, rowsOf } from "../../platform/db/entry-copy.ts";
import { type Cell, named, type Snapshot, type Table } from "../../platform/db/table-copy.ts";
import { hex, showSeal } from "../../platform/ledger/seals/seals.ts";
import { type EntryRow, streamLedger } from "../../platform/ledger/stream.ts";
import { databaseHeader } from "../verify/database-chain.ts";
import { type ExportHeader, lineOf } from "./export-records.ts";

/** Characters that are handed on together. */
const CHUNK = 64 * 1024;

/** The contents of an export: everything, with the number of rows of each table. */
export async function headerOf(snapshot: Snapshot): Promise<ExportHeader> {
  const tables: ExportHeader["tables"] = [];
  for (const { name, columns } of snapshot.tables) {
    let rows = 0;
    for (const count of countsOf(name))
      for await (const page of snapshot.scan(count)) rows += Number(page[0]?.[0]);
    tables.push({ name, columns: columns.map((column) => column.name), rows });
  }
  return { ...(await databaseHeader(snapshot.read)), schema: [...snapshot.schema], tables };
}

/** The whole text of an export, in pieces; `report` gets the number of rows in each. */
export async function* exportText(
  snapshot: Snapshot,
  header: ExportHeader,
  report: (rows: number) => void,
): AsyncGenerator<string> {
  const hash = createHash("sha256");
  let lines = 0;
  let reported = 1; // The header is no row.
  let chunk = "";
  const take = (): string => {
    const text = chunk;
    hash.update(text);
    report(lines - reported);
    [chunk, reported] = ["", lines];
    return text;
  };
  for await (const json of recordsOf(snapshot, header)) {
    chunk += lineOf(json);
    lines++;
    if (chunk.length >= CHUNK) yield take();
  }
  yield take();
  yield lineOf(JSON.stringify({ type: "end", lines, sha256: hash.digest("hex") }));
}

async function* recordsOf(snapshot: Snapshot, header: ExportHeader): AsyncGenerator<string> {
  yield JSON.stringify(header);
  for await (const row of streamLedger(snapshot.read)) {
    yield "seal" in row
      ? JSON.stringify({ type: "seal", ...showSeal(row.seal) })
      : entryJson(row.entry);
  }
  for (const table of snapshot.tables) {
    if (table.name !== "seal") yield* tableRecords(snapshot, table);
  }
}

/** The body is JSON already. */
function entryJson({ body, leaf, ...entry }: EntryRow): string {
  const rest = JSON.stringify({ leaf: hex(leaf), text: {}, ...entry });
  return `{"type":"entry","body":${body},${rest.slice(1)}`;
}

async function* tableRecords(snapshot: Snapshot, table: Table): AsyncGenerator<string> {
  const columns = named(table.columns.map(({ name }) => name));
  const query = `SELECT ${columns} FROM ${rowsOf(table.name)} ORDER BY ${named(table.key)}`;
  for await (const page of snapshot.scan(query)) {
    for (const row of page) {
      yield JSON.stringify({ type: "row", table: table.name, cells: row.map(shown) });
    }
  }
}

const shown = (cell: Cell): null | number | string =>
  cell instanceof Uint8Array ? Buffer.from(cell).toString("base64url") : cell;
