import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  eventually,
  openStore,
  systemNow,
  TOLD,
  times,
  withStore,
} from "../../../../test/postgres-store.ts";
import { append } from "../../ledger/append.ts";
import { SEQUENCE_MAX, type Store } from "../engine.ts";
import { prepared } from "../prepared.ts";
import { startSequencing, startUpkeep } from "./sequencing.ts";

const entriesAfter = prepared((db, p: { id: number }) =>
  db
    .selectFrom("ledger_entry")
    .select(["ledger_id", "ref"])
    .where("ledger_id", ">", p.id)
    .orderBy("ledger_id"),
);

const ids = async (store: Store, id = 0) =>
  (await entriesAfter.all(store.read, { id })).map((entry) => entry.ledger_id);

const post = (store: Store, name: string) => store.write(async (tx) => append(tx, TOLD, { name }));

const upTo = (count: number) => times(count, (index) => index + 1);

describe("sequencing on PostgreSQL", { concurrency: 3 }, () => {
  it("gives dense ids to 16 writers on two nodes, and a reader that follows misses none", () =>
    withStore(async ({ store, url }) => {
      const second = await openStore(url);
      const total = 16 * 25;
      const writers = times(16, async (writer) => {
        const node = writer % 2 === 0 ? store : second;
        for (let i = 0; i < 25; i++) await post(node, `${writer}/${i}`);
      });
      const seen: (number | null)[] = [];
      await eventually(async () => {
        seen.push(...(await ids(store, seen.length)));
        return seen.length >= total;
      });
      await Promise.all(writers);
      await second.close();
      assert.deepEqual(seen, upTo(total));
    }));

  it("keeps the order of writes of which one saw the other", () =>
    withStore(async ({ store }) => {
      for (let i = 0; i < 50; i++) await post(store, `${i}`);
      await store.sequence();
      const refs = (await entriesAfter.all(store.read, { id: 0 })).map(({ ref }) => ref);
      assert.deepEqual(refs, times(50, String));
    }));

  it("goes on after a full batch", () =>
    withStore(async ({ store, other }) => {
      const count = SEQUENCE_MAX + 5;
      const insert = `INSERT INTO ledger_pending (kind, ref, body, rules)
        SELECT 'post', n, '{}', 1 FROM generate_series(1, ${count}) AS n`;
      await other.query(insert);
      await store.sequence();
      assert.deepEqual(await ids(store), upTo(count));
    }));

  it("takes what a process left behind that ended after its commit", () =>
    withStore(async ({ store, other }) => {
      await other.query(
        "INSERT INTO ledger_pending (kind, ref, body, rules) VALUES ('post', '1', '{}', 1)",
      );
      const earlier = store.generation();
      await eventually(async () => (await ids(store)).length === 1);
      assert.notEqual(store.generation(), earlier);
    }));

  it("is left to other nodes by one whose clock is more than 30 s away from the database's", () =>
    withStore(
      async ({ store, url, alarms }) => {
        assert.deepEqual(alarms, ["clocks_apart"]);
        await post(store, "1");
        assert.equal(await store.sequence(), 0);
        assert.deepEqual(await ids(store), []);
        const right = await openStore(url);
        await right.sequence();
        await right.close();
        assert.deepEqual(await ids(store), [1]);
      },
      () => systemNow() - 33,
    ));
});

describe("one sequencing at a time", () => {
  it("serves everybody who asked while one ran with the next one", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const gates: (() => void)[] = [];
    const batch = () => new Promise<number>((resolve) => gates.push(() => resolve(1)));
    const { sequence, stop } = startSequencing(batch, () => {});
    t.after(stop);
    const first = sequence();
    const others = times(5, sequence);
    assert.equal(gates.length, 1);
    gates[0]?.();
    await first;
    await eventually(async () => gates.length === 2);
    gates[1]?.();
    assert.deepEqual(
      await Promise.all(others),
      times(5, () => 1),
    );
    assert.equal(gates.length, 2);
  });

  it("waits for what is under way, but not when nothing is", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    let batches = 0;
    const batch = async () => {
      batches++;
      return 0;
    };
    const { nudge, stop } = startSequencing(batch, () => {});
    t.after(stop);
    for (let i = 0; i < 3; i++) nudge(true);
    assert.equal(batches, 0);
    t.mock.timers.tick(10);
    assert.equal(batches, 1, "One serves all three.");
    await turn();
    nudge(true);
    nudge(false);
    assert.equal(batches, 2);
    await turn();
    t.mock.timers.tick(10);
    assert.equal(batches, 2, "Nothing is left to wait for.");
  });

  it("reports a failure once, until it works again", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const alarms: string[] = [];
    let broken = true;
    const batch = async () => {
      if (broken) throw new Error("no storage");
      return 0;
    };
    const { nudge, stop } = startSequencing(batch, (what) => alarms.push(what));
    t.after(stop);
    const attempt = async () => {
      nudge(false);
      await new Promise((resolve) => setImmediate(resolve));
    };
    await attempt();
    await attempt();
    assert.deepEqual(alarms, ["sequencing_failed"]);
    broken = false;
    await attempt();
    broken = true;
    await attempt();
    assert.deepEqual(alarms, ["sequencing_failed", "sequencing_failed"]);
  });
});

describe("upkeep of sequencing", () => {
  it("raises the floor after many entries, and clears up on time", async (t) => {
    t.mock.timers.enable({ apis: ["setInterval"] });
    const done: string[] = [];
    const { sequenced, stop } = startUpkeep({
      raise: async (all) => done.push(all ? "raise, all" : "raise"),
      forget: async () => done.push("forget"),
    });
    t.after(stop);
    const settled = () => new Promise((resolve) => setImmediate(resolve));
    for (let entries = 0; entries < 5 * 2_048; entries += 512) {
      sequenced(512);
      await settled();
    }
    assert.deepEqual(
      done.splice(0),
      times(5, () => "raise"),
    );
    for (let turn = 0; turn < 7; turn++) {
      t.mock.timers.tick(10_000);
      await settled();
    }
    const later = times(5, () => ["raise", "forget"]).flat();
    assert.deepEqual(done, ["raise, all", "forget", ...later, "raise, all", "forget"]);
  });
});
