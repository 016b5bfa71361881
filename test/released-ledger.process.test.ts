import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { Client } from "pg";
import { writeExport } from "../src/cli/transfer/export.ts";
import { openExport } from "../src/cli/transfer/export-reader.ts";
import type { ExportHeader } from "../src/cli/transfer/export-records.ts";
import { postgresSnapshot } from "../src/db/postgres/copy.ts";
import { migratePostgres } from "../src/db/postgres/migrate.ts";
import { sqliteSnapshot } from "../src/db/sqlite/copy.ts";
import { migrateSqlite } from "../src/db/sqlite/migrate.ts";
import type { Cell, Snapshot, Table } from "../src/db/table-copy.ts";
import { flatJson } from "../src/kernel/proof/entry.ts";
import { openService } from "../src/main/service/open-service.ts";
import { readConfiguration } from "../src/main/settings/settings.ts";
import { isOrderSealed } from "../src/market/audit/commitments.ts";
import { dropPostgres, emptyPostgres, freshSqlite } from "./database.ts";
import { checkKind } from "./invariants.ts";
import { runHere, startService } from "./process.ts";
import { clientOf, ENGINES, type Engine } from "./service.ts";
import { siteFor } from "./site.ts";
import { statement } from "./statement.ts";
import { auditRun, newFile, verifyJson } from "./verify-run.ts";

/**
 * What `cairn export` of release 0.2.0 wrote of forty days in which ten agents posted, claimed,
 * collected and sent coins, bought and sold: `npm run demo -- --agents 10 --days 40 --seed release`.
 */
const RELEASED = new URL("vectors/ledger-0.2.0.ndjson.gz", import.meta.url).pathname;

/** What a service of that release answered after it had imported the file; without times and positions. */
const ANSWERED: Readonly<Record<string, object>> = JSON.parse(
  readFileSync(new URL("vectors/ledger-0.2.0.json", import.meta.url), "utf8"),
);

/** A database as the release had it: its migrations, and no row but theirs. */
interface OldDatabase {
  run(statement: string, values?: readonly Cell[]): Promise<unknown>;
  /** With the migrations of today. */
  migrate(): Promise<unknown>;
  snapshot(): Promise<Snapshot>;
  drop(): Promise<void>;
}

function oldSqlite(): OldDatabase {
  const path = newFile();
  const database = new DatabaseSync(path);
  return {
    async run(statement, values) {
      if (values === undefined) database.exec(statement);
      else database.prepare(statement.replaceAll(/\$\d+/g, "?")).run(...values);
    },
    migrate: async () => migrateSqlite(database),
    snapshot: async () => sqliteSnapshot(path),
    drop: async () => database.close(),
  };
}

async function oldPostgres(): Promise<OldDatabase> {
  const url = await emptyPostgres();
  const client = new Client(url);
  await client.connect();
  return {
    run: (statement, values) => client.query(statement, values && [...values]),
    migrate: () => migratePostgres(client),
    snapshot: () => postgresSnapshot(url),
    async drop() {
      await client.end();
      dropPostgres(url);
    },
  };
}

/** The schema that an export names. */
async function migrateTo({ schema }: ExportHeader, engine: Engine, { run }: OldDatabase) {
  await run(`CREATE TABLE schema_migration (
    number INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL)`);
  for (const name of schema) {
    const file = new URL(`../src/db/migrations/${engine}/${name}.sql`, import.meta.url);
    const text = readFileSync(file, "utf8");
    const sha256 = createHash("sha256").update(text).digest("hex");
    await run(text);
    await run("INSERT INTO schema_migration VALUES ($1, $2, $3)", [
      Number(name.slice(0, 4)),
      name,
      sha256,
    ]);
  }
}

/** Tables in which migrations put rows. */
const SEEDED = ["ledger_head", "seal_head"];

/** All rows of the export, in the place of those that migrations made. */
async function fill(database: OldDatabase, edit: (table: string, row: Cell[]) => void) {
  const { header, records } = await openExport(RELEASED);
  const columnsOf = new Map(header.tables.map(({ name, columns }) => [name, columns]));
  const tables = tablesOf(header);
  // Only rows that migrations made are in the way; some tables refuse to be emptied.
  for (const { name } of tables.toReversed())
    if (SEEDED.includes(name)) await database.run(`DELETE FROM "${name}"`);
  const add = async (
    name: string,
    encoding: BufferEncoding,
    values: ReadonlyMap<string, unknown>,
  ) => {
    const table = tables.find((one) => one.name === name);
    assert(table !== undefined, name);
    const row = table.columns.map((column) => cellOf(column, values.get(column.name), encoding));
    edit(name, row);
    await database.run(insertInto(table), row);
  };
  for await (const record of records) {
    if (record.type === "row") {
      const names = columnsOf.get(record.table) ?? [];
      const values = new Map(names.map((name, i) => [name, record.cells[i]]));
      await add(record.table, "base64url", values);
    } else if (record.type === "seal") {
      await add("seal", "hex", new Map(Object.entries(record)));
    } else {
      checkKind(record);
      const row = { ...record, ledger_id: record.id, body: flatJson(record.body) };
      await add("ledger_entry", "hex", new Map(Object.entries(row)));
    }
  }
}

/** The tables that the release had; the types of their columns are those of today. */
function tablesOf(header: ExportHeader): readonly Table[] {
  const path = freshSqlite();
  const { tables } = sqliteSnapshot(path);
  const typeOf = (table: string, column: string) =>
    tables.find(({ name }) => name === table)?.columns.find(({ name }) => name === column)?.type;
  return header.tables.map(({ name, columns }) => ({
    name,
    key: [],
    columns: columns.map((column) => ({ name: column, type: typeOf(name, column) ?? "text" })),
  }));
}

const insertInto = ({ name, columns }: Table): string =>
  `INSERT INTO "${name}" (${columns.map((column) => `"${column.name}"`).join()})
   VALUES (${columns.map((_, i) => `$${i + 1}`).join()})`;

function cellOf(
  { type }: Table["columns"][number],
  value: unknown,
  encoding: BufferEncoding,
): Cell {
  if (value === undefined || value === null) return null;
  if (type === "blob" && typeof value === "string") return Buffer.from(value, encoding);
  assert(typeof value === "string" || typeof value === "number");
  return value;
}

/** The released ledger as this version holds and writes it; `edit` may change a row first. */
async function brought(engine: Engine, edit: (table: string, row: Cell[]) => void = () => {}) {
  const database = engine === "sqlite" ? oldSqlite() : await oldPostgres();
  try {
    const { header } = await openExport(RELEASED);
    await migrateTo(header, engine, database);
    await fill(database, edit);
    await database.migrate();
    const file = newFile();
    const snapshot = await database.snapshot();
    await writeExport(snapshot, file).finally(() => snapshot.close());
    return { file, head: header.head };
  } finally {
    await database.drop();
  }
}

/** Every order of the release is what its entries make, so that none stands still after an upgrade. */
async function checkOrders(variables: Readonly<Record<string, string>>): Promise<void> {
  const service = await openService(readConfiguration(variables, {}, true), {
    ...{ baseUrl: "http://127.0.0.1:1", alarm: () => {}, isCommand: true },
  });
  try {
    const { context } = service;
    const rows = await context.read.all(statement("select id from market_order order by id"), []);
    const edited: number[] = [];
    for (const row of rows) {
      const id = Number(Object(row).id);
      if (!(await context.snapshot((read) => isOrderSealed(context, read, id)))) edited.push(id);
    }
    assert.ok(rows.length > 10, `${rows.length} orders`);
    assert.deepEqual(edited, []);
  } finally {
    await service.close();
  }
}

for (const engine of ENGINES) {
  test(`a ledger of release 0.2.0 makes the books that the release kept [${engine}]`, async () => {
    const { file, head } = await brought(engine);
    const { exit_code, report } = await verifyJson([file, "--entries"]);
    assert.equal(exit_code, 0);
    assert.equal(Object(report["head"]).seal_hash, head?.seal_hash);
    const audit = await auditRun([file, "--json", "--state", newFile()]);
    assert.equal(audit.exit_code, 0, audit.text.slice(0, 4_000));
    const { compared, unequal } = JSON.parse(audit.text);
    assert.equal(unequal, 0);
    assert.ok(compared > 1_000, `${compared} figures`);
  });

  test(`a service answers from it as the release did [${engine}]`, async (t) => {
    const { file } = await brought(engine);
    const site = await siteFor(t, engine);
    const variables = { ...site.variables, CAIRN_ORIGIN: "demo.example/network" };
    const imported = await runHere(["import", file], variables);
    assert.equal(imported.code, 0, imported.err);
    const service = await startService(variables);
    try {
      const { get } = clientOf(service.url);
      for (const [route, answered] of Object.entries(ANSWERED)) {
        const { body } = await get(route);
        assert.partialDeepStrictEqual(body, answered, route);
      }
    } finally {
      await service.stop("SIGKILL");
    }
    await checkOrders(variables);
    const exported = newFile();
    assert.equal((await runHere(["export", exported], variables)).code, 0);
    const audit = await auditRun([exported, "--state", newFile()]);
    assert.equal(audit.exit_code, 0, audit.text.slice(0, 4_000));
  });

  test(`a balance that the release did not keep is found [${engine}]`, async () => {
    let edited = 0;
    const { file } = await brought(engine, (table, row) => {
      if (table !== "coin_balance" || edited++ > 0) return;
      const at = row.findIndex((cell) => typeof cell === "number");
      row[at] = Number(row[at]) + 1;
    });
    assert.ok(edited > 0);
    assert.notEqual((await auditRun([file, "--state", newFile()])).exit_code, 0);
  });
}

test("an audit of what an earlier version wrote says so, and finds no fault", async () => {
  assert.equal((await verifyJson([RELEASED, "--entries"])).exit_code, 0);
  const { exit_code, text } = await auditRun([RELEASED, "--state", newFile()]);
  assert.equal(exit_code, 5);
  assert.match(text, /earlier version: it has no column \w+[.]\w+/);
});
