import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { connectionOf, dbOf } from "../../../platform/db/sqlite/connection.ts";
import { migrateSqlite } from "../../../platform/db/sqlite/migrate.ts";
import { UNSEALED } from "../../../platform/ledger/rows/told.ts";
import { sha256Hex } from "../../../platform/ledger/sha256.ts";
import { type Cells, isEither, isText, isTime } from "./cells.ts";
import { placeholder } from "./placeholders.ts";

/** The first or the second one. */
export type Filling = 0 | 1;

/** By a multiple of this a time that is only nearly known is another one in the second filling. */
export const STRIDE_S = 251;
/** Rows of one second that get times of their own there. */
const TIES = 65_536;

/** Beyond the numbers of rows that a network has. */
const NUMBERS = 1_000_000_000;

const BLOB_BYTES = 16;

/** Columns with the number of an agent's row beside those that refer to one: for an order that no entry tells. */
const NUMBERED: readonly string[] = ["agent.id", "profile_capability.last_seen_at"];

/** A column that a projector keeps once its row is there. */
const KEPT: Readonly<Record<string, string>> = { market_offer: "listed" };

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isNeeded: boolean;
  /** It has the number of an agent's row. */
  readonly isAgent: boolean;
}

interface Table {
  readonly columns: readonly Column[];
  store(values: readonly SQLInputValue[]): void;
}

/**
 * A database with the rows that the ledger makes. What it leaves open differs between the two fillings:
 * agents' numbers, texts' lengths, private columns; times of rows stand in the reverse order.
 */
export async function filledDatabase(path: string, filling: Filling) {
  const database = await newDatabase(path);
  const tables = new Map<string, Table>();
  const values = valuesOf(filling);
  const connection = connectionOf(database);
  return {
    connection,
    read: dbOf(connection),
    numberOf: values.numberOf,

    /** Stores a row, in the place of the one with its key. */
    put(name: string, cells: Cells): void {
      const table = tables.get(name) ?? tableIn(database, name);
      tables.set(name, table);
      table.store(values.row(table.columns, cells));
    },
    begin: () => database.exec("BEGIN"),
    commit: () => database.exec("COMMIT"),
    close: () => database.close(),
  };
}

export type Filled = Awaited<ReturnType<typeof filledDatabase>>;

/** An empty one that is fast, and gone with its process. */
async function newDatabase(path: string): Promise<DatabaseSync> {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = memory");
  migrateSqlite(database);
  database.exec("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON");
  return database;
}

function tableIn(database: DatabaseSync, table: string): Table {
  const agents = new Set(
    database
      .prepare(
        `SELECT "from" AS name FROM pragma_foreign_key_list(?) WHERE "table" = 'agent' AND "to" = 'id'`,
      )
      .all(table)
      .map(({ name }) => String(name)),
  );
  const columns = database
    .prepare(`SELECT name, type, "notnull" AS needed FROM pragma_table_info(?)`)
    .all(table)
    .map(({ name, type, needed }) => ({
      name: String(name),
      type: String(type),
      isNeeded: needed === 1,
      isAgent: agents.has(String(name)) || NUMBERED.includes(`${table}.${name}`),
    }));
  const names = columns.map(({ name }) => name);
  const changed = names.filter((name) => name !== KEPT[table]);
  const statement = database.prepare(
    `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})
     ON CONFLICT DO UPDATE SET ${changed.map((name) => `${name} = excluded.${name}`).join(", ")}`,
  );
  return { columns, store: (values) => void statement.run(...values) };
}

/** The values of rows, in one of the fillings. */
function valuesOf(filling: Filling) {
  const numbers = new Map<string, number>();
  let [n, first_at] = [0, 0];

  const knownOf = (agent_id: string): number => {
    const known = numbers.get(agent_id) ?? numbers.size + 1;
    numbers.set(agent_id, known);
    return known;
  };

  const numberOf = (agent_id: string): number =>
    filling === 0 ? knownOf(agent_id) : NUMBERS - knownOf(agent_id);

  /** Rows of one second are listed by their numbers. */
  function tieOf({ id, repository, agent }: Cells): number {
    if (typeof id === "number") return id;
    return typeof repository === "number" ? repository + knownOf(String(agent)) : n;
  }

  function timeNear(at: number, cells: Cells): number {
    if (first_at === 0) first_at = at;
    if (filling === 0) return at;
    return at - STRIDE_S * ((at - first_at) * TIES + (tieOf(cells) % TIES) + 1);
  }

  /** Something that no entry says. */
  function anything({ type, isNeeded }: Column): SQLInputValue {
    if (filling === 0 && !isNeeded) return null;
    if (type === "INTEGER") return filling * (NUMBERS + n);
    if (type === "TEXT") return filling === 0 ? "" : `other ${n}`;
    return new Uint8Array(BLOB_BYTES).fill(filling);
  }

  function cellIn(column: Column, cells: Cells): SQLInputValue {
    const cell = Object.hasOwn(cells, column.name) ? cells[column.name] : UNSEALED;
    if (cell === null || cell === undefined) return column.isNeeded ? anything(column) : null;
    if (typeof cell === "symbol") return anything(column);
    if (isEither(cell)) return cell[filling];
    if (isText(cell)) return placeholder(cell.form, cell.sealed, filling);
    if (isTime(cell)) return timeNear(cell.near, cells);
    if (column.isAgent) return numberOf(String(cell));
    return column.type === "TEXT" ? String(cell) : cell;
  }

  return {
    numberOf,
    row(columns: readonly Column[], cells: Cells): readonly SQLInputValue[] {
      n++;
      const values = new Map(columns.map((column) => [column.name, cellIn(column, cells)]));
      for (const [name, figureOf] of Object.entries(FIGURES))
        if (values.has(name)) values.set(name, figureOf(values) || (values.get(name) ?? null));
      return [...values.values()];
    },
  };
}

/** Figures of a text that its row keeps beside it: of a placeholder, they are the placeholder's. */
const FIGURES: Readonly<
  Record<string, (row: ReadonlyMap<string, SQLInputValue>) => number | string>
> = {
  payload_bytes: (row) => Buffer.byteLength(`${row.get("payload")}`),
  content_sha256: (row) => sha256Hex(`${row.get("body")}`),
};
