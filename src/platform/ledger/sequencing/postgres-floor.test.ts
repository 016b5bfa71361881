import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Client } from "pg";
import {
  eventually,
  type Setting,
  systemNow,
  TOLD,
  times,
  withStore,
} from "../../../../test/postgres-store.ts";
import { statement } from "../../../../test/statement.ts";
import { transaction } from "../../db/postgres/connection.ts";
import { openPool, usesOf } from "../../db/postgres/pool.ts";
import { append } from "../append.ts";
import { networkClock } from "../clocks/clock.ts";
import { RULES } from "../rules.ts";
import { journalOf } from "./sequence.ts";

const tell = (setting: Setting, name: string) =>
  setting.store.write(async (tx) => append(tx, TOLD, { name }));

const numberFrom = async ({ other }: Setting, sql: string): Promise<number> =>
  Number(Object.values((await other.query(sql)).rows[0])[0]);

const floorOf = (setting: Setting) => numberFrom(setting, "SELECT floor FROM ledger_floor");
const recentOf = (setting: Setting) => numberFrom(setting, "SELECT count(*) FROM ledger_recent");
const storedOf = (setting: Setting) => numberFrom(setting, "SELECT count(*) FROM ledger_entry");

/** Transactions of other tests on the same server hold the floor back, too. */
const untilRaised = (setting: Setting, upkeep: () => Promise<void>, row_id: number) =>
  eventually(async () => {
    await upkeep();
    return (await floorOf(setting)) >= row_id;
  });

const untilForgotten = (setting: Setting, upkeep: () => Promise<void>) =>
  eventually(async () => {
    await upkeep();
    return (await recentOf(setting)) === 0;
  });

/** What a node does every ten seconds, at once. */
async function withUpkeep(
  body: (setting: Setting, upkeep: () => Promise<void>) => Promise<void>,
): Promise<void> {
  await withStore(async (setting) => {
    const pool = openPool(setting.url, usesOf(120_000, 2, "public").service, () => {});
    const journal = journalOf({
      clock: networkClock({ now: systemNow }, "refused"),
      projectors: [],
    });
    try {
      await body(setting, async () => {
        await transaction(pool, "sequence", (tx) => journal.upkeep(tx, undefined));
        await transaction(pool, "sequence", (tx) => journal.forget(tx));
      });
    } finally {
      await pool.end();
    }
  });
}

describe("the floor of sequencing", { concurrency: 3 }, () => {
  it("stays below an entry of later rules, which only a newer program places", () =>
    withUpkeep(async (setting, upkeep) => {
      const { rows } = await setting.other.query(
        "INSERT INTO ledger_pending (kind, ref, body, rules) VALUES ('told', 'later', '{}', $1) RETURNING row_id",
        [RULES + 1],
      );
      for (let n = 0; n < 5; n++) await upkeep();
      assert.ok((await floorOf(setting)) < Number(rows[0].row_id));
    }));

  it("follows the entries, and names are forgotten behind it", () =>
    withUpkeep(async (setting, upkeep) => {
      await Promise.all(times(5, (n) => tell(setting, `${n}`)));
      await setting.store.sequence();
      assert.equal(await recentOf(setting), 5);
      await untilForgotten(setting, upkeep);
      assert.ok((await floorOf(setting)) >= 5);
      await tell(setting, "later");
      await setting.store.sequence();
      assert.equal(await storedOf(setting), 6);
    }));

  it("stays below what a transaction that still runs may bring", () =>
    withUpkeep(async (setting, upkeep) => {
      const slow = new Client(setting.url);
      await slow.connect();
      await slow.query("BEGIN");
      await slow.query(
        "INSERT INTO ledger_pending (kind, ref, body, rules) VALUES ('told', 'slow', '{}', 1)",
      );
      await tell(setting, "quick");
      for (let turn = 0; turn < 4; turn++) await upkeep();
      assert.equal(await floorOf(setting), 0);
      await slow.query("COMMIT");
      await slow.end();
      await untilRaised(setting, upkeep, 2);
      assert.equal(await storedOf(setting), 2);
    }));

  it("rises while a snapshot is held, and sequencing does not look at what it keeps", () =>
    withUpkeep(async (setting, upkeep) => {
      const dump = new Client(setting.url);
      dump.on("error", () => {}); // When an assertion fails, the database goes away under it.
      await dump.connect();
      await dump.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      await dump.query("SELECT count(*) FROM ledger_entry");
      await Promise.all(times(1_000, (n) => tell(setting, `${n}`)));
      await untilRaised(setting, upkeep, 1_000);
      const floor = await floorOf(setting);
      await setting.other.query("SET enable_seqscan = off");
      const { rows } = await setting.other.query(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT row_id FROM ledger_pending
         WHERE row_id > ${floor} ORDER BY row_id LIMIT 1000`,
      );
      const all = await setting.other.query(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT row_id FROM ledger_pending
         WHERE row_id > 0 ORDER BY row_id LIMIT 1000`,
      );
      const pages = (found: typeof rows) => found[0]["QUERY PLAN"][0].Plan["Shared Hit Blocks"];
      assert.ok(pages(rows) < pages(all.rows), `${pages(rows)} of ${pages(all.rows)} pages`);
      await dump.query("COMMIT");
      await dump.end();
    }));

  it("reads each row about once, also when PostgreSQL takes the table for an empty one", () =>
    withUpkeep(async (setting) => {
      const { other, store } = setting;
      const rows = (name: string) =>
        other.query(`INSERT INTO ledger_pending (kind, ref, body, rules)
          SELECT 'told', '${name}' || n, '{}', 1 FROM generate_series(1, 5000) n`);
      await other.query("BEGIN");
      await rows("gone");
      await other.query("DELETE FROM ledger_pending");
      await other.query("COMMIT");
      await other.query("ANALYZE ledger_pending");
      await rows("kept");
      await eventually(async () => {
        await store.sequence();
        return (await storedOf(setting)) === 5_000;
      });
      const read = () =>
        numberFrom(
          setting,
          "SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'ledger_pending'",
        );
      // A connection reports what it has read at the end of a later transaction.
      await eventually(async () => {
        await store.sequence();
        return (await read()) >= 5_000;
      });
      assert.ok((await read()) < 100_000, `${await read()} rows`);
    }));
});

describe("the name of an entry", { concurrency: 3 }, () => {
  const stores = async (setting: Setting, ref: string) =>
    tell(setting, ref).then(
      () => true,
      () => false,
    );

  it("is taken while it waits, and when it has its place", () =>
    withUpkeep(async (setting, upkeep) => {
      assert.equal(await stores(setting, "one"), true);
      assert.equal(await stores(setting, "one"), false);
      await setting.store.sequence();
      assert.equal(await stores(setting, "one"), false);
      await untilForgotten(setting, upkeep);
      assert.equal(await stores(setting, "one"), false, "the entry itself is found");
      assert.equal(await stores(setting, "two"), true);
    }));

  it("is in the index of the entries, which stops sequencing where no look-up has stopped the writer", () =>
    withUpkeep(async (setting, upkeep) => {
      assert.equal(await stores(setting, "one"), true);
      await setting.store.sequence();
      await untilForgotten(setting, upkeep);
      const unchecked =
        "INSERT INTO ledger_pending (kind, ref, body, rules) VALUES ($1, 'one', '{}', 1)";
      await setting.other.query(unchecked, [TOLD.kind]);
      await assert.rejects(setting.store.sequence(), { code: "23505" });
      assert.equal(await storedOf(setting), 1);
    }));

  it("is taken for a transaction that began before its entry was placed", () =>
    withUpkeep(async (setting, upkeep) => {
      let isOpen = false;
      let attempts = 0;
      let proceed = () => {};
      const later = setting.store.write(async (tx) => {
        await tx.all(statement("SELECT count(*)::bigint AS n FROM ledger_entry"), []);
        isOpen = true;
        if (attempts++ === 0)
          await new Promise<void>((resolve) => {
            proceed = resolve;
          });
        append(tx, TOLD, { name: "one" });
      });
      while (!isOpen) await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(await stores(setting, "one"), true);
      await setting.store.sequence();
      for (let turn = 0; turn < 4; turn++) await upkeep();
      proceed();
      await assert.rejects(later);
      await setting.store.sequence();
      assert.equal(await storedOf(setting), 1);
    }));
});
