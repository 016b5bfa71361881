import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sql } from "kysely";
import { openStore, times, withStore } from "../../../../test/postgres-store.ts";
import { statement } from "../../../../test/statement.ts";
import { Rejection } from "../../kernel/contract/errors.ts";
import { prepared } from "../prepared.ts";
import { postgresCompiler } from "./connection.ts";

type None = Record<string, never>;

const topics = prepared((db, _: None) => db.selectFrom("topic").selectAll());
const insertSecret = prepared((db, p: { name: string; value: Uint8Array }) =>
  db.insertInto("secret").values(p).returning(["name", "value"]),
);
const yes = prepared((db, _: None) => db.selectNoFrom(sql<boolean>`true`.as("yes")));
const sumOfNothing = prepared((db, _: None) =>
  db.selectFrom("topic").select((of) => of.fn.sum<number | null>("posts").as("posts")),
);

describe("values on PostgreSQL", () => {
  it("keep their bytes and their text", () =>
    withStore(async ({ store }) => {
      const secret = { name: "naïve \\ 🜁 'text'", value: Uint8Array.of(0, 1, 92, 255) };
      assert.deepEqual(await store.write((tx) => insertSecret.first(tx, secret)), secret);
    }));

  it("are safe integers, or an error that names them", () =>
    withStore(async ({ store, other }) => {
      const insert = "INSERT INTO topic (topic, posts, last_posted_at) VALUES ($1, $2, 0)";
      await other.query(insert, ["largest", Number.MAX_SAFE_INTEGER]);
      assert.equal((await topics.first(store.read, {}))?.posts, Number.MAX_SAFE_INTEGER);
      await other.query(insert, ["larger", "9007199254740992"]);
      const error = { name: "RangeError", message: /9007199254740992/ };
      await assert.rejects(topics.all(store.read, {}), error);
      await assert.rejects(
        store.write((tx) => topics.all(tx, {})),
        error,
      );
    }));

  it("are of a type that both engines have", () =>
    withStore(async ({ store }) => {
      await assert.rejects(yes.all(store.read, {}), TypeError);
      await assert.rejects(sumOfNothing.all(store.read, {}), /type 1700: cast it/, "also null");
    }));
});

describe("reads of one turn", () => {
  const server = prepared((db, _: None) =>
    db.selectNoFrom(sql<number>`pg_backend_pid()`.as("pid")),
  );

  it("share a connection, sixteen at most", () =>
    withStore(async ({ store }) => {
      const rows = await Promise.all(times(20, () => server.first(store.read, {})));
      const pids = rows.map((row) => row?.pid);
      assert.deepEqual([new Set(pids.slice(0, 16)).size, new Set(pids).size], [1, 2]);
    }));

  it("do not share a failure", () =>
    withStore(async ({ store }) => {
      const [before, failing, after] = await Promise.allSettled([
        topics.all(store.read, {}),
        yes.all(store.read, {}),
        topics.all(store.read, {}),
      ]);
      assert.equal(failing.status, "rejected");
      assert.deepEqual([before.status, after.status], ["fulfilled", "fulfilled"]);
      assert.deepEqual(await topics.all(store.read, {}), []);
    }));
});

describe("a statement on PostgreSQL", () => {
  const isUnavailable = (error: unknown) =>
    error instanceof Rejection && error.code === "storage_unavailable";

  it("is given up by the server when it takes too long, or waits too long for a lock", () =>
    withStore(async ({ url, other }) => {
      const store = await openStore(url, undefined, undefined, { patience_ms: 500 });
      const slow = store.read.all(statement("SELECT pg_sleep(30)::text AS slept"), []);
      await assert.rejects(slow, isUnavailable);
      await store.unhurried.read.all(statement("SELECT pg_sleep(3)::text AS slept"), []);
      const add = () =>
        store.write((tx) => insertSecret.run(tx, { name: "a", value: Uint8Array.of(1) }));
      await other.query("BEGIN; LOCK TABLE secret");
      await assert.rejects(add(), isUnavailable);
      await other.query("ROLLBACK");
      await add();
      await store.close();
    }));
});

describe("the compiler of PostgreSQL", () => {
  it("does not execute", async () => {
    await assert.rejects(postgresCompiler.selectFrom("topic").selectAll().execute(), TypeError);
  });
});
