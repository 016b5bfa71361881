import { DatabaseSync } from "node:sqlite";
import type { Tx } from "../engine.ts";
import { type Moved, moveEntries } from "../entry-move.ts";
import {
  type Applied,
  CREATE_RECORD,
  demandFew,
  isNarrow,
  type Moving,
  migrationsOf,
  OLD_TABLE,
  type OldEntries,
  pending,
  READ_RECORD,
  WIDEN_RECORD,
} from "../migrate.ts";
import { connectionOf, dbOf } from "./connection.ts";
import { spaceAt } from "./disk.ts";

/** A process that migrates at the same time holds its locks for so long at most. */
const MIGRATION_WAIT_MS = 60_000;

/**
 * Brings a SQLite database up to this program's schema, all or nothing, and then its entries into their
 * present form; a process that migrates at the same time waits. Resolves to the names of what it applied.
 * Rejects when the database is newer than the program by more than expansions, or when a past migration
 * was altered; with a TooManyEntries before it changes anything.
 */
export async function migrateSqlite(
  database: DatabaseSync,
  moving: Moving = {},
): Promise<readonly string[]> {
  const timeout_ms = pragmaOf(database, "busy_timeout", "timeout");
  const keys = pragmaOf(database, "foreign_keys", "foreign_keys");
  // A table that is made anew keeps what refers to it only without them (0060).
  database.exec(`PRAGMA busy_timeout = ${MIGRATION_WAIT_MS}; PRAGMA foreign_keys = OFF`);
  try {
    const names = schemaOfSqlite(database, moving);
    if (hasTable(database, OLD_TABLE)) await moveEntries(sqliteMove(database, moving));
    return names;
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeout_ms}; PRAGMA foreign_keys = ${keys}`);
  }
}

const pragmaOf = (database: DatabaseSync, pragma: string, column: string): number =>
  Number(database.prepare(`PRAGMA ${pragma}`).get()?.[column] ?? 0);

const hasTable = (database: DatabaseSync, name: string): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(name) !== undefined;

/** Entries in their old form, in whichever table. */
function oldEntriesInSqlite(database: DatabaseSync): number {
  const table = hasTable(database, OLD_TABLE) ? OLD_TABLE : "ledger_entry";
  const columns = database.prepare("SELECT name FROM pragma_table_info(?)").all(table);
  if (!columns.some(({ name }) => name === "entry")) return 0;
  return Number(database.prepare(`SELECT count(ledger_id) AS n FROM ${table}`).get()?.["n"]);
}

function schemaOfSqlite(database: DatabaseSync, moving: Moving): readonly string[] {
  database.exec("BEGIN IMMEDIATE");
  try {
    demandFew(oldEntriesInSqlite(database), moving); // Nobody drops their table meanwhile.
    database.exec(CREATE_RECORD);
    const applied = database.prepare(READ_RECORD).all() as unknown as Applied[];
    const migrations = pending(migrationsOf("sqlite"), applied);
    if (migrations.length > 0 && isNarrow(applied)) database.exec(WIDEN_RECORD);
    for (const { number, name, sha256, step, sql } of migrations) {
      database
        .prepare("INSERT INTO schema_migration VALUES (?, ?, ?, ?)")
        .run(number, name, sha256, step);
      database.exec(sql);
    }
    database.exec("COMMIT");
    return migrations.map(({ name }) => name);
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function sqliteMove(database: DatabaseSync, { report = () => {} }: Moving): Moved {
  const tx: Tx = { ...dbOf(connectionOf(database)), writable: true, entries: [] };
  return {
    deletes: true,
    report,
    isLeft: () => hasTable(database, OLD_TABLE),
    async transaction(work) {
      database.exec("BEGIN IMMEDIATE");
      try {
        const result = await work(tx);
        database.exec("COMMIT");
        return result;
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
    },
    async end() {
      database.exec(`DROP TABLE ${OLD_TABLE}`);
    },
  };
}

/** Freed pages take what is stored anew; the log of a slice is what comes on top. */
const NEEDED_BYTES = 64 * 1024 ** 2;

/** What a database file has in an earlier form; rejects with a sentence when it cannot be used. */
export async function sqliteOldEntries<T>(
  path: string,
  work: (old: OldEntries) => Promise<T>,
): Promise<T> {
  const { database, entries } = openedFor(path);
  try {
    return await work({
      entries,
      needed_bytes: entries === 0 ? 0 : NEEDED_BYTES,
      free_bytes: spaceAt(path).free_bytes,
      move: async (report) => void (await migrateSqlite(database, { report })),
    });
  } finally {
    database.close();
  }
}

function openedFor(path: string): { readonly database: DatabaseSync; readonly entries: number } {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: MIGRATION_WAIT_MS });
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    return { database, entries: oldEntriesInSqlite(database) };
  } catch (error) {
    database?.close();
    const why = error instanceof Error ? error.message : error;
    throw new Error(`The database ${path} cannot be used: ${why}.`, { cause: error });
  }
}
