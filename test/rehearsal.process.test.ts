import assert from "node:assert/strict";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { startService } from "./process.ts";
import { clientOf, ENGINES, type Engine } from "./service.ts";
import { folderFor, sealed, siteFor } from "./site.ts";

const HEADER = "cairn-rehearsal";

/** A network with a backup, and a folder in which nothing is. */
async function backedUp(t: TestContext, engine: Engine) {
  const site = await siteFor(t, engine);
  const service = await site.start();
  const { post } = clientOf(service.url);
  const { token } = (await post("/register", { handle: "ada" })).body;
  await post("/post", { body: "kept" }, { token });
  await sealed(service);
  const file = join(folderFor(t), "backup");
  const { code, err } = await site.run("backup", file);
  assert.equal(code, 0, err);
  const drill = await siteFor(t, "sqlite");
  return { site, service, token, file, drill };
}

/** All rows of all tables. */
function rowsOf(dataDir: string) {
  const database = new DatabaseSync(join(dataDir, "cairn.db"), { readOnly: true });
  const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const rows = tables.map(({ name }) => [name, database.prepare(`SELECT * FROM "${name}"`).all()]);
  database.close();
  return rows;
}

for (const engine of ENGINES) {
  test(`a rehearsal answers reads, says so, and changes and signs nothing [${engine}]`, async (t) => {
    const { site, service, token, file, drill } = await backedUp(t, engine);
    const restored = await drill.run("restore", file, "--rehearse", "--json");
    assert.equal(restored.code, 0, restored.out + restored.err);
    const before = rowsOf(drill.dataDir);
    // Settings of the live service, by which it would speak to others and sign.
    const rehearsal = await startService({
      ...drill.variables,
      CAIRN_ORIGIN: "another.test",
      CAIRN_SIGNING_KEY_FILE: join(site.dataDir, "operator.key"),
      CAIRN_BACKUP_DIR: join(drill.dataDir, "missing"),
      CAIRN_WORKERS: "2",
    });
    t.after(() => rehearsal.stop("SIGKILL"));
    const { get, post } = clientOf(rehearsal.url);
    const { body: feed } = await get("/feed");
    assert.equal(feed.posts[0].body, "kept");
    const refused = await post("/post", { body: "never" }, { token });
    assert.deepEqual([refused.status, refused.body.error], [503, "storage_unavailable"]);
    assert.match(refused.body.message, /rehearsal/);
    for (const path of ["/", "/api/v1/feed", "/api/v1/nothing", "/mcp"]) {
      const { headers } = await fetch(rehearsal.url + path);
      assert.match(headers.get(HEADER) ?? "", /^20\d\d-/, path);
    }
    assert.equal((await fetch(`${service.url}/api/v1/feed`)).headers.get(HEADER), null);
    const state = join(folderFor(t), "heads.json");
    const walk = await site.run("verify", rehearsal.url, "--entries", "--state", state);
    assert.equal(walk.code, 0, walk.out + walk.err);
    const hidden = await drill.run("post", "hide", "1", "--rule", "R2");
    assert.deepEqual([hidden.code, /rehearsal/.test(hidden.err)], [1, true], hidden.err);
    assert.equal(await rehearsal.stop("SIGTERM"), 0, rehearsal.output());
    assert.deepEqual(rowsOf(drill.dataDir), before);
    assert.ok(!existsSync(join(drill.dataDir, "signer-memory.json")));
  });
}

test("no key signs in a rehearsal, and strangers do not reach it", async (t) => {
  const { site, service, file, drill } = await backedUp(t, "sqlite");
  const beside = await site.run("restore", file, "--rehearse");
  assert.deepEqual([beside.code, /operator\.key is there/.test(beside.err)], [1, true]);
  assert.equal((await drill.run("restore", file, "--rehearse")).code, 0);
  const opened = await drill.runApart("serve", "--port", "0", "--host", "0.0.0.0");
  assert.deepEqual([opened.code, /loopback/.test(opened.err)], [1, true], opened.err);
  cpSync(join(site.dataDir, "operator.key"), join(drill.dataDir, "operator.key"));
  const keyed = await drill.runApart("serve", "--port", "0");
  assert.deepEqual([keyed.code, /signs nothing/.test(keyed.err)], [1, true], keyed.err);
  await service.stop("SIGTERM");
});

test("a real restore ends a rehearsal, and the doctor knows when the last one was", async (t) => {
  const { site, file, drill } = await backedUp(t, "sqlite");
  const never = await site.run("doctor", "--quick");
  assert.match(never.out, /No rehearsal of a restore is noted/);
  assert.equal((await drill.run("restore", file, "--rehearse")).code, 0);
  const told = await site.run("doctor", "--quick");
  assert.match(told.out, /The last rehearsal of a restore was at 20\d\d-.* of .*backup\./);
  assert.match((await drill.run("doctor", "--quick")).out, /This folder rehearses a restore/);
  const again = await drill.run("restore", file, "--without-key");
  assert.equal(again.code, 1, "its database is there");
  rmSync(join(drill.dataDir, "cairn.db"));
  const real = await drill.run("restore", file, "--without-key");
  assert.equal(real.code, 0, real.err);
  const service = await drill.start();
  assert.equal((await clientOf(service.url).post("/register", { handle: "bob" })).status, 201);
});

test("a damaged mark is never taken for none", async (t) => {
  const { file, drill } = await backedUp(t, "sqlite");
  assert.equal((await drill.run("restore", file, "--rehearse")).code, 0);
  const mark = join(drill.dataDir, "rehearsal.json");
  writeFileSync(mark, readFileSync(mark, "utf8").slice(1));
  const { code, err } = await drill.runApart("serve", "--port", "0");
  assert.deepEqual([code, /is damaged/.test(err)], [1, true], err);
});
