import {
  type Cell,
  type Column,
  type Draft,
  PAGE,
  type Table,
} from "../../platform/db/table-copy.ts";
import { flatJson } from "../../platform/kernel/proof/entry.ts";
import type { ChainRecord } from "../../verify/shapes.ts";
import { NOBODY, type Pins, type Walked, walkChain } from "../../verify/walk.ts";
import { REFUSED, Stop } from "../command/stop.ts";
import type { ExportFile } from "./export-reader.ts";
import type { ExportHeader } from "./export-records.ts";

type Filled = Pick<Draft, "schema" | "tables" | "insert" | "end">;

/** Puts an export into a draft while its chain is walked. A Stop when they do not fit. */
export async function fillDraft(
  draft: Filled,
  { header, records }: ExportFile,
  pins: Pins,
  report: (rows: number) => void,
): Promise<Walked> {
  demandSchema(draft, header);
  const rows = rowsInto(draft, report);
  const columnsOf = new Map(header.tables.map(({ name, columns }) => [name, columns]));

  async function* chain(): AsyncGenerator<ChainRecord> {
    for await (const record of records) {
      if (record.type === "row") {
        const names = columnsOf.get(record.table) ?? [];
        await rows.add(record.table, ({ name }) => record.cells[names.indexOf(name)]);
        continue;
      }
      const { type: _, ...fields } =
        record.type === "seal"
          ? record
          : { ...record, ledger_id: record.id, body: flatJson(record.body) };
      const values = new Map<string, unknown>(Object.entries(fields));
      const table = record.type === "seal" ? "seal" : "ledger_entry";
      await rows.add(table, ({ name, type }) => {
        const value = values.get(name);
        return type === "blob" && typeof value === "string" ? fromHex(value) : value;
      });
      yield record;
    }
  }

  const walked = await walkChain({ header, records: chain() }, pins, NOBODY);
  await rows.end(header);
  return walked;
}

/** An export fits the program that made it, and every other one with the same schema. */
function demandSchema({ schema, tables }: Filled, header: ExportHeader): void {
  if (schema.join() !== header.schema.join()) {
    const theirs = header.schema.at(-1);
    const ours = schema.at(-1);
    throw new Stop(
      REFUSED,
      `The export was made by another version: its schema ends with ${theirs}, this program's with ${ours}. Import it with the version that made it; the next start brings it up to date.`,
    );
  }
  const sorted = (names: readonly string[]) => [...names].sort().join();
  const shape = (of: Iterable<{ name: string; columns: readonly string[] }>) =>
    sorted([...of].map(({ name, columns }) => `${name} ${sorted(columns)}`));
  const own = tables.map(({ name, columns }) => ({ name, columns: columns.map((c) => c.name) }));
  if (shape(own) !== shape(header.tables)) {
    throw new Stop(REFUSED, "The export has other tables than its schema says.");
  }
}

/** Gathers rows to pages; a row may refer to those of earlier tables, so these go first. */
function rowsInto(draft: Filled, report: (rows: number) => void) {
  const tables = new Map(draft.tables.map((table) => [table.name, table]));
  const waiting = new Map<Table, Cell[][]>();
  const counts = new Map<string, number>();

  async function flush(table: Table, rows: Cell[][]): Promise<void> {
    waiting.delete(table);
    try {
      await draft.insert(table, rows);
    } catch (error) {
      const why = error instanceof Error ? error.message : error;
      throw new Stop(REFUSED, `Rows of ${table.name} were refused: ${why}.`, error);
    }
    counts.set(table.name, (counts.get(table.name) ?? 0) + rows.length);
    report(rows.length);
  }

  async function flushAll(): Promise<void> {
    for (const [table, rows] of [...waiting]) await flush(table, rows);
  }

  return {
    async add(name: string, value: (column: Column) => unknown): Promise<void> {
      const table = tables.get(name);
      if (table === undefined) throw new Stop(REFUSED, `There is no table ${name}.`);
      const known = waiting.get(table);
      // Entries and seals come in turns; the rows of any other table come together.
      if (known === undefined && name !== "seal" && name !== "ledger_entry") await flushAll();
      const rows = known ?? [];
      rows.push(table.columns.map((column) => cellOf(column, value(column))));
      if (known === undefined) waiting.set(table, rows);
      if (rows.length === PAGE) await flush(table, rows);
    },
    async end(header: ExportHeader): Promise<void> {
      await flushAll();
      for (const { name, rows } of header.tables) {
        const found = counts.get(name) ?? 0;
        if (found === rows) continue;
        throw new Stop(REFUSED, `The export has ${found} rows of ${name} and names ${rows}.`);
      }
      await draft.end();
    },
  };
}

function cellOf({ type }: Column, value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return value;
  if (type === "blob") return Buffer.from(String(value), "base64url");
  return typeof value === "number" ? value : String(value);
}

const fromHex = (text: string): Uint8Array => Buffer.from(text, "hex");
