import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { entryRowsInto } from "../entry-copy.ts";
import { type Applied, expansionsOf, READ_RECORD } from "../migrate.ts";
import {
  type Cell,
  type Described,
  type Draft,
  ENTRIES,
  isCopied,
  NoSchema,
  named,
  PAGE,
  type Snapshot,
  type Table,
  tablesOf,
} from "../table-copy.ts";
import { txOver } from "../transaction.ts";
import { dbOf, openConnection } from "./connection.ts";
import { refuseEndedFile } from "./ended.ts";
import { flushLogOf } from "./flush.ts";
import { migrateSqlite } from "./migrate.ts";

/** Rows of every table and index are put in one after another, so many pages are at hand. */
const CACHE_KIB = 65_536;

/** A service holds its locks for milliseconds. */
const BUSY_TIMEOUT_MS = 10_000;

const OWN = `name NOT LIKE 'sqlite_%' AND ${isCopied("name")}`;
const COLUMNS = `SELECT t.name AS "table", c.name, c.type, c.pk AS key
  FROM (SELECT name FROM sqlite_schema WHERE type = 'table' AND ${OWN}) t, pragma_table_info(t.name) c
  ORDER BY t.name, c.cid`;
const REFERENCES = `SELECT t.name AS "table", f."table" AS "to"
  FROM (SELECT name FROM sqlite_schema WHERE type = 'table' AND ${OWN}) t, pragma_foreign_key_list(t.name) f`;

const HAS_SCHEMA = "SELECT name FROM sqlite_schema WHERE name = 'schema_migration'";

/** The present state of a database file, which nobody has to stop using. Throws when it is none, or an EndedForm. */
export function sqliteSnapshot(path: string): Snapshot {
  refuseEndedFile(path);
  const connection = openConnection(path, "snapshot");
  const { database } = connection;
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; BEGIN`);
    if (database.prepare(HAS_SCHEMA).get() === undefined) throw new NoSchema();
    flushLogOf(path); // The service may not have flushed yet what this state has.
    const record = recordIn(database);
    const tables = describe(database);
    return {
      engine: "sqlite",
      schema: namesOf(record),
      expansions: expansionsOf(record),
      tables,
      read: dbOf(connection),
      scan: (query) => scan(database, query),
      async close() {
        connection.close();
      },
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * A database file that is written whole in one go, from an empty file or from a copy of another
 * database, whose schema is brought up to date. Only when `finish` has returned is it a database.
 */
export async function sqliteDraft(path: string): Promise<Draft> {
  const connection = openConnection(path, "writer");
  const { database } = connection;
  // An unfinished file is thrown away, so nothing in it needs to be undone or to survive.
  database.exec(
    `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -${CACHE_KIB}`,
  );
  const made = migrateSqlite(database);
  const schema = namesOf(recordIn(database));
  database.exec("BEGIN EXCLUSIVE");
  const tables = describe(database);
  if (made.length === schema.length) clear(database, tables);
  const db = dbOf(connection);
  const tx = txOver(db);
  const insertEntries = entryRowsInto();
  return {
    schema,
    tables,
    tx,
    async insert(table, rows) {
      if (table.name === ENTRIES) await insertEntries(tx, table, rows);
      else insert(database, table, rows);
    },
    end: async () => {}, // A new number is the largest and one more.
    async finish() {
      database.exec("COMMIT");
      connection.close();
    },
    async discard() {
      if (database.isOpen) connection.close();
    },
  };
}

/** Copies the present state of a database into an empty file. The copy is one file, without a log. */
export function vacuumInto(path: string, target: string): void {
  const { database, close } = openConnection(path, "snapshot");
  try {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    database.prepare("VACUUM INTO ?").run(target);
    flushLogOf(path); // So no copy has what a loss of power could still take back.
  } finally {
    close();
  }
}

/** Faults of a file, by SQLite's own checks and in what triggers keep; empty when it is sound. */
export function faultsOfFile(path: string): readonly string[] {
  const { database, close } = openConnection(path, "snapshot");
  try {
    const rows = database.prepare("PRAGMA integrity_check(10)").all();
    const faults = rows.map((row) => String(row["integrity_check"]));
    const lost = database.prepare("PRAGMA foreign_key_check").all();
    return [
      ...faults.filter((text) => text !== "ok"),
      ...lost.map((row) => `a row of ${row["table"]} refers to nothing`),
      ...viewsByAgent(database)
        .map((view) => listedIn(database, view))
        .filter(({ rows, listed, both }) => rows !== both || listed !== both)
        .map(({ view }) => `${view} is not what its table has`),
    ];
  } finally {
    close();
  }
}

const viewsByAgent = (database: DatabaseSync): readonly string[] =>
  database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'view' AND name GLOB '*_of_agent'")
    .all()
    .map(({ name }) => String(name));

/** What the lists of agents in a file have, view by view. */
export function listsByAgent(path: string): readonly ListByAgent[] {
  const { database, close } = openConnection(path, "snapshot");
  try {
    return viewsByAgent(database).map((view) => listedIn(database, view));
  } finally {
    close();
  }
}

/** Rows of a table, those that a view lists by agent, and those that both have. */
interface ListByAgent {
  readonly view: string;
  readonly rows: number;
  readonly listed: number;
  readonly both: number;
}

/** A view, and the table by whose name its own begins. */
function listedIn(database: DatabaseSync, view: string): ListByAgent {
  const table = view.slice(0, -"_of_agent".length);
  const counts = database
    .prepare(
      `SELECT (SELECT count(*) FROM ${table}) AS rows, (SELECT count(*) FROM ${view}) AS listed,
        (SELECT count(*) FROM ${view} AS o JOIN ${table} AS t ON t.id = o.id AND t.agent = o.agent) AS both`,
    )
    .get();
  const count = (name: string) => Number(counts?.[name]);
  return { view, rows: count("rows"), listed: count("listed"), both: count("both") };
}

/** Removes the rows that migrations made, in the place of which others come. */
function clear(database: DatabaseSync, tables: readonly Table[]): void {
  for (const { name } of tables) database.exec(`DELETE FROM "${name}"`);
}

const describe = (database: DatabaseSync): readonly Table[] =>
  tablesOf({
    columns: database.prepare(COLUMNS).all() as unknown as Described["columns"],
    references: database.prepare(REFERENCES).all() as unknown as Described["references"],
  });

const recordIn = (database: DatabaseSync) =>
  database.prepare(READ_RECORD).all() as unknown as readonly Applied[];

const namesOf = (record: readonly Applied[]): readonly string[] => record.map(({ name }) => name);

async function* scan(database: DatabaseSync, query: string): AsyncGenerator<Cell[][]> {
  const statement = database.prepare(query);
  statement.setReturnArrays(true);
  let page: Cell[][] = [];
  for (const row of statement.iterate()) {
    page.push(row as unknown as Cell[]);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

function insert(database: DatabaseSync, table: Table, rows: readonly (readonly Cell[])[]): void {
  const columns = table.columns.map(({ name }) => name);
  const values = columns.map(() => "?").join(", ");
  const statement = database.prepare(
    `INSERT INTO "${table.name}" (${named(columns)}) VALUES (${values})`,
  );
  for (const row of rows) statement.run(...(row as SQLInputValue[]));
}
