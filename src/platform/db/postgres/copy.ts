import type { Client } from "pg";
import { EndedForm } from "../../kernel/ended-form.ts";
import { entryRowsInto } from "../entry-copy.ts";
import { type Applied, expansionsOf, READ_RECORD } from "../migrate.ts";
import {
  type Cell,
  type Column,
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
import { txOf } from "./connection.ts";
import { connectFirst } from "./hosts.ts";
import { refuseEnded } from "./migrate.ts";
import { PATIENCE_MS, parserOf } from "./pool.ts";
import { demandOwnSchema, OWN_SCHEMA } from "./schema.ts";
import { preparePostgres } from "./store.ts";

const OWN = `r.relkind = 'r' AND r.relnamespace = ${OWN_SCHEMA}`;
const COLUMNS = `SELECT r.relname::text AS "table", a.attname::text AS name,
    format_type(a.atttypid, NULL) AS type,
    coalesce(array_position(i.indkey::smallint[], a.attnum) + 1, 0)::integer AS key
  FROM pg_class r JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_index i ON i.indrelid = r.oid AND i.indisprimary
  WHERE ${OWN} AND ${isCopied("r.relname")} ORDER BY r.relname, a.attnum`;
const REFERENCES = `SELECT r.relname::text AS "table", t.relname::text AS "to"
  FROM pg_constraint c JOIN pg_class r ON r.oid = c.conrelid JOIN pg_class t ON t.oid = c.confrelid
  WHERE c.contype = 'f' AND ${OWN}`;
const HAS_SCHEMA = `SELECT r.relname::text FROM pg_class r
  WHERE ${OWN} AND r.relname = 'schema_migration'`;
const HAS_ENTRY = `SELECT ledger_id FROM ledger_entry UNION ALL SELECT row_id FROM ledger_pending LIMIT 1`;
const IDENTITIES = `SELECT r.relname::text AS "table", a.attname::text AS name
  FROM pg_class r JOIN pg_attribute a ON a.attrelid = r.oid AND a.attidentity <> '' WHERE ${OWN}`;

/** How a list of values of one column travels. */
const ARRAYS: Readonly<Record<Column["type"], string>> = {
  integer: "bigint[]",
  text: "text[]",
  blob: "bytea[]",
};

/** The present state of a database. Rejects with a sentence when it cannot be used. */
export async function postgresSnapshot(url: string): Promise<Snapshot> {
  const client = await connected(url);
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await demandOwnSchema(client);
    if ((await client.query(HAS_SCHEMA)).rowCount === 0) throw new NoSchema();
    const record = await recordIn(client);
    refuseEnded(record);
    const tables = await describe(client);
    return {
      engine: "postgres",
      schema: record.map(({ name }) => name),
      expansions: expansionsOf(record),
      tables,
      read: txOf((query) => client.query(query)),
      scan: cursors(client),
      close: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error instanceof NoSchema || error instanceof EndedForm ? error : unusable(error);
  }
}

/** Rejects with an EndedForm for a database of a version before 0.3.0. It changes nothing. */
export async function refuseEndedPostgres(url: string): Promise<void> {
  const client = await connected(url);
  try {
    if ((await client.query(HAS_SCHEMA)).rowCount !== 0) refuseEnded(await recordIn(client));
  } finally {
    await client.end();
  }
}

/**
 * A database that has no entry yet, filled in one transaction, after its schema was brought up to
 * date. A service that starts meanwhile waits. Rejects with a sentence when there is an entry.
 */
export async function postgresDraft(url: string): Promise<Draft> {
  await preparePostgres(url);
  const client = await connected(url);
  try {
    await client.query("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE");
    // A ledger begins with its first entry, so the holder of this table is alone.
    await client.query("LOCK TABLE ledger_entry IN EXCLUSIVE MODE");
    const { rowCount } = await client.query(HAS_ENTRY);
    if (rowCount !== 0) throw new Error("The PostgreSQL database has a ledger already.");
    const tables = await describe(client);
    await clear(client, tables);
    const schema = (await recordIn(client)).map(({ name }) => name);
    const tx = txOf((query) => client.query(query));
    const insertEntries = entryRowsInto();
    return {
      schema,
      tables,
      tx,
      insert: (table, rows) =>
        table.name === ENTRIES ? insertEntries(tx, table, rows) : insert(client, table, rows),
      end: () => continueIdentities(client),
      async finish() {
        await client.query("COMMIT");
        await client.end();
      },
      discard: () => client.end(),
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function connected(url: string): Promise<Client> {
  try {
    return await connectFirst(url, {
      application_name: "cairn",
      connectionTimeoutMillis: PATIENCE_MS,
      keepAlive: true,
      types: { getTypeParser: parserOf },
    });
  } catch (cause) {
    throw unusable(cause);
  }
}

function unusable(cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new Error(`The PostgreSQL database cannot be used: ${why}`, { cause });
}

async function describe(client: Client): Promise<readonly Table[]> {
  const columns = await client.query<Described["columns"][number]>(COLUMNS);
  const references = await client.query<Described["references"][number]>(REFERENCES);
  return tablesOf({ columns: columns.rows, references: references.rows });
}

async function recordIn(client: Client): Promise<readonly Applied[]> {
  return (await client.query<Applied>(READ_RECORD)).rows;
}

/** Removes the rows that migrations made, in the place of which others come. */
async function clear(client: Client, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables) {
    const { rowCount } = await client.query(`SELECT 1 FROM "${name}" LIMIT 1`);
    if (rowCount !== 0) await client.query(`DELETE FROM "${name}"`);
  }
}

/** Cursors belong to the transaction, and so see its state. */
function cursors(client: Client): Snapshot["scan"] {
  let count = 0;
  return async function* scan(query) {
    const cursor = `copy_${++count}`;
    await client.query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${query}`);
    for (;;) {
      const text = `FETCH ${PAGE} FROM ${cursor}`;
      const { rows } = await client.query<Cell[]>({ text, rowMode: "array" });
      if (rows.length > 0) yield rows;
      if (rows.length < PAGE) break;
    }
    await client.query(`CLOSE ${cursor}`);
  };
}

async function insert(
  client: Client,
  { name, columns }: Table,
  rows: readonly (readonly Cell[])[],
): Promise<void> {
  const lists = columns.map(({ type }, i) => `$${i + 1}::${ARRAYS[type]}`).join(", ");
  await client.query({
    name: `insert_${name}`,
    text: `INSERT INTO "${name}" (${named(columns.map((column) => column.name))})
      SELECT * FROM unnest(${lists})`,
    values: columns.map((_, i) => rows.map((row) => bound(row[i] ?? null))),
  });
}

const bound = (cell: Cell): Cell => (cell instanceof Uint8Array ? Buffer.from(cell) : cell);

/** Order keys are larger than the ids of entries, so those of a copy can be distinguished. */
const CONTINUE_ORDER = `SELECT setval(pg_get_serial_sequence('ledger_pending', 'row_id'), max(id))
  FROM (SELECT max(row_id) AS id FROM ledger_pending UNION ALL SELECT max(ledger_id) FROM ledger_entry) AS ids
  HAVING max(id) IS NOT NULL`;

/** A restore leaves out numbers of boxes that may be lost. */
const SKIP_BOXES = `SELECT setval(pg_get_serial_sequence('message', 'id'), first_id - 1) FROM message_floor
  WHERE first_id > (SELECT coalesce(max(id), 0) FROM message)`;

/** The next object gets the id after the last one that was put in. */
async function continueIdentities(client: Client): Promise<void> {
  const { rows } = await client.query<{ table: string; name: string }>(IDENTITIES);
  for (const { table, name } of rows) {
    await client.query(`SELECT setval(pg_get_serial_sequence('"${table}"', '${name}'), max("${name}"))
      FROM "${table}" HAVING max("${name}") IS NOT NULL`);
  }
  await client.query(SKIP_BOXES);
  await client.query(CONTINUE_ORDER);
}
