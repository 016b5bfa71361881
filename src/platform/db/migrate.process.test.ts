import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { Client } from "pg";
import {
  dropPostgres,
  dropSqlite,
  emptyPostgres,
  freshPostgres,
  freshSqlite,
} from "../../../test/database.ts";
import { type Migration, migrationOf, migrationsOf } from "./migrate.ts";
import { migratePostgres } from "./postgres/migrate.ts";
import { migrateSqlite } from "./sqlite/migrate.ts";

const FIRST = "0001-schema";

/** What later versions may bring: one that only adds, and one after which the version before it cannot run. */
const MOODS = migrationOf(
  "0002-moods",
  `-- expand
  ALTER TABLE post ADD COLUMN mood TEXT;
  CREATE TABLE mood (post INTEGER NOT NULL PRIMARY KEY, mood TEXT NOT NULL);`,
);
const TITLES = migrationOf(
  "0003-titles",
  `-- contract
  ALTER TABLE quest DROP COLUMN description;
  UPDATE quest SET title = 'Untitled' WHERE title = '';`,
);

/** What the tests do to a database, in words that both engines understand. */
interface Subject {
  run(sql: string): Promise<void>;
  /** Unless given, by the migrations of this version; else by these after them. */
  migrate(...later: readonly Migration[]): Promise<readonly string[]>;
}

async function withPostgres(
  make: () => Promise<string>,
  body: (subject: Subject, client: Client) => Promise<void>,
): Promise<void> {
  const url = await make();
  const client = new Client(url);
  await client.connect();
  try {
    const run = async (sql: string) => void (await client.query(sql));
    const known = migrationsOf("postgres");
    const migrate: Subject["migrate"] = (...later) => migratePostgres(client, [...known, ...later]);
    await body({ run, migrate }, client);
  } finally {
    await client.end();
    dropPostgres(url);
  }
}

async function withSqlite(
  make: () => string,
  body: (subject: Subject, database: DatabaseSync) => Promise<void>,
): Promise<void> {
  const path = make();
  const database = new DatabaseSync(path);
  try {
    const run = async (sql: string) => database.exec(sql);
    const known = migrationsOf("sqlite");
    const migrate: Subject["migrate"] = async (...later) =>
      migrateSqlite(database, [...known, ...later]);
    await body({ run, migrate }, database);
  } finally {
    database.close();
    dropSqlite(path);
  }
}

function emptySqlite(): string {
  const path = freshSqlite();
  rmSync(path);
  return path;
}

const engines = {
  sqlite: {
    empty: (body: (subject: Subject) => Promise<void>) => withSqlite(emptySqlite, body),
    fresh: (body: (subject: Subject) => Promise<void>) => withSqlite(freshSqlite, body),
  },
  postgres: {
    empty: (body: (subject: Subject) => Promise<void>) => withPostgres(emptyPostgres, body),
    fresh: (body: (subject: Subject) => Promise<void>) => withPostgres(freshPostgres, body),
  },
};

for (const [engine, { empty, fresh }] of Object.entries(engines)) {
  describe(`migrations on ${engine}`, () => {
    it("run once", () =>
      empty(async ({ migrate }) => {
        assert.ok((await migrate()).includes(FIRST));
        assert.deepEqual(await migrate(), []);
      }));

    it("leave nothing behind when one fails", () =>
      empty(async ({ run, migrate }) => {
        await run("CREATE TABLE topic (topic TEXT)");
        await assert.rejects(migrate(), /topic/);
        await run("DROP TABLE topic");
        assert.ok((await migrate()).includes(FIRST));
      }));

    it("refuse a database that is newer than the program, and name both versions", () =>
      fresh(async ({ run, migrate }) => {
        await run(
          "INSERT INTO schema_migration (number, name, sha256) VALUES (9999, '9999-from-the-future', '')",
        );
        await assert.rejects(migrate(), /9999-from-the-future.* none after \d{4}-/);
      }));

    it("run on a database that newer programs have only expanded", () =>
      fresh(async ({ run, migrate }) => {
        const later = (number: number, step: string) =>
          run(`INSERT INTO schema_migration VALUES (${number}, '${number}-later', '', '${step}')`);
        await later(9998, "expand");
        await later(9999, "expand");
        assert.deepEqual(await migrate(), []);
        await later(9997, "contract");
        await assert.rejects(migrate(), /9997-later.* none after/);
      }));

    it("of later versions run after those of this one, and keep what is there", () =>
      fresh(async ({ run, migrate }) => {
        await run(`INSERT INTO quest (id, title, description, bounty_days, created_at, awards)
          VALUES (7, '', 'Find it.', 3, 1, 0)`);
        await run("INSERT INTO agent (id, agent_id, created_at) VALUES (5, 'ag_five', 1)");
        await run(`INSERT INTO recognition (id, agent, days, why, granted_at)
          VALUES (9, 5, 3, 'quest', 1)`);
        await run("INSERT INTO quest_award (quest, agent, recognition) VALUES (7, 5, 9)");
        assert.deepEqual(await migrate(MOODS, TITLES), [MOODS.name, TITLES.name]);
        assert.deepEqual(await migrate(MOODS, TITLES), []);
        const kept = `SELECT count(*) FROM quest JOIN quest_award ON quest = quest.id
          WHERE quest.id = 7 AND title = 'Untitled'`;
        await run(`CREATE TABLE kept (n INTEGER CHECK (n = 1)); INSERT INTO kept ${kept}`);
        await assert.rejects(run("SELECT description FROM quest"), /description/);
      }));

    it("write down their step, by which the version before knows whether it may run", () =>
      fresh(async ({ migrate }) => {
        assert.deepEqual(await migrate(MOODS), [MOODS.name]);
        assert.deepEqual(await migrate(), []);
        assert.deepEqual(await migrate(MOODS, TITLES), [TITLES.name]);
        await assert.rejects(migrate(MOODS), /0003-titles.* none after 0002-moods/);
      }));

    it("run one whose number is smaller than that of the last", () =>
      fresh(async ({ migrate }) => {
        assert.deepEqual(await migrate(TITLES), [TITLES.name]);
        assert.deepEqual(await migrate(MOODS, TITLES), [MOODS.name]);
        assert.deepEqual(await migrate(MOODS, TITLES), []);
      }));

    it("leave nothing of any behind when the last one fails", () =>
      fresh(async ({ run, migrate }) => {
        const wrong = migrationOf("0004-wrong", "-- contract\nDROP TABLE nothing;");
        await assert.rejects(migrate(MOODS, TITLES, wrong), /nothing/);
        await run("SELECT description FROM quest");
        assert.deepEqual(await migrate(MOODS, TITLES), [MOODS.name, TITLES.name]);
      }));

    it("refuse a past migration that was altered", () =>
      fresh(async ({ run, migrate }) => {
        await run("UPDATE schema_migration SET sha256 = 'other' WHERE number = 1");
        await assert.rejects(migrate(), /0001-schema was changed after/);
      }));

    it("make a ledger that refuses change", () =>
      fresh(async ({ run }) => {
        const leaf = engine === "sqlite" ? "zeroblob(32)" : "decode(repeat('00', 32), 'hex')";
        await run(`INSERT INTO ledger_entry (ledger_id, at, kind, shape, ref, body, leaf)
          SELECT 1, 1, 1, 1, '1', ${leaf}, ${leaf}`);
        await assert.rejects(run("UPDATE ledger_entry SET body = leaf"), /never changes/);
        await assert.rejects(run("UPDATE ledger_entry SET ledger_id = 2"), /never changes/);
        await assert.rejects(run("DELETE FROM ledger_entry"), /never deleted/);
      }));
  });
}

describe("migrations at the same time", () => {
  it("on sqlite: one process migrates, the other waits", async () => {
    const path = emptySqlite();
    const source = new URL("./sqlite/migrate.ts", import.meta.url).href;
    const code = `import { DatabaseSync } from "node:sqlite";
      import { migrateSqlite } from ${JSON.stringify(source)};
      console.log((migrateSqlite(new DatabaseSync(${JSON.stringify(path)}))).length);`;
    const start = () => promisify(execFile)(process.execPath, ["--input-type=module", "-e", code]);
    const runs = await Promise.all([start(), start()]);
    const applied = runs.map(({ stdout }) => Number(stdout)).sort();
    assert.equal(applied[0], 0);
    assert.notEqual(applied[1], 0);
    dropSqlite(path);
  });

  it("on postgres: one process migrates, the others wait", async () => {
    const url = await emptyPostgres();
    const clients = Array.from({ length: 4 }, () => new Client(url));
    await Promise.all(clients.map((client) => client.connect()));
    const applied = await Promise.all(clients.map((client) => migratePostgres(client)));
    assert.equal(applied.filter((names) => names.length > 0).length, 1);
    await Promise.all(clients.map((client) => client.end()));
    dropPostgres(url);
  });

  it("on postgres: TRUNCATE is refused as well", () =>
    withPostgres(freshPostgres, async ({ run }) => {
      await assert.rejects(run("TRUNCATE ledger_entry CASCADE"), /never deleted/);
      await assert.rejects(run("TRUNCATE seal"), /never deleted/);
    }));
});
