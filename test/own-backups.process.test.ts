import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { copiesIn, removeOld, whyNotBackUp } from "../src/main/backups/backups.ts";
import { eventually } from "./postgres-store.ts";
import { startService } from "./process.ts";
import { clientOf, ENGINES } from "./service.ts";
import { folderFor, sealed, siteFor, withoutDatabase } from "./site.ts";

for (const engine of ENGINES) {
  test(`a service makes backups by itself, and keeps the newest [${engine}]`, async (t) => {
    const site = await siteFor(t, engine);
    const folder = folderFor(t);
    const more = { CAIRN_BACKUP_DIR: folder, CAIRN_BACKUP_KEEP: "2" };
    const old = ["cairn-20260101T000000Z.db", "cairn-20260102T000000Z.ndjson.gz"];
    for (const name of [...old, "notes.txt"]) writeFileSync(join(folder, name), "");
    const service = await startService({ ...site.variables, ...more });
    t.after(() => service.stop("SIGKILL"));
    await eventually(
      async () => copiesIn(folder).length === 2 && !copiesIn(folder).includes(old[0] ?? ""),
    );
    const [kept = "", made = ""] = copiesIn(folder);
    assert.equal(kept, old[1]);
    assert.ok(existsSync(join(folder, "notes.txt")), "only copies are deleted");
    assert.ok(existsSync(join(site.dataDir, "last-backup.json")));
    await service.stop("SIGTERM");
    const restored = await (await withoutDatabase(t, site)).run("restore", join(folder, made));
    assert.equal(restored.code, 0, restored.err);
  });

  test(`an erased text stays erased when an older backup comes back [${engine}]`, async (t) => {
    const site = await siteFor(t, engine);
    const service = await site.start();
    const { post, get } = clientOf(service.url);
    const { token } = (await post("/register", { handle: "ada" })).body;
    await post("/post", { body: "An address of somebody." }, { token });
    await post("/claim", { statement: "Somebody lives there." }, { token });
    await sealed(service);
    const backup = join(folderFor(t), "before.backup");
    assert.equal((await site.run("backup", backup)).code, 0);
    for (const words of [
      ["post", "hide", "1"],
      ["text", "hide", "claim", "1"],
      ["text", "erase", "post", "1", "--yes"],
      ["text", "erase", "claim", "1", "--yes"],
    ]) {
      const { code, err } = await site.run(...words);
      assert.equal(code, 0, err);
    }
    await sealed(service);
    assert.equal((await get("/claim/1")).body.claim.statement, "[removed by the operator]");
    await service.stop("SIGTERM");

    const later = await withoutDatabase(t, site);
    assert.equal((await later.run("restore", backup)).code, 0);
    const again = await later.start();
    const read = clientOf(again.url);
    await sealed(again);
    const { posts } = (await read.get("/feed")).body;
    assert.deepEqual(posts, []);
    assert.equal((await read.get("/claim/1")).body.claim.statement, "[removed by the operator]");
    const state = ["--state", join(later.dataDir, "heads.json")];
    const { entries } = (await read.get("/since?after_id=0&kinds=text_erased")).body;
    assert.deepEqual(entries.map(({ ref }: { ref: string }) => ref).sort(), ["claim/1", "post/1"]);
    const audit = await later.run("audit", again.url, ...state);
    assert.equal(audit.code, 0, audit.out + audit.err);
    if (engine === "sqlite") {
      await again.stop("SIGTERM");
      const file = await later.run("audit", join(later.dataDir, "cairn.db"), ...state);
      assert.equal(file.code, 0, file.out + file.err);
    }
  });
}

test("no backup begins in a folder that is not there, or too full", () => {
  assert.match(whyNotBackUp("/no/such", 1) ?? "", /no folder \/no\/such.*mounted/);
  assert.match(whyNotBackUp("/tmp", 2 ** 60) ?? "", /needs \d+ MiB in \/tmp/);
  assert.equal(whyNotBackUp("/tmp", 1), null);
});

test("the oldest copies go, and nothing else", (t) => {
  const folder = folderFor(t);
  mkdirSync(join(folder, "cairn-x"));
  const names = [1, 2, 3, 4].map((day) => `cairn-2027010${day}T000000Z.db`);
  for (const name of [...names, "operator.key", "cairn-20270101T000000Z.db.part"])
    writeFileSync(join(folder, name), name);
  removeOld(folder, 3);
  removeOld(folder, 3);
  assert.deepEqual(copiesIn(folder), names.slice(1));
  assert.equal(readdirSync(folder).length, 6);
  assert.equal(readFileSync(join(folder, "operator.key"), "utf8"), "operator.key");
  rmSync(folder, { recursive: true });
});
