import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Db, Plan, Tx } from "./engine.ts";
import { postgresCompiler } from "./postgres/connection.ts";
import { prepared } from "./prepared.ts";
import { sqliteCompiler } from "./sqlite/connection.ts";
import { txOver } from "./transaction.ts";

/** Answers nothing and remembers what it was asked. */
function recorder(compiler: Db["compiler"]) {
  const asked: { plan: Plan; values: readonly unknown[] }[] = [];
  const all = async (plan: Plan, values: readonly unknown[]) => {
    asked.push({ plan, values });
    return [];
  };
  const run = async (plan: Plan, values: readonly unknown[]) => (await all(plan, values)).length;
  const tx = txOver({ compiler, all, run });
  return { asked, tx };
}

describe("a prepared query", () => {
  it("is built and compiled once for each set of given parameters", async () => {
    let builds = 0;
    const posts = prepared((db, p: { agent?: number | undefined; limit: number }) => {
      builds++;
      const newest = db.selectFrom("post").select("id").orderBy("id", "desc").limit(p.limit);
      return p.agent === undefined ? newest : newest.where("agent", "=", p.agent);
    });
    const { asked, tx } = recorder(postgresCompiler);
    await posts.all(tx, { limit: 5 });
    await posts.all(tx, { limit: 6, agent: undefined });
    await posts.all(tx, { agent: 7, limit: 8 });
    await posts.first(tx, { agent: 9, limit: 8 });
    const [all, again, own, ownAgain] = asked;
    assert.equal(builds, 2);
    assert.equal(all?.plan, again?.plan);
    assert.equal(own?.plan, ownAgain?.plan);
    assert.notEqual(all?.plan.index, own?.plan.index);
    assert.deepEqual(again?.values, [6]);
    assert.deepEqual(own?.values, [7, 8]);
    assert.match(own?.plan.sql ?? "", /where "agent" = \$1 .*limit \$2$/);
  });

  it("has one plan for each set of parameters, in whatever order they are named", async () => {
    const posts = prepared((db, p: { after: number; before: number; limit: number }) =>
      db
        .selectFrom("post")
        .select("id")
        .where("id", ">", p.after)
        .where("id", "<", p.before)
        .limit(p.limit),
    );
    const { asked, tx } = recorder(postgresCompiler);
    await posts.all(tx, { after: 1, before: 2, limit: 3 });
    await posts.all(tx, { limit: 3, after: 1, before: 2 });
    await posts.all(tx, { before: 2, after: 1, limit: 3 });
    assert.equal(new Set(asked.map(({ plan }) => plan.index)).size, 1);
    for (const { values } of asked) assert.deepEqual(values, [1, 2, 3]);
  });

  it("is compiled for each engine, constants included", async () => {
    const head = prepared((db, _: Record<string, never>) =>
      db.selectFrom("ledger_head").select("last_id").where("k", "=", 1).forUpdate(),
    );
    const postgres = recorder(postgresCompiler);
    const sqlite = recorder(sqliteCompiler);
    await head.all(postgres.tx, {});
    await head.all(sqlite.tx, {});
    assert.match(postgres.asked[0]?.plan.sql ?? "", /"k" = \$1 for update$/);
    assert.match(sqlite.asked[0]?.plan.sql ?? "", /"k" = \?\s*$/);
    assert.deepEqual(sqlite.asked[0]?.values, [1]);
  });

  it("never computes with a parameter", async () => {
    const sum = prepared((db, p: { id: number }) =>
      db
        .selectFrom("post")
        .select("id")
        .where("id", "=", p.id + 1),
    );
    const { tx } = recorder(sqliteCompiler);
    await assert.rejects(async () => sum.all(tx, { id: 1 }), /places "id"/);
  });

  it("does not compile with a wrong column, a missing parameter, or a write outside a Tx", () => {
    const byId = prepared((db, p: { id: number }) =>
      db.selectFrom("post").select(["id", "body"]).where("id", "=", p.id),
    );
    const hide = prepared((db, p: { id: number }) =>
      db.updateTable("post").set({ hidden_at: 1 }).where("id", "=", p.id),
    );
    // Never called: the compiler reads it.
    const misuse = async (db: Db, tx: Tx) => {
      // @ts-expect-error A column that the table does not have.
      prepared((db, _: { id: number }) => db.selectFrom("post").select("title"));
      // @ts-expect-error A column that was not selected.
      (await byId.first(db, { id: 1 }))?.topic;
      // @ts-expect-error A parameter that is missing.
      await byId.first(db, {});
      // @ts-expect-error A parameter of another type.
      await byId.first(db, { id: "1" });
      // @ts-expect-error A value of another type than the column's.
      prepared((db, p: { id: string }) => db.updateTable("post").set({ id: p.id }));
      // @ts-expect-error A write outside `write()`.
      await hide.run(db, { id: 1 });
      await hide.run(tx, { id: 1 });
    };
    assert.equal(misuse.length, 2);
  });
});
