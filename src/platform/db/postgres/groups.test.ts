import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sql } from "kysely";
import { TOLD, times, withStore } from "../../../../test/postgres-store.ts";
import { reject } from "../../kernel/contract/errors.ts";
import { append } from "../../ledger/append.ts";
import type { GroupTx, Tx } from "../engine.ts";
import { prepared } from "../prepared.ts";
import { grouped } from "../rows.ts";
import { groupsOf } from "./groups.ts";

const insertTopic = prepared((db, p: { topic: string }) =>
  db.insertInto("topic").values({ topic: p.topic, posts: 0, last_posted_at: 0 }),
);
const refs = prepared((db, _: Record<string, never>) =>
  db.selectFrom("ledger_recent").select("ref").orderBy("row_id"),
);
/** The transaction that a query is in. */
const transactionId = prepared((db, _: Record<string, never>) =>
  db.selectNoFrom(sql<string>`pg_current_xact_id()::text`.as("id")),
);

/** Adds topics. Resolves to the transaction of each; null is for one that it does not want. */
const topics = grouped("topic", async (tx, names: readonly string[]) => {
  const id = (await transactionId.first(tx, {}))?.id ?? "";
  const wanted = names.filter((name) => name !== "unwanted");
  for (const topic of wanted) await insertTopic.run(tx, { topic });
  return names.map((name) => (wanted.includes(name) ? id : null));
});

const addTopic = (name: string) => async (tx: GroupTx) => {
  const id = await tx.together(topics, name);
  if (id !== null) append(tx, TOLD, { name });
  return id;
};

describe("a group of writes", { concurrency: 3 }, () => {
  it("is one transaction, and its entries stand in the order of the calls", () =>
    withStore(async ({ store }) => {
      const names = times(20, (n) => `t${10 + n}`);
      const ids = await Promise.all(names.map((name) => store.write(addTopic(name), "grouped")));
      assert.equal(new Set(ids).size, 1);
      const stored = await refs.all(store.read, {});
      assert.deepEqual(
        stored.map(({ ref }) => ref),
        names,
      );
    }));

  it("tells each of its items what became of it", () =>
    withStore(async ({ store }) => {
      const names = ["a", "unwanted", "b"];
      const outcomes = await Promise.all(
        names.map((name) => store.write(addTopic(name), "grouped")),
      );
      assert.deepEqual(
        outcomes.map((id) => id !== null),
        [true, false, true],
      );
      assert.deepEqual(await refs.all(store.read, {}), [{ ref: "a" }, { ref: "b" }]);
    }));

  it("does different work in the order of its names, whichever is asked for first", () =>
    withStore(async ({ store }) => {
      const done: string[] = [];
      const noting = (name: string) =>
        grouped(name, async (_: Tx, items: readonly null[]) => {
          done.push(name);
          return items;
        });
      const works = [noting("b"), noting("a"), noting("c")];
      await Promise.all(
        works.map((work) => store.write((tx) => tx.together(work, null), "grouped")),
      );
      assert.deepEqual(done, ["a", "b", "c"]);
    }));
});

describe("groups of writes", { concurrency: 2 }, () => {
  it("go on without the item at fault, whether by its row or its entry", () =>
    withStore(async ({ store }) => {
      await store.write(addTopic("there"));
      await store.write(async (tx) => append(tx, TOLD, { name: "told" }));
      const names = ["a", "there", "b", "told"];
      const outcomes = await Promise.allSettled(
        names.map((name) => store.write(addTopic(name), "grouped")),
      );
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ["fulfilled", "rejected", "fulfilled", "rejected"],
      );
      const stored = await refs.all(store.read, {});
      assert.deepEqual(stored.map(({ ref }) => ref).sort(), ["a", "b", "there", "told"]);
    }));
});

describe("the queue of a group", () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it("is the next one, and a third waits for one of two to end", async () => {
    const begun: { readonly size: number; end(): void }[] = [];
    const groups = groupsOf<null, null>(
      (items) =>
        new Promise((resolve) => {
          begun.push({ size: items.length, end: () => resolve(items) });
        }),
    );
    const sizes = () => begun.map(({ size }) => size);
    const all: Promise<null>[] = [];
    for (const size of [3, 2, 4]) {
      all.push(...times(size, () => groups.write(null)));
      await turn();
    }
    assert.deepEqual(sizes(), [3, 2]);
    assert.equal(groups.waiting(), 4);
    begun[0]?.end();
    await turn();
    await turn();
    assert.deepEqual(sizes(), [3, 2, 4]);
    for (const { end } of begun) end();
    await Promise.all(all);
  });

  it("is refused together when the storage is away, and not tried one by one", async () => {
    let attempts = 0;
    const groups = groupsOf(async () => {
      attempts++;
      return reject("storage_unavailable", "Away.");
    });
    const outcomes = await Promise.allSettled(times(3, () => groups.write(null)));
    assert.ok(outcomes.every(({ status }) => status === "rejected"));
    assert.equal(attempts, 1);
  });
});
