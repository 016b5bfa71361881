import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sql } from "kysely";
import { openStore, times, withStore } from "../../test/postgres-store.ts";
import { reject } from "../kernel/errors.ts";
import { append } from "../ledger/append.ts";
import type { Store, Tx } from "./engine.ts";
import { type Body, groupsOf } from "./postgres-groups.ts";
import { prepared } from "./prepared.ts";

const insertTopic = prepared((db, p: { topic: string }) =>
  db.insertInto("topic").values({ topic: p.topic, posts: 0, last_posted_at: 0 }),
);
const countPost = prepared((db, p: { topic: string }) =>
  db.updateTable("topic").set({ posts: sql`posts + 1` }).where("topic", "=", p.topic),
);
const topics = prepared((db, _: Record<string, never>) =>
  db.selectFrom("topic").select(["topic", "posts"]).orderBy("topic"),
);
const refs = prepared((db, _: Record<string, never>) =>
  db.selectFrom("ledger_entry").select("ref").orderBy("row_id"),
);
/** The transaction that a query is in. */
const transactionId = prepared((db, _: Record<string, never>) =>
  db.selectNoFrom(sql<string>`pg_current_xact_id()::text`.as("id")),
);

const locked = <T>(store: Store, body: (tx: Tx) => Promise<T>) => store.write(body, "locked");

const addTopic = async (tx: Tx, topic: string): Promise<void> => {
  await insertTopic.run(tx, { topic });
  append(tx, "post", topic, {});
};

describe("a group of writes", { concurrency: 3 }, () => {
  it("is one transaction, and its entries stand in the order of the calls", () =>
    withStore(async ({ store }) => {
      const names = times(20, (n) => `t${10 + n}`);
      const ids = await Promise.all(
        names.map((name) =>
          locked(store, async (tx) => {
            await addTopic(tx, name);
            return (await transactionId.first(tx, {}))?.id;
          }),
        ),
      );
      assert.equal(new Set(ids).size, 1);
      const stored = await refs.all(store.read, {});
      assert.deepEqual(
        stored.map(({ ref }) => ref),
        names,
      );
    }));

  it("stores the others when one of them changes its mind", () =>
    withStore(async ({ store }) => {
      const names = ["a", "b", "c"];
      const outcomes = await Promise.allSettled(
        names.map((name) =>
          locked(store, async (tx) => {
            await addTopic(tx, name);
            if (name === "b") reject("insufficient_balance", "Too little.");
            return name;
          }),
        ),
      );
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ["fulfilled", "rejected", "fulfilled"],
      );
      const stored = await topics.all(store.read, {});
      assert.deepEqual(
        stored.map(({ topic }) => topic),
        ["a", "c"],
      );
      assert.deepEqual(await refs.all(store.read, {}), [{ ref: "a" }, { ref: "c" }]);
    }));
});

describe("groups of writes", { concurrency: 2 }, () => {
  it("go on without the write at fault, whether by its row or its entry", () =>
    withStore(async ({ store }) => {
      await store.write(async (tx) => addTopic(tx, "there"));
      const bodies = [
        (tx: Tx) => addTopic(tx, "a"),
        (tx: Tx) => addTopic(tx, "there"),
        (tx: Tx) => addTopic(tx, "b"),
        async (tx: Tx) => append(tx, "post", "there", {}),
      ];
      const outcomes = await Promise.allSettled(bodies.map((body) => locked(store, body)));
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ["fulfilled", "rejected", "fulfilled", "rejected"],
      );
      const stored = await refs.all(store.read, {});
      assert.deepEqual(stored.map(({ ref }) => ref).sort(), ["a", "b", "there"]);
    }));

  it("never wait for each other, on whatever node and in whatever order they lock rows", () =>
    withStore(async ({ store, url }) => {
      const second = await openStore(url);
      await store.write(async (tx) => {
        for (const topic of ["left", "right"]) await insertTopic.run(tx, { topic });
      });
      let runs = 0;
      const cross = (node: Store, ...names: readonly string[]) =>
        locked(node, async (tx) => {
          runs++;
          for (const topic of names) await countPost.run(tx, { topic });
        });
      const workers = times(8, async (worker) => {
        const [node, ...names] =
          worker % 2 === 0
            ? ([store, "left", "right"] as const)
            : ([second, "right", "left"] as const);
        for (let i = 0; i < 25; i++) await cross(node, ...names);
      });
      await Promise.all(workers);
      await second.close();
      assert.equal(runs, 200, "A body runs again only after a conflict.");
      assert.deepEqual(
        (await topics.all(store.read, {})).map(({ posts }) => posts),
        [200, 200],
      );
    }));
});

describe("what waits for a group", () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const tx = {} as Tx;

  it("is the next one, and a third waits for one of two to end", async () => {
    const begun: { readonly size: number; end(): void }[] = [];
    const groups = groupsOf(
      (bodies) =>
        new Promise((resolve) => {
          begun.push({ size: bodies.length, end: () => resolve(bodies.map(() => null)) });
        }),
    );
    const writes = (count: number) => times(count, () => groups.write(async () => null));
    const all = writes(3);
    await turn();
    all.push(...writes(2));
    await turn();
    all.push(...writes(4));
    await turn();
    assert.deepEqual(
      begun.map(({ size }) => size),
      [3, 2],
    );
    assert.equal(groups.waiting(), 4);
    begun[0]?.end();
    await turn();
    await turn();
    assert.deepEqual(
      begun.map(({ size }) => size),
      [3, 2, 4],
    );
    for (const { end } of begun) end();
    await Promise.all(all);
  });

  it("is refused together when the storage is away, and not tried one by one", async () => {
    let attempts = 0;
    const groups = groupsOf(async (bodies: readonly Body[]) => {
      attempts++;
      await Promise.all(bodies.map((body) => body(tx)));
      return reject("storage_unavailable", "Away.");
    });
    const outcomes = await Promise.allSettled(times(3, () => groups.write(async () => null)));
    assert.ok(outcomes.every(({ status }) => status === "rejected"));
    assert.equal(attempts, 1);
  });
});
