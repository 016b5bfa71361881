import assert from "node:assert/strict";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, test } from "node:test";
import { dropSqlite, freshSqlite } from "../../../../test/database.ts";
import { statement } from "../../../../test/statement.ts";
import { Rejection, reject } from "../../kernel/contract/errors.ts";
import type { Journal, PendingEntry, Store, Tx } from "../engine.ts";
import { openSqlite } from "./store.ts";

const insert = statement("insert into secret (name, value) values (?, x'00')");
const count = statement("select count(*) as n from secret");

let path = "";
let store: Store;
let settled: string[] = [];
let stalls = 0;

const journal: Journal = {
  async settle(_tx, entries: readonly PendingEntry[]) {
    if (entries.some(({ kind }) => kind === "poison")) throw new Error("no place for this entry");
    settled.push(...entries.map(({ ref }) => ref));
  },
  record: async () => {},
  sequence: async () => 0,
  upkeep: async () => 0,
  forget: async () => {},
};

beforeEach(async () => {
  path = freshSqlite();
  settled = [];
  stalls = 0;
  store = await openSqlite({
    path,
    journal,
    onEntries: () => {},
    onStall: () => stalls++,
    flush: "beside",
  });
});

afterEach(async () => {
  await store.close();
  dropSqlite(path);
});

const put = (name: string) => (tx: Tx) => tx.run(insert, [name]);

async function rows(): Promise<number> {
  const [row] = await store.read.all(count, []);
  return Object(row).n;
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const isUnavailable = (error: unknown): boolean =>
  error instanceof Rejection && error.code === "storage_unavailable";

test("a closed store refuses reads and writes, which is no fault of the program", async () => {
  await store.write(put("kept"));
  const { read, write, generation } = store;
  await read.all(count, []);
  const generation_before = generation();
  await store.close();
  const isRefusal = (error: unknown) =>
    error instanceof Rejection && error.code === "storage_unavailable";
  await assert.rejects(read.all(count, []), isRefusal);
  await assert.rejects(write(put("late")), isRefusal);
  await assert.rejects(
    store.snapshot(async (db) => db.all(count, [])),
    isRefusal,
  );
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(generation(), generation_before);
  store = await openSqlite({ path, journal, onEntries() {}, onStall() {}, flush: "beside" });
  assert.equal(await rows(), 1);
});

test("writes of one turn share a batch, and one that fails does not touch the others", async () => {
  const results = await Promise.allSettled([
    store.write(put("a")),
    store.write(async (tx) => {
      await tx.run(insert, ["b"]);
      tx.entries.push({ kind: "x", ref: "b", body: {}, text: "{}" });
      return reject("handle_taken", "undone");
    }),
    store.write(put("a")),
    store.write(async (tx) => {
      tx.entries.push({ kind: "x", ref: "c", body: {}, text: "{}" });
      return tx.run(insert, ["c"]);
    }),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "rejected", "rejected", "fulfilled"],
  );
  assert.equal(await rows(), 2);
  assert.deepEqual(settled, ["c"], "entries of an undone write are not recorded");
});

test("a batch of long bodies yields, and stores them all in their order", async () => {
  const busy = (name: string) => (tx: Tx) => {
    const ends_ms = performance.now() + 3;
    while (performance.now() < ends_ms);
    return tx.run(insert, [name]);
  };
  let turns = 0;
  let isOver = false;
  const turning = (async () => {
    for (; !isOver; turns++) await nextTurn();
  })();
  const before = await rows();
  const names = Array.from({ length: 30 }, (_, i) => `busy ${i}`);
  const done: string[] = [];
  await Promise.all(
    names.map(async (name) => {
      await store.write(busy(name));
      done.push(name);
    }),
  );
  isOver = true;
  await turning;
  assert.deepEqual(done, names);
  assert.equal(await rows(), before + 30);
  assert.ok(turns > 8, `90 ms of bodies took ${turns} turns of the event loop`);
});

test("a write that the ledger refuses fails alone", async () => {
  const results = await Promise.allSettled([
    store.write(put("a")),
    store.write(async (tx) => {
      tx.entries.push({ kind: "poison", ref: "1", body: {}, text: "{}" });
      return tx.run(insert, ["b"]);
    }),
    store.write(async (tx) => {
      tx.entries.push({ kind: "x", ref: "c", body: {}, text: "{}" });
      return tx.run(insert, ["c"]);
    }),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  assert.equal(await rows(), 2);
});

test("a full database answers 503, keeps reading, and goes on when there is room", async () => {
  await store.write((tx) => tx.all(statement("pragma max_page_count = 1"), [])); // The size it has.
  const big = statement("insert into secret (name, value) values (?, zeroblob(100000))");
  const full = await Promise.allSettled([
    store.write((tx) => tx.run(big, ["x"])),
    store.write((tx) => tx.run(big, ["y"])),
  ]);
  for (const result of full)
    assert.ok(result.status === "rejected" && isUnavailable(result.reason));
  assert.equal(await rows(), 0);
  await store.write((tx) => tx.all(statement("pragma max_page_count = 1000000"), []));
  await store.write((tx) => tx.run(big, ["x"]));
  assert.equal(await rows(), 1);
});

test("a database file that was taken away is not written to", async (t) => {
  await store.write(put("a"));
  renameSync(path, `${path}.away`);
  const later_ms = performance.now() + 300; // The disk is looked at 4 times a second.
  t.mock.method(performance, "now", () => later_ms);
  await assert.rejects(store.write(put("b")), isUnavailable);
  assert.equal(await rows(), 1, "reads go on");
  renameSync(`${path}.away`, path);
  await store.write(put("c"));
  assert.equal(await rows(), 2, "and so do writes when it is back");
});

test("another process's lock is waited for", async () => {
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE; INSERT INTO secret VALUES ('other', x'00')");
  const waiting = store.write(put("mine"));
  for (let turns = 0; turns < 10; turns++) await nextTurn();
  other.exec("COMMIT");
  await waiting;
  assert.equal(await rows(), 2);
  other.close();
});

test("a generation ends with every commit, also of another process", async () => {
  const first = store.generation();
  await nextTurn();
  assert.equal(store.generation(), first, "nothing happened");
  await store.write(put("a"));
  const second = store.generation();
  assert.notEqual(second, first);
  await nextTurn();
  const other = new DatabaseSync(path);
  other.exec("INSERT INTO secret VALUES ('other', x'00')");
  other.close();
  assert.notEqual(store.generation(), second);
});

test("the reads of a turn see one state, and those of the next what others have committed", async () => {
  assert.equal(await rows(), 0);
  const other = new DatabaseSync(path);
  other.exec("insert into secret (name, value) values ('other', x'00')");
  other.close();
  assert.equal(await rows(), 0);
  await nextTurn();
  assert.equal(await rows(), 1);
});

test("a read sees each commit of its own process, also in the same turn", async () => {
  const seen: number[] = [];
  for (const name of ["a", "b"]) {
    await store.write(async (tx) => {
      seen.push(await rows());
      return put(name)(tx);
    });
    seen.push(await rows());
  }
  assert.deepEqual(seen, [0, 1, 1, 2]);
});

test("a read does not keep a commit in the log", async () => {
  const other = new DatabaseSync(path);
  await store.write(async (tx) => {
    await rows();
    return put("a")(tx);
  });
  const { log, checkpointed } = Object(other.prepare("PRAGMA wal_checkpoint").get());
  other.close();
  assert.ok(log > 0);
  assert.equal(checkpointed, log);
});

test("a read that fails leaves the next ones alone", async () => {
  await assert.rejects(store.read.all(statement("select * from nowhere"), []));
  assert.equal(await rows(), 0);
  await nextTurn();
  assert.equal(await rows(), 0);
});

test("a snapshot shows one state while writes go on", async () => {
  const many = Array.from({ length: 8 }, (_, i) =>
    store.snapshot(async (db) => {
      const [before] = await db.all(count, []);
      await store.write(put(`row ${i}`));
      const [after] = await db.all(count, []);
      assert.deepEqual(after, before);
    }),
  );
  await Promise.all(many);
  assert.equal(await rows(), 8);
});

test("a body that awaits more than its transaction is told of", async () => {
  await store.write(async (tx) => {
    await nextTurn();
    await nextTurn();
    return tx.run(insert, ["slow"]);
  });
  assert.equal(stalls, 1);
  await store.write(put("quick"));
  assert.equal(stalls, 1);
});

test("a file that is no database is refused with a sentence", async () => {
  const wrong = `${path}.txt`;
  writeFileSync(
    wrong,
    "this is a text and not a database, and long enough to be looked at\n".repeat(9),
  );
  await assert.rejects(
    openSqlite({ path: wrong, journal, onEntries: () => {}, onStall: () => {}, flush: "beside" }),
    /cannot be used/,
  );
  rmSync(wrong);
});
