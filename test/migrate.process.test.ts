import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { Client } from "pg";
import { MOVED_AT_START_MAX } from "../src/db/migrate.ts";
import { postgresSnapshot } from "../src/db/postgres/copy.ts";
import { migratePostgres } from "../src/db/postgres/migrate.ts";
import { sqliteSnapshot } from "../src/db/sqlite/copy.ts";
import { migrateSqlite } from "../src/db/sqlite/migrate.ts";
import type { Snapshot } from "../src/db/table-copy.ts";
import { sealedAfter } from "../src/ledger/entry-queries.ts";
import { dropPostgres, emptyPostgres } from "./database.ts";
import { type OldEntry, oldEntries, oldPostgres, oldSqlite } from "./old-ledger.ts";
import { CAIRN } from "./process.ts";
import { ENGINES, type Engine } from "./service.ts";
import { folderFor, type Site, siteFor } from "./site.ts";

const KILLS = Math.min(Number(process.env["TEST_KILLS"] ?? 3), 200);
/** Three full slices, and one that is not. */
const ENTRIES = 14_000;

const ROOT = join(import.meta.dirname, "..");

/** A site whose database a version before has written; `again` writes it anew. */
async function oldSite(t: TestContext, engine: Engine, entries: readonly OldEntry[]) {
  const site = await siteFor(t, engine);
  if (engine === "sqlite") {
    const kept = join(folderFor(t), "old.db");
    oldSqlite(kept, entries);
    mkdirSync(site.dataDir, { recursive: true });
    const path = join(site.dataDir, "cairn.db");
    const again = async () => {
      for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
      copyFileSync(kept, path);
    };
    await again();
    return { site, again, open: async () => sqliteSnapshot(path), path };
  }
  const url = site.variables["CAIRN_DATABASE_URL"] ?? "";
  const again = async () => {
    const client = new Client(url);
    await client.connect();
    await client.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    await client.end();
    await oldPostgres(url, entries);
  };
  await again();
  return { site, again, open: () => postgresSnapshot(url), path: "" };
}

/** Every entry with its sealed text and its leaf. */
async function entriesOf(snapshot: Snapshot): Promise<readonly OldEntry[]> {
  const rows = await sealedAfter.all(snapshot.read, { after_id: 0, limit: ENTRIES + 1 });
  await snapshot.close();
  return rows.map((row) => ({ ...row, leaf: Uint8Array.from(row.leaf) }));
}

/** Starts `cairn migrate` and kills it so many milliseconds after it has begun; whether it had not ended. */
async function killedAfter(site: Site, pause_ms: number): Promise<boolean> {
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE, ...site.variables };
  const options = { cwd: ROOT, env, stdio: "ignore" } as const;
  const child = spawn(process.execPath, [CAIRN, "migrate", "--yes"], options);
  const gone = once(child, "close");
  await Promise.race([gone, setTimeout(pause_ms)]);
  child.kill("SIGKILL");
  return (await gone)[1] === "SIGKILL";
}

for (const engine of ENGINES) {
  test(`a migration that is killed anywhere goes on, to the same entries [${engine}]`, async (t) => {
    const entries = oldEntries(ENTRIES);
    const { site, again, open } = await oldSite(t, engine, entries);
    const plan = await site.run("migrate", "--json");
    assert.equal(plan.code, 0, plan.err);
    assert.equal(JSON.parse(plan.out).entries, ENTRIES);
    const begun = performance.now();
    const whole = await site.run("migrate", "--yes");
    const whole_ms = performance.now() - begun;
    assert.equal(whole.code, 0, whole.err);
    assert.deepEqual(await entriesOf(await open()), entries);

    await again();
    let kills = 0;
    for (let run = 0; kills < KILLS; run++) {
      assert.ok(run < 20 * KILLS + 20, "it is killed at times");
      // Most of a run is the start of the program; the move is its end.
      if (await killedAfter(site, whole_ms * (0.3 + 0.7 * Math.random()))) kills++;
      else {
        assert.deepEqual(await entriesOf(await open()), entries);
        await again();
      }
    }
    const rest = await site.run("migrate", "--yes");
    assert.equal(rest.code, 0, rest.err);
    assert.deepEqual(await entriesOf(await open()), entries);
    const nothing = await site.run("migrate");
    assert.match(nothing.out, /No entry is in the form of an earlier version/);
  });

  test(`an entry that is not what its leaf says ends the migration [${engine}]`, async (t) => {
    const entries = oldEntries(30).map((one) =>
      one.ledger_id === 20 ? { ...one, body: one.body.replace("ag_", "ab_") } : one,
    );
    const { site, open } = await oldSite(t, engine, entries);
    const { code, err } = await site.run("migrate", "--yes");
    assert.equal(code, 3, err);
    assert.match(err, /Entry 20 is not what its leaf says/);
    await assert.rejects(async () => open(), /run `cairn migrate`/);
    const { err: why } = await site.run("export", join(folderFor(t), "export.ndjson"));
    assert.match(why, /^The .*database .*cannot be (read|used): its entries are in the form of/m);
  });
}

test("a file that is no database is named", async (t) => {
  const site = await siteFor(t, "sqlite");
  mkdirSync(site.dataDir, { recursive: true });
  writeFileSync(join(site.dataDir, "cairn.db"), "no database ".repeat(100));
  const { code, err } = await site.run("migrate", "--yes");
  assert.equal(code, 1);
  assert.match(err, /^The database .*cairn\.db cannot be used: file is not a database\./m);
});

if (ENGINES.includes("postgres"))
  test("entries of another schema of the same database are left alone", async () => {
    const url = await emptyPostgres();
    const client = new Client(url);
    await client.connect();
    await client.query("CREATE SCHEMA staging; CREATE TABLE staging.ledger_entry_v1 (id BIGINT)");
    await migratePostgres(client)
      .then(() => migratePostgres(client))
      .finally(() => client.end());
    dropPostgres(url);
  });

test("a service leaves more than a million entries to the command, and changes nothing", async (t) => {
  assert.equal(MOVED_AT_START_MAX, 1_000_000);
  const path = join(folderFor(t), "old.db");
  oldSqlite(path, oldEntries(30));
  const database = new DatabaseSync(path);
  await assert.rejects(migrateSqlite(database, { entriesMax: 29 }), /30 entries .*`cairn migrate`/);
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'ledger_entry%'");
  assert.ok(!tables.all().some(({ name }) => name === "ledger_entry_v1"));
  await migrateSqlite(database, { entriesMax: 30 });
  database.close();
  if (!ENGINES.includes("postgres")) return;
  const url = await emptyPostgres();
  await oldPostgres(url, oldEntries(30));
  const client = new Client(url);
  await client.connect();
  await assert.rejects(migratePostgres(client, { entriesMax: 29 }), /30 entries/);
  await migratePostgres(client, { entriesMax: 30 });
  await client.end();
  dropPostgres(url);
});
