import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { Client } from "pg";
import { dropPostgres, dropSqlite, freshPostgres, freshSqlite } from "../../../test/database.ts";

/** One line per column, key, index, reference, check and trigger, the same for both engines. */
const SQLITE = `
  WITH t AS (SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
    AND name <> 'schema_migration' AND name NOT LIKE 'search_item%' AND name NOT GLOB '*_by_agent*')
  SELECT 'column ' || t.name || '.' || c.name || ' ' || lower(c.type)
    || iif(c."notnull" OR c.pk > 0, ' required', '') || coalesce(' default ' || c.dflt_value, '') AS line
    FROM t, pragma_table_info(t.name) c
  UNION ALL SELECT 'key ' || t.name || ' ' || (SELECT group_concat(c.name ORDER BY c.pk)
    FROM pragma_table_info(t.name) c WHERE c.pk > 0) FROM t
  UNION ALL SELECT 'unique ' || t.name || ' ' || (SELECT group_concat(c.name ORDER BY c.seqno)
    FROM pragma_index_info(i.name) c) FROM t, pragma_index_list(t.name) i WHERE i.origin = 'u'
  UNION ALL SELECT 'index ' || i.name || ' ' || t.name || ' ' || (SELECT group_concat(c.name
    || iif(c."desc", ' desc', '') ORDER BY c.seqno) FROM pragma_index_xinfo(i.name) c WHERE c.key)
    || iif(i."unique", ' unique', '') || iif(i.partial, ' partial', '')
    FROM t, pragma_index_list(t.name) i WHERE i.origin = 'c'
  UNION ALL SELECT 'reference ' || t.name || '.' || f."from" || ' ' || f."table" || '.' || f."to"
    FROM t, pragma_foreign_key_list(t.name) f
  UNION ALL SELECT 'trigger ' || name || ' ' || tbl_name FROM sqlite_schema WHERE type = 'trigger'
    AND name NOT GLOB '*_by_agent_*'
  UNION ALL SELECT 'view ' || name FROM sqlite_schema WHERE type = 'view'
  UNION ALL SELECT 'writes by agent ' || name FROM sqlite_schema WHERE name GLOB '*_by_agent_new'`;

/** Indexes of PostgreSQL in the place of which SQLite has two tables: docs/decisions/0105. */
const IN_TWO_TABLES = "i.name IN ('post_by_agent', 'repository_commit_by_agent')";

const POSTGRES = `
  WITH t AS (SELECT oid, relname AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname NOT IN ('schema_migration', 'search_item')),
  a AS (SELECT attrelid AS oid, attnum, attname AS name, attnotnull, atttypid, attcollation,
      (SELECT regexp_replace(pg_get_expr(adbin, adrelid), '::\\w+$', '') FROM pg_attrdef
        WHERE adrelid = attrelid AND adnum = attnum) AS value
    FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped),
  i AS (SELECT x.indrelid AS oid, n.relname AS name, x.indisprimary, x.indisunique,
      x.indpred IS NOT NULL AS partial, EXISTS (SELECT FROM pg_constraint c
        WHERE c.conindid = x.indexrelid AND c.contype IN ('p', 'u')) AS declared,
      (SELECT string_agg(a.name || CASE WHEN x.indoption[k.place - 1] & 1 = 1 THEN ' desc' ELSE '' END,
        ',' ORDER BY k.place) FROM unnest(x.indkey) WITH ORDINALITY AS k (attnum, place) JOIN a ON a.oid = x.indrelid AND a.attnum = k.attnum) AS columns
    FROM pg_index x JOIN pg_class n ON n.oid = x.indexrelid)
  SELECT 'column ' || t.name || '.' || a.name || ' ' || CASE
      WHEN a.atttypid = 'text'::regtype AND a.attcollation = '"C"'::regcollation THEN 'text'
      WHEN a.atttypid IN ('bigint'::regtype, 'smallint'::regtype) THEN 'integer' WHEN a.atttypid = 'bytea'::regtype
      THEN 'blob' ELSE 'of a type or collation that is not shared' END
    || CASE WHEN a.attnotnull THEN ' required' ELSE '' END || coalesce(' default ' || a.value, '') AS line
    FROM t JOIN a USING (oid)
  UNION ALL SELECT 'key ' || t.name || ' ' || i.columns FROM t JOIN i USING (oid) WHERE i.indisprimary
  UNION ALL SELECT 'unique ' || t.name || ' ' || i.columns FROM t JOIN i USING (oid)
    WHERE i.declared AND NOT i.indisprimary
  UNION ALL SELECT 'index ' || i.name || ' ' || t.name || ' ' || i.columns
    || CASE WHEN i.indisunique THEN ' unique' ELSE '' END
    || CASE WHEN i.partial THEN ' partial' ELSE '' END FROM t JOIN i USING (oid) WHERE NOT i.declared
    AND NOT ${IN_TWO_TABLES}
  UNION ALL SELECT 'reference ' || t.name || '.' || a.name || ' ' || r.relname || '.' || b.name
    FROM pg_constraint c JOIN t ON t.oid = c.conrelid JOIN pg_class r ON r.oid = c.confrelid
    JOIN a ON a.oid = c.conrelid AND a.attnum = c.conkey[1]
    JOIN a AS b ON b.oid = c.confrelid AND b.attnum = c.confkey[1] WHERE c.contype = 'f'
  UNION ALL SELECT 'trigger ' || g.tgname || ' ' || t.name FROM pg_trigger g
    JOIN t ON t.oid = g.tgrelid WHERE NOT g.tgisinternal
  UNION ALL SELECT 'view ' || relname FROM pg_class
    WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace
  UNION ALL SELECT 'writes by agent ' || i.name || '_new' FROM i WHERE ${IN_TWO_TABLES}`;

/** What PostgreSQL alone has a word for: rights, storage, options, widths, and how numbers are drawn. */
const POSTGRES_ONLY = `
  WITH r AS (SELECT oid, relname AS name, relacl, relowner, reloptions, relkind FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relname NOT LIKE 'schema_migration%')
  SELECT 'revoked ' || name || ' ' || string_agg(word, ', ' ORDER BY word) AS line
    FROM r, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) AS word
    WHERE relacl IS NOT NULL AND NOT EXISTS (SELECT FROM aclexplode(relacl)
      WHERE grantee = relowner AND privilege_type = word) GROUP BY name
  UNION ALL SELECT 'granted ' || name || ' to ' || grantee FROM r, aclexplode(relacl)
    WHERE grantee <> relowner
  UNION ALL SELECT 'storage ' || name || '.' || attname || ' ' || attstorage::text FROM r
    JOIN pg_attribute ON attrelid = r.oid JOIN pg_type t ON t.oid = atttypid
    WHERE relkind = 'r' AND attnum > 0 AND (attstorage <> typstorage OR attcompression <> '')
  UNION ALL SELECT 'options ' || name || ' ' || array_to_string(reloptions, ', ') FROM r
    WHERE reloptions IS NOT NULL
  UNION ALL SELECT 'small ' || name || '.' || attname FROM r JOIN pg_attribute ON attrelid = r.oid
    WHERE relkind = 'r' AND attnum > 0 AND atttypid = 'smallint'::regtype
  UNION ALL SELECT DISTINCT 'numbers ' || attidentity::text || ' from ' || seqstart || ' by '
      || seqincrement || ' cache ' || seqcache FROM r
    JOIN pg_attribute ON attrelid = r.oid AND attidentity <> ''
    JOIN pg_sequence ON seqrelid = pg_get_serial_sequence(r.name, attname)::regclass`;

const BUSY = "autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=10000";

/** As `POSTGRES_ONLY` has it: the reasons stand in the schema. */
const EXPECTED_OF_POSTGRES = [
  "revoked coin_posting DELETE, TRUNCATE, UPDATE",
  "revoked ledger_entry DELETE, TRUNCATE",
  "revoked market_posting DELETE, TRUNCATE, UPDATE",
  "revoked seal DELETE, TRUNCATE",
  "storage ledger_entry.body e",
  `options ledger_pending ${BUSY}`,
  `options ledger_recent ${BUSY}`,
  "options search_item_by_word fastupdate=on, gin_pending_list_limit=256",
  ...["ledger_entry.kind", "ledger_entry.shape", "ledger_kind.id", "ledger_shape.id"].map(
    (column) => `small ${column}`,
  ),
  "numbers d from 1 by 1 cache 1", // Of every table alike: a larger cache would number causes after effects.
];

/** The engines print conditions with different parentheses and casts, and mean the same. */
const bare = (condition: string) =>
  condition
    .replace(/= ANY \(ARRAY\[(.*?)\]\)/g, "IN ($1)")
    .replace(/::\w+/g, "")
    .replace(/[\s()]/g, "");

/** The conditions of `CHECK (…)` in the text of a table, whose parentheses nest. */
function checksIn(sql: string): string[] {
  return sql
    .split(/CHECK \(/)
    .slice(1)
    .map((rest) => {
      let depth = 1;
      let end = 0;
      for (; depth > 0; end++) depth += rest[end] === "(" ? 1 : rest[end] === ")" ? -1 : 0;
      return rest.slice(0, end - 1);
    });
}

/** `WHERE` of a partial index. */
const conditionIn = (sql: string) => /\bWHERE\b(.*)$/s.exec(sql)?.[1];

/** A row as a line; the engines give bytes and numbers in other forms. */
const rowLine = (table: string, row: Readonly<Record<string, unknown>>) =>
  `row ${table} ${JSON.stringify(row, (_, cell) => {
    const bytes = cell?.type === "Buffer" ? Buffer.from(cell.data) : cell;
    if (bytes instanceof Uint8Array) return `x${Buffer.from(bytes).toString("hex")}`;
    return typeof cell === "string" && /^\d+$/.test(cell) ? Number(cell) : cell;
  })}`;

/** Search is kept by each engine in its own way, and the names and hashes of the migrations are files of their own. */
const isShared = (table: string) =>
  !/^(?:search_item|sqlite_)/.test(table) && table !== "schema_migration";

function sqliteSchema(path: string): string[] {
  const database = new DatabaseSync(path);
  const lines = database
    .prepare(SQLITE)
    .all()
    .map((row) => String(row["line"]));
  const tables = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").all();
  for (const { name, sql } of tables)
    for (const check of checksIn(String(sql))) lines.push(`check ${name} ${bare(check)}`);
  for (const { name } of tables.filter((table) => isShared(String(table["name"]))))
    for (const row of database.prepare(`SELECT * FROM ${name}`).all())
      lines.push(rowLine(String(name), row));
  const indexes = database
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'index'")
    .all();
  for (const { name, sql } of indexes) {
    const condition = conditionIn(String(sql));
    if (condition !== undefined) lines.push(`condition ${name} ${bare(condition)}`);
  }
  database.close();
  return lines.sort();
}

async function postgresSchema(url: string): Promise<string[]> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query<{ line: string }>(POSTGRES);
  const checks = await client.query<{ name: string; check: string }>(
    `SELECT conrelid::regclass::text AS name, pg_get_constraintdef(oid) AS "check"
     FROM pg_constraint WHERE contype = 'c' AND conrelid <> 0`,
  );
  const indexes = await client.query<{ name: string; condition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_expr(indpred, indrelid) AS condition
     FROM pg_index WHERE indpred IS NOT NULL AND indrelid > 16384`,
  );
  const lines = rows.map(({ line }) => line);
  for (const { name, condition } of indexes.rows)
    lines.push(`condition ${name} ${bare(condition)}`);
  const tables = await client.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  for (const { name } of tables.rows.filter((table) => isShared(table.name)))
    for (const row of (await client.query(`SELECT * FROM ${name}`)).rows)
      lines.push(rowLine(name, row));
  await client.end();
  for (const { name, check } of checks.rows)
    lines.push(`check ${name} ${bare(check.slice("CHECK ".length))}`);
  return lines.sort();
}

/** Search, and the posts and commits of an agent, are kept by each engine in its own way. */
it("both engines have the same tables, columns, keys, indexes, references, checks, triggers and rows", async () => {
  const path = freshSqlite();
  const url = await freshPostgres();
  const schema = sqliteSchema(path);
  for (const line of [
    "column ledger_entry.kind integer required",
    "column request.ends text required default 'first'",
    "check ledger_entry lengthleaf=32",
    "index claim_proposals claim kind,verdicts_true desc,verdicts_false,id desc partial",
    "condition market_order_unpaid state='awaiting_payment'",
    'row ledger_kind {"id":1,"kind":"post"}',
  ])
    assert.ok(schema.includes(line), line);
  assert.deepEqual(await postgresSchema(url), schema);
  dropSqlite(path);
  dropPostgres(url);
});

it("PostgreSQL has the rights, storage, options, widths and numbers that its schema names, and no others", async () => {
  const url = await freshPostgres();
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query<{ line: string }>(POSTGRES_ONLY);
  await client.end();
  assert.deepEqual(rows.map(({ line }) => line).sort(), EXPECTED_OF_POSTGRES.toSorted());
  dropPostgres(url);
});
