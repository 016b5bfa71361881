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
} from "../../test/database.ts";
import { eventually } from "../../test/postgres-store.ts";
import { MIGRATION_LOCK, migratePostgres } from "./postgres/migrate.ts";
import { migrateSqlite } from "./sqlite/migrate.ts";

const FIRST = "0001-foundation";

/** What the tests do to a database, in words that both engines understand. */
interface Subject {
  run(sql: string): Promise<void>;
  migrate(): Promise<readonly string[]>;
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
    await body({ run, migrate: () => migratePostgres(client) }, client);
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
    await body({ run, migrate: async () => migrateSqlite(database) }, database);
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

    it("write down their step, also in a record that has no room for it yet", () =>
      fresh(async ({ run, migrate }) => {
        const late = "0019-no-index-by-time";
        await run("ALTER TABLE schema_migration DROP COLUMN step");
        assert.deepEqual(await migrate(), []);
        await run(`DELETE FROM schema_migration WHERE name = '${late}'`);
        await run("CREATE INDEX ledger_entry_by_time ON ledger_entry (at, ledger_id)");
        assert.deepEqual(await migrate(), [late]);
        await run("UPDATE schema_migration SET step = NULL WHERE step = 'expand'");
      }));

    it("run one whose number is smaller than that of the last", () =>
      fresh(async ({ run, migrate }) => {
        const late = "0019-no-index-by-time";
        await run(`DELETE FROM schema_migration WHERE name = '${late}'`);
        await run("CREATE INDEX ledger_entry_by_time ON ledger_entry (at, ledger_id)");
        assert.deepEqual(await migrate(), [late]);
        assert.deepEqual(await migrate(), []);
      }));

    it("keep every contribution when its amount becomes optional", () =>
      fresh(async ({ run, migrate }) => {
        const optional = "0035-optional-amounts";
        const made = "INSERT INTO contribution (id, agent, currency, txid, amount, created_at)";
        await run("INSERT INTO agent (id, agent_id, created_at) VALUES (7, 'ag_seven', 1)");
        await run(`${made} VALUES (3, 7, 'other', 'a parcel', '1.50', 1)`);
        await run(`DELETE FROM schema_migration WHERE name = '${optional}'`);
        assert.deepEqual(await migrate(), [optional]);
        await run(`${made} VALUES (4, 7, 'other', 'a letter', NULL, 1)`);
        const same = "currency = 'other' AND txid = 'a parcel' AND amount = '1.50'";
        await run(
          `CREATE TABLE kept AS SELECT 1 / count(*) AS n FROM contribution WHERE id = 3 AND ${same}`,
        );
        await assert.rejects(run(`${made} VALUES (3, 7, 'other', 'c', NULL, 1)`), /unique|UNIQUE/);
      }));

    it("refuse a past migration that was altered", () =>
      fresh(async ({ run, migrate }) => {
        await run("UPDATE schema_migration SET sha256 = 'other' WHERE number = 1");
        await assert.rejects(migrate(), /0001-foundation was changed after/);
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
      console.log((await migrateSqlite(new DatabaseSync(${JSON.stringify(path)}))).length);`;
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

  it("on postgres: one that counts old entries waits for another that drops their table", async () => {
    const url = await freshPostgres();
    const [first, late] = [new Client(url), new Client(url)];
    await Promise.all([first.connect(), late.connect()]);
    await first.query("CREATE TABLE ledger_entry_v1 (ledger_id BIGINT, entry TEXT)");
    await first.query(
      `BEGIN; SELECT pg_advisory_xact_lock(${MIGRATION_LOCK}); DROP TABLE ledger_entry_v1`,
    );
    const applied = migratePostgres(late);
    const waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND database = $1";
    const { rows } = await first.query(
      "SELECT oid FROM pg_database WHERE datname = current_database()",
    );
    await eventually(async () => (await first.query(waiting, [rows[0].oid])).rowCount === 1);
    await first.query("COMMIT");
    assert.deepEqual(await applied, []);
    await Promise.all([first.end(), late.end()]);
    dropPostgres(url);
  });

  it("on postgres: TRUNCATE is refused as well", () =>
    withPostgres(freshPostgres, async ({ run }) => {
      await assert.rejects(run("TRUNCATE ledger_entry CASCADE"), /never deleted/);
      await assert.rejects(run("TRUNCATE seal"), /never deleted/);
    }));
});
