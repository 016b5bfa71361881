import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { Client } from "pg";
import { everyTable } from "../src/cli/audit/rows/every-table.ts";
import { writeExport } from "../src/cli/transfer/export.ts";
import { columnsOf, TABLE_CLASSES } from "../src/domains/rows.ts";
import type { Configuration } from "../src/main/settings/settings.ts";
import { databaseFile, openSnapshot } from "../src/main/storage/database.ts";
import { DETERMINED } from "../src/platform/ledger/rows/columns.ts";
import { needlessComparers } from "./comparers.ts";
import { dropPostgres, dropSqlite, freshPostgres, freshSqlite } from "./database.ts";
import { dice } from "./dice.ts";
import { classOf, type Edit, edits, freeEdits, HOUR_S, WHERE } from "./edits.ts";
import { fillService } from "./full-service.ts";
import { eachMarket } from "./market-service.ts";
import { auditRun, newFile } from "./verify-run.ts";

/** Edits that one run makes on SQLite, drawn from all; `test:long` makes every one. */
const EDITS = Number(process.env["TEST_EDITS"] ?? 40);
/** Each needs an export of its own on PostgreSQL. */
const POSTGRES_EDITS = Math.ceil(EDITS / 5);

/** The exit code of an audit, and the tables in which it found something. */
async function audited(file: string) {
  const { exit_code, text } = await auditRun([file, "--json", "--state", newFile()]);
  const groups: { name: string; unequal: number }[] = JSON.parse(text).groups ?? [];
  const unequal = groups.filter((group) => group.unequal > 0).map(({ name }) => name);
  return { exit_code, unequal };
}

const columns = Object.entries(TABLE_CLASSES).flatMap(([table, of]) =>
  Object.keys(of).map((column) => `${table}.${column}`),
);

test("every column of both engines has a class", async () => {
  const path = freshSqlite();
  const file = new DatabaseSync(path);
  const live = file
    .prepare(
      `SELECT t.name || '.' || c.name AS name FROM pragma_table_list t, pragma_table_info(t.name) c
       WHERE t.schema = 'main' AND t.type IN ('table', 'virtual', 'view') AND t.name NOT LIKE 'sqlite_%'
         AND t.name <> 'schema_migration' AND t.name NOT GLOB '*_by_agent*'
       UNION ALL SELECT t.name || '.rowid' FROM pragma_table_list t
       WHERE t.schema = 'main' AND t.type = 'virtual'`,
    )
    .all()
    .map(({ name }) => String(name));
  file.close();
  dropSqlite(path);
  assert.deepEqual(live.sort(), columns.toSorted());
  const url = await freshPostgres();
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND table_name <> 'schema_migration'`,
  );
  await client.end();
  dropPostgres(url);
  assert.deepEqual(rows.map(({ name }) => name).sort(), columns.toSorted());
});

test("every table with a column that the ledger determines has a comparer", () => {
  const compared = new Set(everyTable().map(({ table }) => table));
  const determined = Object.entries(TABLE_CLASSES).filter(([, of]) =>
    Object.values(of).some((each) => DETERMINED.includes(each)),
  );
  assert.deepEqual(
    determined.map(([table]) => table).filter((table) => !compared.has(table)),
    [],
  );
});

/** Rows by which another table's are known: an edit of them shows there. */
const SHOWS_ELSEWHERE = ["agent.id"];

eachMarket("what an audit of a file determines it finds, edit by edit", async (market) => {
  await fillService(market);
  if (market.engine === "sqlite") await onSqlite(market.configuration);
  else await onPostgres(market.configuration);
});

async function onSqlite(configuration: Configuration): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "cairn-edits-"));
  const [whole, copy] = [join(folder, "whole.db"), join(folder, "copy.db")];
  const live = new DatabaseSync(databaseFile(configuration));
  live.exec(`VACUUM INTO '${whole}'`);
  live.close();
  assert.deepEqual(await audited(whole), { exit_code: 0, unequal: [] });
  assert.deepEqual(emptyIn(whole), [], "every determined column has a value somewhere");

  const roll = dice("edits");
  await findsHiddenWrites(whole, copy);
  const missed: string[] = [];
  let made = 0;
  const tried = async (edit: Edit) => {
    cpSync(whole, copy);
    return edit.apply(copy, roll) ? audited(copy) : null;
  };
  for (const edit of drawn(edits(), EDITS, roll)) {
    const found = await tried(edit);
    if (found === null) continue;
    made++;
    const isSeen =
      found.unequal.includes(edit.table) ||
      (found.exit_code !== 0 && SHOWS_ELSEWHERE.includes(`${edit.table}.${edit.column}`));
    if (!isSeen) missed.push(edit.what);
  }
  for (const edit of drawn(freeEdits(), EDITS / 4, roll)) {
    const found = await tried(edit);
    if (found !== null) assert.equal(found.exit_code, 0, edit.what);
  }
  const needless = await needlessComparers(edits(), { whole, copy, roll });
  rmSync(folder, { recursive: true });
  assert.deepEqual(needless, [], "comparers without which their tables' edits are found");
  assert.deepEqual(missed, [], `of ${made} edits`);
  const tries = Math.min(EDITS, edits().length);
  assert.ok(made > tries / 4, `the schema allows ${made} of ${tries} edits`);
}

/** A post that is gone from the list of its author, and a commit that another agent's has. */
async function findsHiddenWrites(whole: string, copy: string): Promise<void> {
  for (const [edit, view] of [
    ["DELETE FROM post_by_agent_new WHERE item = 1", "post_of_agent"],
    ["UPDATE repository_commit_by_agent_new SET agent = agent + 1", "repository_commit_of_agent"],
  ] as const) {
    cpSync(whole, copy);
    const database = new DatabaseSync(copy);
    database.exec(edit);
    database.close();
    assert.deepEqual(await audited(copy), { exit_code: 1, unequal: [view] }, edit);
  }
}

function emptyIn(file: string): readonly string[] {
  const database = new DatabaseSync(file);
  const isEmpty = ([table, column]: readonly [string, string]) =>
    database.prepare(`SELECT 1 FROM ${table} WHERE ${column} IS NOT NULL`).get() === undefined;
  const empty = columnsOf(...DETERMINED).filter(isEmpty);
  database.close();
  return empty.map((each) => each.join("."));
}

/** So many, each as likely as the others; all of them when there are not more. */
function drawn<Each>(from: readonly Each[], n: number, roll: (sides: number) => number): Each[] {
  const left = [...from];
  return Array.from({ length: Math.min(n, from.length) }, () =>
    left.splice(roll(left.length), 1),
  ).flat();
}

/** Each edit is made in the database, exported and taken back. */
async function onPostgres(configuration: Configuration): Promise<void> {
  const { databaseUrl } = configuration;
  assert.ok(databaseUrl);
  const client = new Client(databaseUrl);
  await client.connect();
  await client.query("SET session_replication_role = replica");
  const roll = dice("edits of PostgreSQL");
  const exported = async () => {
    const file = newFile();
    const snapshot = await openSnapshot(configuration);
    await writeExport(snapshot, file).finally(() => snapshot.close());
    return audited(file);
  };
  try {
    assert.deepEqual(await exported(), { exit_code: 0, unequal: [] });
    for (const [table, column] of drawn(columnsOf(...DETERMINED), POSTGRES_EDITS, roll)) {
      const undo = await editedRow(client, table, column);
      if (undo === null) continue;
      const { unequal } = await exported();
      const isSeen = unequal.includes(table) || SHOWS_ELSEWHERE.includes(`${table}.${column}`);
      assert(isSeen, `${table}.${column}`);
      await undo();
    }
    assert.equal((await exported()).exit_code, 0, "all is as it was");
  } finally {
    await client.end();
  }
}

/** Changes one cell; how to take it back, or null when the schema refuses it. */
async function editedRow(client: Client, table: string, column: string) {
  const wheres = [WHERE[table], WHERE[`${table}.${column}`], `${column} IS NOT NULL`];
  const condition = wheres.filter((text) => text !== undefined).join(" AND ");
  const { rows } = await client.query(
    `SELECT ctid::text AS place, ${column} AS old FROM ${table} WHERE ${condition} LIMIT 1`,
  );
  const [row] = rows;
  if (row === undefined) return null;
  const by = classOf(table, column) === "timed" ? HOUR_S : 1;
  const value = changedValue(row.old, by);
  const set = `UPDATE ${table} SET ${column} = $1 WHERE ctid = $2 RETURNING ctid::text AS place`;
  const changed = await client.query(set, [value, row.place]).catch(() => null);
  const place = changed?.rows[0]?.place;
  if (place === undefined) return null;
  return () => client.query(set, [row.old, place]);
}

function changedValue(old: unknown, by: number): unknown {
  if (old instanceof Uint8Array) return Buffer.from(old.with(0, (old[0] ?? 0) ^ 1));
  if (typeof old === "number" || /^-?[0-9]{1,15}$/.test(String(old))) return Number(old) + by;
  const text = String(old);
  return `${text.startsWith("7") ? "8" : "7"}${text.slice(1)}`;
}
