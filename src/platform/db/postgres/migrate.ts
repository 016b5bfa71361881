import type { ClientBase } from "pg";
import { EndedForm, isEndedSchema } from "../../kernel/ended-form.ts";
import {
  type Applied,
  CREATE_RECORD,
  type Migration,
  migrationsOf,
  pending,
  READ_RECORD,
} from "../migrate.ts";
import { demandOwnSchema } from "./schema.ts";

/** Names the lock that migrating processes take; any number nobody else uses will do. */
const MIGRATION_LOCK = 7_203_011;

/**
 * Brings a PostgreSQL database up to the migrations that are known, this program's, all or nothing; a process that migrates at the same
 * time waits. Resolves to the names of what it applied. Rejects where `migrateSqlite` throws.
 */
export async function migratePostgres(
  client: ClientBase,
  known: readonly Migration[] = migrationsOf("postgres"),
): Promise<readonly string[]> {
  // Reads see what the process committed that held the lock before.
  await client.query("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
  try {
    await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await demandOwnSchema(client);
    const names = await broughtTo(known, client);
    await client.query("COMMIT");
    return names;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

/** Throws an EndedForm for the record of a version before 0.3.0. */
export function refuseEnded(record: readonly Applied[]): void {
  if (isEndedSchema(record.map(({ name }) => name))) throw new EndedForm("The PostgreSQL database");
}

async function broughtTo(
  known: readonly Migration[],
  client: ClientBase,
): Promise<readonly string[]> {
  await client.query(CREATE_RECORD);
  const { rows } = await client.query<Applied>(READ_RECORD);
  refuseEnded(rows);
  const migrations = pending(known, rows);
  for (const { number, name, sha256, step, sql } of migrations) {
    await client.query("INSERT INTO schema_migration VALUES ($1, $2, $3, $4)", [
      number,
      name,
      sha256,
      step,
    ]);
    await client.query(sql);
  }
  return migrations.map(({ name }) => name);
}
