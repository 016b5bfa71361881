import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

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

/** Entries in the form of versions before PACKED_ENTRIES, until they are moved. */
export const OLD_TABLE = "ledger_entry_v1";

export const CREATE_RECORD = `CREATE TABLE IF NOT EXISTS schema_migration (
  number INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL,
  step TEXT)`;
export const WIDEN_RECORD = "ALTER TABLE schema_migration ADD COLUMN step TEXT";
/** Rows of `Applied`, also where the record is an older one. */
export const READ_RECORD = "SELECT * FROM schema_migration ORDER BY number";

export function migrationsOf(engine: "sqlite" | "postgres"): readonly Migration[] {
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

export const isNarrow = (applied: readonly Applied[]): boolean =>
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

/** How entries are stored is seen by nobody who copies rows: it is no part of a copy's schema. */
export const PACKED_ENTRIES = "0060-packed-entries";

/** Entries that a service brings into their present form when it starts, which takes it half a minute. */
export const MOVED_AT_START_MAX = 1_000_000;

/** What a caller wants of a database with entries in their old form. */
export interface Moving {
  /** More of them are left to `cairn migrate`. */
  readonly entriesMax?: number;
  /** Hears of each slice that was moved. */
  readonly report?: (entries: number) => void;
}

/** What a database has in an earlier form. */
export interface OldEntries {
  readonly entries: number;
  /** Of disk, while they are moved. */
  readonly needed_bytes: number;
  /** Null where the disk is another server's. */
  readonly free_bytes: number | null;
  /** Brings the database up to date; rejects with a CorruptEntry. */
  move(report: (entries: number) => void): Promise<void>;
}

/** The database has more entries in their old form than this caller moves. */
class TooManyEntries extends Error {
  constructor(entries: number) {
    super(
      `it has ${entries.toLocaleString("en")} entries in the form of an earlier version: stop all nodes and run \`cairn migrate\`.`,
    );
  }
}

export function demandFew(
  entries: number,
  { entriesMax = Number.POSITIVE_INFINITY }: Moving,
): void {
  if (entries > entriesMax) throw new TooManyEntries(entries);
}
