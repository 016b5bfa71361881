import type { DatabaseSync } from "node:sqlite";
import { EndedForm, isEndedSchema } from "../../kernel/ended-form.ts";
import {
  type Applied,
  CREATE_RECORD,
  type Migration,
  migrationsOf,
  pending,
  READ_RECORD,
} from "../migrate.ts";

/** A process that migrates at the same time holds its locks for so long at most. */
const MIGRATION_WAIT_MS = 60_000;

/**
 * Brings a SQLite database up to the migrations that are known, this program's, all or nothing; a process that migrates at the same time
 * waits. Returns the names of what it applied. Throws when the database is newer than the program by more than
 * expansions, or when a past migration was altered; an EndedForm when it is of a version before 0.3.0.
 */
export function migrateSqlite(
  database: DatabaseSync,
  known: readonly Migration[] = migrationsOf("sqlite"),
): readonly string[] {
  const timeout_ms = pragmaOf(database, "busy_timeout", "timeout");
  const keys = pragmaOf(database, "foreign_keys", "foreign_keys");
  // A table that is made anew keeps what refers to it only without them.
  database.exec(`PRAGMA busy_timeout = ${MIGRATION_WAIT_MS}; PRAGMA foreign_keys = OFF`);
  try {
    return broughtTo(known, database);
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeout_ms}; PRAGMA foreign_keys = ${keys}`);
  }
}

const pragmaOf = (database: DatabaseSync, pragma: string, column: string): number =>
  Number(database.prepare(`PRAGMA ${pragma}`).get()?.[column] ?? 0);

function broughtTo(known: readonly Migration[], database: DatabaseSync): readonly string[] {
  database.exec("BEGIN IMMEDIATE");
  try {
    database.exec(CREATE_RECORD);
    const applied = database.prepare(READ_RECORD).all() as unknown as Applied[];
    if (isEndedSchema(applied.map(({ name }) => name)))
      throw new EndedForm(`The database ${database.location()}`);
    const migrations = pending(known, applied);
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
