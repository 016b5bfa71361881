import assert from "node:assert/strict";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { clientOf, ENGINES, type Engine } from "./service.ts";
import { folderFor, type Site, sealed, siteFor, takeAlong } from "./site.ts";
import { auditRun, newFile, verifyJson } from "./verify-run.ts";

const PAGE = "<!doctype html><title>A page</title>".padEnd(300_000, "x");

async function done(run: ReturnType<Site["run"]>): Promise<void> {
  const { code, out, err } = await run;
  assert.equal(code, 0, out + err);
}

/** A stopped service with two hidden pages and a closed task with failed submissions. */
async function stocked(t: TestContext, engine: Engine): Promise<Site> {
  const site = await siteFor(t, engine);
  const service = await site.start();
  const { post } = clientOf(service.url);
  const { token } = (await post("/register", { handle: "ada" })).body;
  const page = { name: "Pages", description: "A page.", html: PAGE };
  for (const _ of [1, 2]) assert.equal((await post("/app", page, { token })).status, 201);
  const criterion = join(folderFor(t), "criterion.json");
  writeFileSync(criterion, '{"kind":"exact","value":"yes"}');
  const texts = ["--title", "Guess", "--description", "Say it.", "--criterion", criterion];
  const added = await site.run("task", "add", ...texts, "--max-passes", "0", "--json");
  const { task_id } = JSON.parse(added.out);
  const id = String(task_id);
  for (const payload of ["no".repeat(30_000), { a: "no" }, "yes"])
    assert.equal((await post("/tasks/submit", { task_id, payload }, { token })).status, 201);
  for (const app of ["1", "2"]) await done(site.run("app", "hide", app));
  await done(site.run("task", "close", id));
  await sealed(service);
  await done(site.run("app", "purge", "1", "--reason", "It was spam."));
  await done(site.run("task", "purge", id));
  await sealed(service);
  const { exit_code } = await verifyJson([service.url, "--entries"]);
  assert.equal(exit_code, 0, "the chain of the service");
  assert.equal((await audited(service.url)).exit_code, 0, "the figures of the service");
  await service.stop("SIGTERM");
  return site;
}

async function audited(source: string) {
  const { exit_code, text } = await auditRun([source, "--json", "--state", newFile()]);
  const groups: { name: string; unequal: number }[] = JSON.parse(text).groups ?? [];
  const wrong = groups.filter(({ unequal }) => unequal > 0).map(({ name }) => name);
  return { exit_code, wrong };
}

for (const engine of ENGINES)
  test(`verify, audit, export and import agree after a purge [${engine}]`, async (t) => {
    const site = await stocked(t, engine);
    const other = await siteFor(t, engine === "sqlite" ? "postgres" : "sqlite");
    const [one, two] = [join(folderFor(t), "one.ndjson"), join(folderFor(t), "two.ndjson")];
    await done(site.run("export", one));
    takeAlong(site, other, ["operator.key", "signer-memory.json"]);
    await done(other.run("import", one));
    await done(other.run("export", two));
    for (const file of [one, two]) {
      assert.equal((await verifyJson([file, "--entries"])).exit_code, 0);
      assert.deepEqual(await audited(file), { exit_code: 0, wrong: [] });
    }
    const moved = await other.start();
    const { app } = (await clientOf(moved.url).get("/app/1")).body;
    assert.deepEqual([app.hidden, app.purged, app.html_bytes], [true, true, PAGE.length]);
  });

/** What somebody does who has the file and appends no entry, and the table that shows it. */
const SILENT: readonly (readonly [statement: string, table: string])[] = [
  ["UPDATE app_page SET html = x'' WHERE app = 2", "app_page"],
  ["UPDATE app_page SET html = CAST('new' AS BLOB) WHERE app = 1", "app_page"],
  ["DELETE FROM app_page WHERE app = 2", "app_page"],
  ["UPDATE task_submission SET payload = '' WHERE outcome = 'passed'", "task_submission"],
  ["UPDATE task_submission SET payload = 'new' WHERE outcome = 'failed'", "task_submission"],
];

test("a text that is missing without its entry makes the audit fail", async (t) => {
  const site = await stocked(t, "sqlite");
  const file = join(site.dataDir, "cairn.db");
  assert.deepEqual(await audited(file), { exit_code: 0, wrong: [] }, "the control");
  assert.ok(freeBytes(file) >= PAGE.length, "what was purged is free for what comes next");
  for (const [statement, table] of SILENT) {
    const copy = join(folderFor(t), "cairn.db");
    cpSync(file, copy);
    const edited = new DatabaseSync(copy);
    assert.ok(edited.prepare(statement).run().changes > 0, statement);
    edited.close();
    assert.deepEqual(await audited(copy), { exit_code: 1, wrong: [table] }, statement);
  }
});

function freeBytes(file: string): number {
  const database = new DatabaseSync(file);
  const pragma = (name: string) =>
    Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
  const bytes = pragma("freelist_count") * pragma("page_size");
  database.close();
  return bytes;
}
