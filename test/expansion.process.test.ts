import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { Client } from "pg";
import { ENGINES } from "./service.ts";
import { folderFor, liveOn, type Site, sealed, siteFor } from "./site.ts";

const LATER = `CREATE TABLE mood (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL);
  ALTER TABLE post ADD COLUMN mood TEXT;
  ALTER TABLE agent ADD COLUMN moods INTEGER NOT NULL DEFAULT 0;
  CREATE INDEX post_by_mood ON post (mood);`;
const RECORD = (step: string) =>
  `INSERT INTO schema_migration VALUES (9999, '9999-moods', 'later', '${step}');`;

/** What the next version's first start does. */
async function migrateBeyond({ engine, dataDir, variables }: Site, sql: string): Promise<void> {
  if (engine === "sqlite") {
    const database = new DatabaseSync(join(dataDir, "cairn.db"));
    database.exec(sql);
    database.close();
    return;
  }
  const client = new Client(variables["CAIRN_DATABASE_URL"]);
  await client.connect();
  await client.query(sql);
  await client.end();
}

async function succeeds(site: Site, ...args: string[]): Promise<string> {
  const { code, out, err } = await site.run(...args);
  assert.equal(code, 0, `${args.join(" ")}: ${out}${err}`);
  return out;
}

for (const engine of ENGINES) {
  test(`this version runs on the schema of the next one [${engine}]`, async (t: TestContext) => {
    const site = await siteFor(t, engine);
    const before = await site.start();
    await before.stop("SIGTERM");
    await migrateBeyond(site, LATER + RECORD("expand"));

    const service = await site.start();
    await liveOn(site, service);
    await sealed(service);
    assert.match((await site.run("doctor")).out, /9999-moods, which this program may ignore/);
    const backup = join(folderFor(t), engine === "sqlite" ? "copy.db" : "copy.ndjson.gz");
    assert.match(await succeeds(site, "backup", backup), /verif/);
    assert.equal(await service.stop("SIGTERM"), 0);

    await migrateBeyond(site, "UPDATE schema_migration SET step = 'contract' WHERE number = 9999");
    await assert.rejects(site.start(), /9999-moods.* at least as new/);
  });
}
