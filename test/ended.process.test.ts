import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { brotliDecompressSync } from "node:zlib";
import { Client } from "pg";
import { endedForm } from "../src/platform/kernel/ended-form.ts";
import { ENGINES, type Engine } from "./service.ts";
import { folderFor, type Site, sealed, siteFor } from "./site.ts";

/*
 * What the last commit that reads them made of two new networks: the file that `cairn backup` wrote on SQLite, and on
 * PostgreSQL the export that it wrote, the record of the migrations and the entries.
 */
const MADE = join(import.meta.dirname, "vectors/before-0.3.0");

/** A backup of before, as a file of its own. */
function backupIn(folder: string): string {
  const path = join(folder, "before.db");
  writeFileSync(path, brotliDecompressSync(readFileSync(join(MADE, "backup.db.br"))));
  return path;
}

function exportIn(folder: string): string {
  const path = join(folder, "before.ndjson.gz");
  copyFileSync(join(MADE, "export.ndjson.gz"), path);
  return path;
}

/** The database of a data folder, whose log holds a write: as a stopped service leaves it, or a killed one. */
function folderOf(path: string, left: "stopped" | "killed", t: TestContext): void {
  const kept = backupIn(folderFor(t));
  const database = new DatabaseSync(kept);
  database.exec("PRAGMA journal_mode = WAL; INSERT INTO row_count VALUES ('test', 1, 1)");
  if (left === "stopped") database.close();
  for (const end of left === "killed" ? ["", "-wal"] : [""]) copyFileSync(kept + end, path + end);
  if (left === "killed") database.close();
}

/** Every file of a folder with its bytes and its time, and the folder's own. */
const filesIn = (folder: string) =>
  ["", ...readdirSync(folder)].map((name) => {
    const path = join(folder, name);
    const { mtimeNs, ctimeNs, size } = statSync(path, { bigint: true });
    const bytes = name === "" ? "" : readFileSync(path);
    return {
      name,
      mtimeNs,
      ctimeNs,
      size,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    };
  });

async function onServer<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url);
  await client.connect();
  return work(client).finally(() => client.end());
}

/** Every object of the schema, when it was last changed, and all rows. */
const objectsIn = (url: string) =>
  onServer(url, async (client) => {
    const objects =
      "SELECT relname, xmin::text FROM pg_class WHERE relnamespace = 'public'::regnamespace";
    const rows = ["schema_migration", "ledger_entry"].map(
      (table) => `SELECT '${table}' AS relname, xmin::text || t::text AS xmin FROM ${table} t`,
    );
    return (await client.query(`${[objects, ...rows].join(" UNION ALL ")} ORDER BY 1, 2`)).rows;
  });

/** A site with the database of before, and how to see whether anything of it changed. */
async function siteOf(t: TestContext, engine: Engine, left: "stopped" | "killed") {
  const site = await siteFor(t, engine);
  if (engine === "sqlite") folderOf(join(site.dataDir, "cairn.db"), left, t);
  const url = site.variables["CAIRN_DATABASE_URL"] ?? "";
  if (engine === "postgres")
    await onServer(url, (client) => client.query(readFileSync(join(MADE, "postgres.sql"), "utf8")));
  const seen = async () => ({
    files: filesIn(site.dataDir),
    objects: engine === "postgres" ? await objectsIn(url) : [],
  });
  const what =
    engine === "sqlite"
      ? `The database ${join(site.dataDir, "cairn.db")}`
      : "The PostgreSQL database";
  return { site, seen, sentence: endedForm(what) };
}

/** A backup and an export of this version, of each kind that a command brings back. */
async function presentCopies(t: TestContext) {
  const site = await siteFor(t, "sqlite");
  const service = await site.start();
  await sealed(service);
  const folder = folderFor(t);
  const [backup, exported] = [join(folder, "now.db"), join(folder, "now.ndjson")];
  assert.equal((await site.run("backup", backup)).code, 0);
  assert.equal((await site.run("export", exported)).code, 0);
  await service.stop("SIGTERM");
  return { backup, exported };
}

/** Only a file says how the service ended. */
const LEFT = { sqlite: ["stopped", "killed"], postgres: ["stopped"] } as const;

async function refuses(site: Site, words: readonly string[], code: number, sentence: string) {
  const ended = await site.run(...words);
  const [command = ""] = words;
  assert.equal(ended.code, code, `${command}: ${ended.out}${ended.err}`);
  if (command === "doctor") assert.ok(ended.out.includes(sentence), ended.out);
  else assert.equal(ended.err.trimEnd(), sentence, command);
  assert.doesNotMatch(ended.out + ended.err, /at least as new/);
}

for (const engine of ENGINES)
  for (const left of LEFT[engine])
    test(`every command refuses a database of before, and changes nothing [${engine}, ${left}]`, async (t) => {
      const { site, seen, sentence } = await siteOf(t, engine, left);
      const { backup, exported } = await presentCopies(t);
      const to = folderFor(t);
      const before = await seen();
      const started = await site.runApart("serve", "--port", "0");
      assert.equal(started.code, 1, started.out);
      assert.equal(started.err.trimEnd(), sentence);
      for (const words of [
        ["doctor"],
        ["doctor", "--quick"],
        ["backup", join(to, "backup")],
        ["export", join(to, "export.ndjson")],
        ["restore", engine === "sqlite" ? backup : exported],
        ["import", exported],
        ["init", "--yes"],
        ["agent", "list"],
      ])
        await refuses(site, words, 1, sentence);
      assert.deepEqual(await seen(), before);
      assert.deepEqual(readdirSync(to), []);
    });

for (const engine of ENGINES)
  test(`every command refuses a copy of before, and makes nothing of it [${engine}]`, async (t) => {
    const site = await siteFor(t, engine);
    const from = folderFor(t);
    const [backup, exported] = [backupIn(from), exportIn(from)];
    const before = filesIn(from);
    rmdirSync(site.dataDir);
    const state = ["--state", join(from, "heads.json")];
    if (engine === "sqlite")
      await refuses(site, ["restore", backup], 5, endedForm(`The backup ${backup}`));
    for (const command of ["restore", "import"])
      await refuses(site, [command, exported], 5, endedForm(`The export ${exported}`));
    for (const command of ["audit", "verify"])
      await refuses(site, [command, backup, ...state], 5, endedForm(`The database ${backup}`));
    assert.deepEqual(filesIn(from), before);
    assert.ok(!existsSync(site.dataDir));
  });

test("an audit of a file that the version before has written names what it lacks, and finds no fault", async (t) => {
  const { backup } = await presentCopies(t);
  const database = new DatabaseSync(backup);
  database.exec("ALTER TABLE market_offer DROP COLUMN unflaggings");
  database.close();
  const site = await siteFor(t, "sqlite");
  const { code, err } = await site.run(
    "audit",
    backup,
    "--state",
    join(folderFor(t), "heads.json"),
  );
  assert.equal(code, 5, err);
  assert.match(err, /written by an earlier version: it has no column market_offer\.unflaggings\./);
});
