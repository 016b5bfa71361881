import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

/** One file `NNNN-name.sql`. A released one is never edited, only followed by another. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sha256: string;
  readonly step: Step;
  readonly sql: string;
}

/**
 * The first line of a migration, `-- expand` or `-- contract`: after an expansion the program of before
 * still runs.
 */
type Step = "expand" | "contract";

/** What the database remembers of a migration: a row of `schema_migration`. */
export interface Applied extends Pick<Migration, "number" | "name" | "sha256"> {
  readonly step: string | null;
}

export const CREATE_RECORD = `CREATE TABLE IF NOT EXISTS schema_migration (
  number INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL,
  step TEXT)`;
/** Rows of `Applied`. */
export const READ_RECORD = "SELECT * FROM schema_migration ORDER BY number";

export function migrationsOf(engine: "sqlite" | "postgres"): readonly Migration[] {
  const folder = new URL(`./migrations/${engine}/`, import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  let last = 0;
  return files.sort().map((file) => {
    const name = file.slice(0, -".sql".length);
    const migration = migrationOf(name, readFileSync(new URL(file, folder), "utf8"));
    if (!(migration.number > last))
      throw new Error(`${engine} migration ${name} has no number of its own.`);
    last = migration.number;
    return migration;
  });
}

/** The migration that a file of this name and text is. */
export const migrationOf = (name: string, sql: string): Migration => ({
  number: Number(name.slice(0, 4)),
  name,
  sha256: createHash("sha256").update(sql).digest("hex"),
  step: stepOf(sql),
  sql,
});

const stepOf = (sql: string): Step => (sql.startsWith("-- expand\n") ? "expand" : "contract");

/** The names of those that a program which does not know them may ignore. */
export const expansionsOf = (applied: readonly Applied[]): readonly string[] =>
  applied.filter(({ step }) => step === "expand").map(({ name }) => name);

/** The names of all migrations that this program knows, in their order. */
export const knownMigrations = (engine: "sqlite" | "postgres"): readonly string[] =>
  migrationsOf(engine).map(({ name }) => name);

/**
 * The migrations still to run, or an error: this program must not guess at a schema it does not know,
 * unless everything that it does not know only expands the one that it knows.
 * Numbers may have gaps, because changes that are made side by side have numbers of their own; one
 * that comes later with a smaller number still runs.
 */
export function pending(
  known: readonly Migration[],
  applied: readonly Applied[],
): readonly Migration[] {
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
