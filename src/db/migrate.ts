import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { ClientBase } from "pg";

/** One file `NNNN-name.sql`. A released one is never edited, only followed by another. */
interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sha256: string;
  readonly step: Step | null;
  readonly sql: string;
}

/**
 * The first line of a migration, `-- expand` or `-- contract`: after an expansion the program of before
 * still runs. Null in those that are older than the rule.
 */
type Step = "expand" | "contract";

/** What the database remembers of a migration: a row of `schema_migration`. */
export interface Applied extends Pick<Migration, "number" | "name" | "sha256"> {
  /** Without it where no program has written since the rule. */
  readonly step?: string | null;
}

const MIGRATION_WAIT_MS = 60_000;
/** Names the lock that migrating processes take; any number nobody else uses will do. */
const MIGRATION_LOCK = 7_203_011;

const CREATE_RECORD = `CREATE TABLE IF NOT EXISTS schema_migration (
  number INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL,
  step TEXT)`;
const WIDEN_RECORD = "ALTER TABLE schema_migration ADD COLUMN step TEXT";
/** Rows of `Applied`, also where the record is an older one. */
export const READ_RECORD = "SELECT * FROM schema_migration ORDER BY number";

function migrationsOf(engine: "sqlite" | "postgres"): readonly Migration[] {
  const folder = new URL(`./migrations/${engine}/`, import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  let last = 0;
  return files.sort().map((file) => {
    const name = file.slice(0, -".sql".length);
    const number = Number(name.slice(0, 4));
    if (!(number > last)) throw new Error(`${engine} migration ${name} has no number of its own.`);
    last = number;
    const sql = readFileSync(new URL(file, folder), "utf8");
    const sha256 = createHash("sha256").update(sql).digest("hex");
    return { number, name, sha256, step: stepOf(sql), sql };
  });
}

function stepOf(sql: string): Step | null {
  const [first = ""] = sql.split("\n", 1);
  if (first === "-- expand") return "expand";
  return first === "-- contract" ? "contract" : null;
}

/** The names of those that a program which does not know them may ignore. */
export const expansionsOf = (applied: readonly Applied[]): readonly string[] =>
  applied.filter(({ step }) => step === "expand").map(({ name }) => name);

const isNarrow = (applied: readonly Applied[]): boolean =>
  applied.some(({ step }) => step === undefined);

/** The names of all migrations that this program knows, in their order. */
export const knownMigrations = (engine: "sqlite" | "postgres"): readonly string[] =>
  migrationsOf(engine).map(({ name }) => name);

/**
 * The migrations still to run, or an error: this program must not guess at a schema it does not know,
 * unless everything that it does not know only expands the one that it knows.
 * Numbers may have gaps, because changes that are made side by side have numbers of their own; one
 * that comes later with a smaller number still runs.
 */
function pending(known: readonly Migration[], applied: readonly Applied[]): readonly Migration[] {
  const newest = known.at(-1)?.name ?? "none";
  for (const past of applied) {
    const ours = known.find(({ number }) => number === past.number);
    if (ours === undefined && past.step === "expand") continue;
    if (ours?.name !== past.name)
      throw new Error(
        `The database has migration ${past.name} but this program knows ${ours?.name ?? `none after ${newest}`}: start a program that is at least as new as the database.`,
      );
    if (ours.sha256 !== past.sha256)
      throw new Error(
        `Migration ${past.name} was changed after the database applied it (${past.sha256.slice(0, 12)} there, ${ours.sha256.slice(0, 12)} here): restore the file and put the change in a new migration.`,
      );
  }
  const past = new Set(applied.map(({ number }) => number));
  return known.filter(({ number }) => !past.has(number));
}

/**
 * Brings a SQLite database up to this program's schema, all or nothing; a process that migrates at
 * the same time waits. Returns the names of what it applied. Throws when the database is newer than
 * the program by more than expansions, or when a past migration was altered.
 */
export function migrateSqlite(database: DatabaseSync): readonly string[] {
  const timeout_ms = Number(database.prepare("PRAGMA busy_timeout").get()?.["timeout"] ?? 0);
  database.exec(`PRAGMA busy_timeout = ${MIGRATION_WAIT_MS}; BEGIN IMMEDIATE`);
  try {
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
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeout_ms}`);
  }
}

/**
 * Brings a PostgreSQL database up to this program's schema, all or nothing; a process that migrates
 * at the same time waits. Resolves to the names of what it applied. Rejects like `migrateSqlite`.
 */
export async function migratePostgres(client: ClientBase): Promise<readonly string[]> {
  // Reads see what the process committed that held the lock before.
  await client.query("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
  try {
    await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await client.query(CREATE_RECORD);
    const { rows } = await client.query<Applied>(READ_RECORD);
    const migrations = pending(migrationsOf("postgres"), rows);
    if (migrations.length > 0 && isNarrow(rows)) await client.query(WIDEN_RECORD);
    for (const { number, name, sha256, step, sql } of migrations) {
      await client.query("INSERT INTO schema_migration VALUES ($1, $2, $3, $4)", [
        number,
        name,
        sha256,
        step,
      ]);
      await client.query(sql);
    }
    await client.query("COMMIT");
    return migrations.map(({ name }) => name);
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}
