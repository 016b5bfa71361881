import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { it } from "node:test";
import { Client } from "pg";
import { dropPostgres, dropSqlite, freshPostgres, freshSqlite } from "../../test/database.ts";

/** One line per column, key, index, reference, check and trigger, the same for both engines. */
const SQLITE = `
  WITH t AS (SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
    AND name <> 'schema_migration' AND name NOT LIKE 'search_item%' AND name NOT GLOB '*_by_agent*')
  SELECT 'column ' || t.name || '.' || c.name || ' ' || lower(c.type)
    || iif(c."notnull" OR c.pk > 0, ' required', '') AS line FROM t, pragma_table_info(t.name) c
  UNION ALL SELECT 'key ' || t.name || ' ' || (SELECT group_concat(c.name ORDER BY c.pk)
    FROM pragma_table_info(t.name) c WHERE c.pk > 0) FROM t
  UNION ALL SELECT 'unique ' || t.name || ' ' || (SELECT group_concat(c.name ORDER BY c.seqno)
    FROM pragma_index_info(i.name) c) FROM t, pragma_index_list(t.name) i WHERE i.origin = 'u'
  UNION ALL SELECT 'index ' || i.name || ' ' || t.name || ' ' || (SELECT group_concat(c.name
    ORDER BY c.seqno) FROM pragma_index_info(i.name) c) || iif(i."unique", ' unique', '')
    || iif(i.partial, ' partial', '') FROM t, pragma_index_list(t.name) i WHERE i.origin = 'c'
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
  a AS (SELECT attrelid AS oid, attnum, attname AS name, attnotnull, atttypid, attcollation
    FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped),
  i AS (SELECT x.indrelid AS oid, n.relname AS name, x.indisprimary, x.indisunique,
      x.indpred IS NOT NULL AS partial, EXISTS (SELECT FROM pg_constraint c
        WHERE c.conindid = x.indexrelid AND c.contype IN ('p', 'u')) AS declared,
      (SELECT string_agg(a.name, ',' ORDER BY k.place) FROM unnest(x.indkey) WITH ORDINALITY
        AS k (attnum, place) JOIN a ON a.oid = x.indrelid AND a.attnum = k.attnum) AS columns
    FROM pg_index x JOIN pg_class n ON n.oid = x.indexrelid)
  SELECT 'column ' || t.name || '.' || a.name || ' ' || CASE
      WHEN a.atttypid = 'text'::regtype AND a.attcollation = '"C"'::regcollation THEN 'text'
      WHEN a.atttypid IN ('bigint'::regtype, 'smallint'::regtype) THEN 'integer' WHEN a.atttypid = 'bytea'::regtype
      THEN 'blob' ELSE 'of a type or collation that is not shared' END
    || CASE WHEN a.attnotnull THEN ' required' ELSE '' END AS line FROM t JOIN a USING (oid)
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

function sqliteSchema(path: string): string[] {
  const database = new DatabaseSync(path);
  const lines = database
    .prepare(SQLITE)
    .all()
    .map((row) => String(row["line"]));
  const tables = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").all();
  for (const { name, sql } of tables)
    for (const check of checksIn(String(sql))) lines.push(`check ${name} ${bare(check)}`);
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
  await client.end();
  const lines = rows.map(({ line }) => line);
  for (const { name, check } of checks.rows)
    lines.push(`check ${name} ${bare(check.slice("CHECK ".length))}`);
  return lines.sort();
}

/** Search, and the posts and commits of an agent, are kept by each engine in its own way. */
it("both engines have the same tables, columns, keys, indexes, references, checks and triggers", async () => {
  const path = freshSqlite();
  const url = await freshPostgres();
  const schema = sqliteSchema(path);
  assert.ok(schema.includes("column ledger_entry.kind integer required"));
  assert.ok(schema.includes("check ledger_entry lengthleaf=32"));
  assert.deepEqual(await postgresSchema(url), schema);
  dropSqlite(path);
  dropPostgres(url);
});
