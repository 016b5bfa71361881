import assert from "node:assert/strict";
import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { dropSqlite, freshSqlite } from "../../../../test/database.ts";
import { dice } from "../../../../test/dice.ts";
import { statement } from "../../../../test/statement.ts";
import { Rejection } from "../../kernel/contract/errors.ts";
import type { Db, Journal, Tx } from "../engine.ts";
import type { FlushLog } from "./flush.ts";
import { openSqlite } from "./store.ts";

/** Losses of power: a thousand in the long run. */
const LOSSES = Number(process.env["TEST_ROUNDS"] ?? 60);
const WRITES = 40;
const BLOCK_BYTES = 512;

const insert = statement("insert into secret (name, value) values (?, zeroblob(600))");
const names = statement("select name from secret where name like 'w%'");

const journal: Journal = {
  settle: async () => {},
  record: async () => {},
  sequence: async () => 0,
  upkeep: async () => 0,
  forget: async () => {},
};

const put = (name: string) => (tx: Tx) => tx.run(insert, [name]);

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** A disk that keeps what was flushed, and of the rest of the log what chance leaves. */
interface Disk {
  readonly path: string;
  readonly flushLog: FlushLog;
  /** The files as they may be after a loss of power. */
  afterLoss(): string;
}

function disk(path: string, roll: (sides: number) => number, isHonest: boolean): Disk {
  let kept_bytes = 0;
  return {
    path,
    async flushLog() {
      const { size } = statSync(`${path}-wal`);
      await turns(1 + roll(4));
      if (isHonest) kept_bytes = size;
    },
    afterLoss() {
      const image = freshSqlite();
      copyFileSync(path, image);
      const log = readFileSync(`${path}-wal`);
      for (let at = kept_bytes; at < log.length; at += BLOCK_BYTES)
        if (roll(2) === 0) log.fill(0, at, Math.min(at + BLOCK_BYTES, log.length));
      writeFileSync(`${image}-wal`, log);
      return image;
    },
  };
}

const namesIn = async (db: Db): Promise<string[]> =>
  (await db.all(names, [])).map((row) => String(Object(row).name));

function namesAt(image: string): Set<string> {
  const database = new DatabaseSync(image);
  const rows = database.prepare("SELECT name FROM secret WHERE name LIKE 'w%'").all();
  database.close();
  dropSqlite(image);
  return new Set(rows.map(({ name }) => String(name)));
}

/** Writes and reads until the power goes; resolves to what somebody was told of and the disk has lost. */
async function lostBy(seed: string, isHonest: boolean): Promise<readonly string[]> {
  const roll = dice(seed);
  const path = freshSqlite();
  const power = disk(path, roll, isHonest);
  const { flushLog } = power;
  const observers = { onEntries: () => {}, onStall: () => {} };
  const store = await openSqlite({ path, journal, ...observers, flush: "beside", flushLog });
  const told = new Set<string>();
  const tell = (seen: readonly string[]) => seen.forEach((name) => void told.add(name));
  const looks: Promise<unknown>[] = [];
  const ends = roll(WRITES);
  const writes: Promise<unknown>[] = [];
  for (let n = 0; n < ends; n++) {
    const name = `w${n}`;
    writes.push(store.write(put(name)).then(() => told.add(name)));
    if (roll(3) === 0) looks.push(namesIn(store.read).then(tell));
    if (roll(3) === 0) looks.push(store.snapshot(namesIn).then(tell));
    await turns(roll(6));
    if (roll(3) === 0) looks.push(namesIn(store.read).then(tell));
  }
  await turns(roll(8));
  const toldBefore = [...told];
  const left = namesAt(power.afterLoss());
  await Promise.all([...writes, ...looks]);
  await store.close();
  dropSqlite(path);
  return toldBefore.filter((name) => !left.has(name));
}

test(`${LOSSES} losses of power take nothing that was acknowledged or read`, async () => {
  for (let loss = 0; loss < LOSSES; loss++)
    assert.deepEqual(await lostBy(`loss ${loss}`, true), [], `loss ${loss}`);
});

test("a disk that lies about its flushes is seen to lose writes", async () => {
  const lost = await Promise.all([1, 2, 3, 4, 5].map((n) => lostBy(`lie ${n}`, false)));
  assert.ok(lost.flat().length > 0);
});

/** A store whose log is flushed when the test says so. */
async function heldStore(t: TestContext) {
  const path = freshSqlite();
  const flushes: PromiseWithResolvers<void>[] = [];
  let isOver = false;
  const flushLog = async () => {
    if (isOver) return;
    const flush = Promise.withResolvers<void>();
    flushes.push(flush);
    await flush.promise;
  };
  let told = 0;
  const store = await openSqlite({
    path,
    journal,
    flushLog,
    flush: "beside",
    onEntries: () => told++,
    onStall: () => assert.fail("a flush is no stall"),
  });
  t.after(async () => {
    isOver = true;
    for (const flush of flushes) flush.resolve();
    await store.close();
    dropSqlite(path);
  });
  return { path, store, flushes, told: () => told };
}

test("a commit that is not durable is read, told and answered by nobody", async (t) => {
  const { store, flushes, told } = await heldStore(t);
  const generation = store.generation();
  let isAnswered = false;
  const written = store.write(async (tx) => {
    await put("w")(tx);
    tx.entries.push({ kind: "x", ref: "w", body: {}, text: "{}" });
  });
  void written.then(() => {
    isAnswered = true;
  });
  while (flushes.length === 0) await turns(1);
  let hasLooked = false;
  const looked = store.snapshot(namesIn).finally(() => {
    hasLooked = true;
  });
  await turns(5);
  assert.deepEqual(await namesIn(store.read), []);
  assert.deepEqual([isAnswered, hasLooked, told()], [false, false, 0]);
  assert.equal(store.generation(), generation, "finished answers stay what they were");

  flushes[0]?.resolve();
  await written;
  assert.deepEqual(await namesIn(store.read), ["w"]);
  assert.deepEqual(await looked, ["w"]);
  assert.equal(told(), 1);
  assert.notEqual(store.generation(), generation);
});

test("a commit of another process is read at once, for it has flushed the log", async (t) => {
  const { path, store, flushes } = await heldStore(t);
  const written = store.write(put("w0"));
  while (flushes.length === 0) await turns(1);
  assert.deepEqual(await namesIn(store.read), []);
  const generation = store.generation();
  const observers = { onEntries: () => {}, onStall: () => {} };
  const command = await openSqlite({ path, journal, ...observers, flush: "within" });
  await command.write(put("w1"));
  await turns(1);
  assert.notEqual(store.generation(), generation);
  assert.deepEqual(await namesIn(store.read), ["w0", "w1"]);
  flushes[0]?.resolve();
  await written;
  assert.deepEqual(await namesIn(store.read), ["w0", "w1"]);
  await command.close();
});

test("writes that come during a flush are the next batch", async (t) => {
  const { store, flushes } = await heldStore(t);
  const first = store.write(put("w0"));
  while (flushes.length === 0) await turns(1);
  const others = ["w1", "w2", "w3"].map((name) => store.write(put(name)));
  await turns(10);
  assert.equal(flushes.length, 1, "one flush at a time");
  flushes[0]?.resolve();
  await first;
  while (flushes.length === 1) await turns(1);
  await turns(10);
  assert.equal(flushes.length, 2);
  flushes[1]?.resolve();
  await Promise.all(others);
});

const NOTHING = "nothing was stored";

/** The part of a refusal that says what became of the write. */
function refusal(settled: PromiseSettledResult<unknown>): string {
  assert.ok(settled.status === "rejected" && settled.reason instanceof Rejection);
  assert.equal(settled.reason.code, "storage_unavailable");
  return /nothing was stored|may have happened/.exec(settled.reason.message)?.[0] ?? "";
}

test("after a flush that failed nothing is written, and nothing of it is read", async (t) => {
  const { store, flushes, path } = await heldStore(t);
  const durable = store.write(put("w0"));
  while (flushes.length === 0) await turns(1);
  flushes[0]?.resolve();
  await durable;
  const failed = store.write(put("w1"));
  failed.catch(() => {});
  while (flushes.length === 1) await turns(1);
  const fault = new Error("EIO");
  const asked = Promise.allSettled([failed, store.write(put("w2")), store.snapshot(namesIn)]);
  flushes[1]?.reject(fault);
  assert.deepEqual((await asked).map(refusal), ["may have happened", NOTHING, NOTHING]);
  const later = await Promise.allSettled([store.write(put("w3")), store.snapshot(namesIn)]);
  assert.deepEqual(later.map(refusal), [NOTHING, NOTHING]);
  assert.equal(await store.lost, fault);
  assert.equal(flushes.length, 2, "the flush is not tried again");
  assert.deepEqual(await namesIn(store.read), ["w0"]);
  assert.ok(statSync(`${path}-wal`).size > 0, "the log is left to the next start");
});

test("a long log is moved into the database between two batches, and begins anew", async () => {
  const path = freshSqlite();
  const observers = { onEntries: () => {}, onStall: () => {} };
  const store = await openSqlite({ path, journal, ...observers, flush: "beside" });
  const large = statement("insert into secret (name, value) values (?, zeroblob(4000000))");
  for (let n = 0; n < 40; n++) await store.write((tx) => tx.run(large, [`large ${n}`]));
  assert.ok(statSync(`${path}-wal`).size < 80_000_000, "160 MB went by way of a log of 64 MiB");
  assert.ok(statSync(path).size > 80_000_000);
  await store.close();
  rmSync(path);
});
