import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { Client } from "pg";
import { ENGINES, openTestService, type TestService } from "../../../test/service.ts";

/** Cuts the last byte off a stored body, as a bad disk would: no trigger stands in the way. */
async function damage({ configuration }: TestService, ledger_id: number): Promise<void> {
  const { databaseUrl, dataDir } = configuration;
  if (databaseUrl === null) {
    const database = new DatabaseSync(join(dataDir, "cairn.db"));
    database.exec(`DROP TRIGGER ledger_entry_never_changes;
      UPDATE ledger_entry SET body = substr(body, 1, length(body) - 1)
      WHERE ledger_id = ${ledger_id}`);
    database.close();
    return;
  }
  const owner = new Client(databaseUrl);
  await owner.connect();
  await owner.query("SET session_replication_role = replica");
  await owner.query(
    "UPDATE ledger_entry SET body = substr(body, 1, length(body) - 1) WHERE ledger_id = $1",
    [ledger_id],
  );
  await owner.end();
}

for (const engine of ENGINES)
  test(`an entry that cannot be read is an error, and all others are read [${engine}]`, async () => {
    const service = await openTestService(engine, "damaged");
    try {
      const ada = await service.register("ada");
      for (const body of ["one", "two", "three"]) await ada.post("/post", { body });
      await service.seal();
      const [, , second, third] = (await service.get("/since?since=0&limit=4")).body.entries;
      await damage(service, second.id);

      const from = (after_id: number, limit: number) =>
        service.get(`/since?after_id=${after_id}&limit=${limit}`);
      const { status, body } = await from(second.id - 1, 2);
      assert.deepEqual([status, body.error], [500, "internal_error"]);
      const later = await from(second.id, 2);
      assert.equal(later.body.entries[0].id, third.id);

      assert.ok(service.alarms.some((what) => what.includes(`Entry ${second.id} `)));
      assert.equal((await service.get("/feed")).body.posts.length, 3);
      const more = await ada.post("/post", { body: "four" });
      assert.equal(more.status, 201);
    } finally {
      await service.close();
    }
  });
