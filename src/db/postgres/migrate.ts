import type { ClientBase } from "pg";
import { type Moved, moveEntries } from "../entry-move.ts";
import {
  type Applied,
  CREATE_RECORD,
  demandFew,
  isNarrow,
  type Moving,
  migrationsOf,
  OLD_TABLE,
  pending,
  READ_RECORD,
  WIDEN_RECORD,
} from "../migrate.ts";
import { txOf } from "./connection.ts";
import { demandNothingBeside, demandOwnSchema, OWN_SCHEMA } from "./schema.ts";

/** Names the lock that migrating processes take; any number nobody else uses will do. */
export const MIGRATION_LOCK = 7_203_011;

/** New entries get larger order keys than those that were moved. */
const AFTER_MOVE = `SELECT setval(pg_get_serial_sequence('ledger_pending', 'row_id'), max(row_id))
    FROM ${OLD_TABLE} HAVING max(row_id) IS NOT NULL;
  DROP TABLE ${OLD_TABLE};
  ALTER TABLE market_entry VALIDATE CONSTRAINT market_entry_ledger_id_fkey;
  ALTER TABLE market_posting VALIDATE CONSTRAINT market_posting_ledger_id_fkey`;

/**
 * Brings a PostgreSQL database up to this program's schema, all or nothing, and then its entries into their
 * present form; a process that migrates at the same time waits. Resolves to the names of what it applied.
 * Rejects like `migrateSqlite`.
 */
export async function migratePostgres(
  client: ClientBase,
  moving: Moving = {},
): Promise<readonly string[]> {
  const names = await alone(client, async () => {
    await demandOwnSchema(client);
    demandFew(await countOld(client), moving);
    return schemaOfPostgres(client);
  });
  if (await isThere(client, OLD_TABLE)) {
    await alone(client, () => unlessMoved(client));
    await moveEntries(postgresMove(client, moving));
  }
  return names;
}

/** Another process may have ended the move. */
async function unlessMoved(client: ClientBase): Promise<void> {
  if (await isThere(client, OLD_TABLE)) await demandNothingBeside(client);
}

/** One transaction under the lock of those that migrate. */
async function alone<T>(client: ClientBase, work: () => Promise<T>): Promise<T> {
  // Reads see what the process committed that held the lock before.
  await client.query("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
  try {
    await client.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    const result = await work();
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  }
}

async function schemaOfPostgres(client: ClientBase): Promise<readonly string[]> {
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
  return migrations.map(({ name }) => name);
}

async function isThere(client: ClientBase, table: string): Promise<boolean> {
  const { rows } = await client.query(
    `SELECT 1 FROM pg_class WHERE relkind = 'r' AND relnamespace = ${OWN_SCHEMA} AND relname = $1`,
    [table],
  );
  return rows.length > 0;
}

/** Of two tables the one with entries in their old form; undefined without any. */
async function oldTable(client: ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = ${OWN_SCHEMA} AND relname IN ('ledger_entry', '${OLD_TABLE}')
     AND relkind = 'r' AND attname = 'entry' AND NOT attisdropped`,
  );
  return rows[0]?.name;
}

/** The first number of a query. */
async function numberOf(client: ClientBase, query: string): Promise<number> {
  const { rows } = await client.query<{ n: string }>(`SELECT ${query} AS n`);
  return Number(rows[0]?.n ?? 0);
}

/** Entries in their old form, and what they take of disk with their indexes, while nobody moves any. */
export const oldEntriesInPostgres = (client: ClientBase) =>
  alone(client, async () => {
    await demandOwnSchema(client);
    return { entries: await countOld(client), bytes: await bytesOfOld(client) };
  });

/** Under the lock only: the process that moves the entries drops their table. */
async function countOld(client: ClientBase): Promise<number> {
  const table = await oldTable(client);
  return table === undefined ? 0 : numberOf(client, `(SELECT count(ledger_id) FROM ${table})`);
}

async function bytesOfOld(client: ClientBase): Promise<number> {
  const table = await oldTable(client);
  return table === undefined ? 0 : numberOf(client, `pg_total_relation_size('${table}')`);
}

function postgresMove(client: ClientBase, { report = () => {} }: Moving): Moved {
  const tx = txOf((query) => client.query(query));
  return {
    deletes: false,
    report,
    isLeft: () => isThere(client, OLD_TABLE),
    transaction: (work) => alone(client, () => work(tx)),
    async end() {
      await client.query(AFTER_MOVE);
    },
  };
}
