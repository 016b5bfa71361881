import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sql } from "kysely";
import { type Client, DatabaseError } from "pg";
import { dropPostgres, emptyPostgres } from "../../../../test/database.ts";
import {
  eventually,
  openStore,
  type Setting,
  TOLD,
  times,
  withStore,
} from "../../../../test/postgres-store.ts";
import { type ErrorCode, Rejection, reject } from "../../kernel/contract/errors.ts";
import { append } from "../../ledger/append.ts";
import { type Tx, WAITING_WRITES_MAX } from "../engine.ts";
import { prepared } from "../prepared.ts";

type None = Record<string, never>;

const topics = prepared((db, _: None) => db.selectFrom("topic").selectAll().orderBy("topic"));
const insertTopic = prepared((db, p: { topic: string; posts: number }) =>
  db.insertInto("topic").values({ topic: p.topic, posts: p.posts, last_posted_at: 0 }),
);
const insertTopicOnce = prepared((db, p: { topic: string }) =>
  db
    .insertInto("topic")
    .values({ topic: p.topic, posts: 0, last_posted_at: 0 })
    .onConflict((conflict) => conflict.column("topic").doNothing()),
);
const fail = prepared((db, p: { code: string }) =>
  db.selectNoFrom(sql<string>`fail_with(${p.code})`.as("never")),
);
/** A result of a type that only PostgreSQL has. */
const yes = prepared((db, _: None) => db.selectNoFrom(sql<boolean>`true`.as("yes")));

/** Makes a statement, or the end of a transaction, fail the way that a test asks for. */
const FAULTS = `
  CREATE FUNCTION fail_with(code text) RETURNS text LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'as the test wants it' USING ERRCODE = code; END $$;
  CREATE FUNCTION fail_at_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NEW.topic = 'disconnect' THEN PERFORM pg_terminate_backend(pg_backend_pid());
    ELSIF NEW.topic = 'full' THEN PERFORM fail_with('53100'); END IF; RETURN NULL; END $$;
  CREATE CONSTRAINT TRIGGER fail_at_commit AFTER INSERT ON topic DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION fail_at_commit();`;

const withFaults = (body: (setting: Setting) => Promise<void>) =>
  withStore(async (setting) => {
    await setting.other.query(FAULTS);
    await body(setting);
  });

const rejection =
  (code: ErrorCode, message = /./) =>
  (error: unknown) =>
    error instanceof Rejection && error.code === code && message.test(error.message);

const sqlState = (code: string) => (error: unknown) =>
  error instanceof DatabaseError && error.code === code;

/** Resolves for everybody once `count` callers have come. */
function meeting(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let coming = count;
  return () => {
    if (--coming === 0) resolve();
    return promise;
  };
}

describe("a write on PostgreSQL", { concurrency: 3 }, () => {
  it("runs as if it were alone: a body that decided on an old state decides again", () =>
    withStore(async ({ store }) => {
      const everybodyHasRead = meeting(4);
      let runs = 0;
      const joinQueue = (index: number) =>
        store.write(async (tx) => {
          const ahead = await topics.all(tx, {});
          if (++runs <= 4) await everybodyHasRead();
          await insertTopic.run(tx, { topic: `t${index}`, posts: ahead.length });
        });
      await Promise.all(times(4, joinQueue));
      const places = (await topics.all(store.read, {})).map(({ posts }) => posts);
      assert.deepEqual(places.sort(), [0, 1, 2, 3]);
      assert.ok(runs > 4);
    }));

  it("lets exactly one of eight win a key, 300 times", () =>
    withStore(async ({ store }) => {
      for (let round = 0; round < 300; round++) {
        const claim = () => store.write((tx) => insertTopicOnce.run(tx, { topic: `t${round}` }));
        const wins = await Promise.all(times(8, claim));
        assert.equal(
          wins.reduce((sum, count) => sum + count),
          1,
        );
      }
    }));

  it("is undone by a rejection, entries included", () =>
    withStore(async ({ store }) => {
      const refused = store.write(async (tx) => {
        await insertTopic.run(tx, { topic: "refused", posts: 0 });
        append(tx, TOLD, { name: "1" });
        return reject("handle_taken", "Somebody has it.");
      });
      await assert.rejects(refused, rejection("handle_taken"));
      assert.deepEqual(await topics.all(store.read, {}), []);
      assert.equal(await store.sequence(), 0);
    }));

  it("does not hide a violated constraint, and goes on", () =>
    withStore(async ({ store }) => {
      const insert = () => store.write((tx) => insertTopic.run(tx, { topic: "twice", posts: 0 }));
      await insert();
      await assert.rejects(insert(), sqlState("23505"));
      await store.write((tx) => insertTopic.run(tx, { topic: "after", posts: 0 }));
      assert.equal((await topics.all(store.read, {})).length, 2);
    }));

  it("fails with a statement whose failure the body swallowed or did not await", () =>
    withFaults(async ({ store }) => {
      const broken = (tx: Tx) => fail.run(tx, { code: "22000" }).catch(() => 0);
      const swallowed = store.write(broken);
      await assert.rejects(swallowed, sqlState("22000"));
      const forgotten = store.write(async (tx) => void broken(tx));
      await assert.rejects(forgotten, sqlState("22000"));
      const unreadable = store.write((tx) => yes.all(tx, {}).catch(() => []));
      await assert.rejects(unreadable, TypeError);
    }));

  it("is given up as overloaded when it loses until its patience ends", () =>
    withFaults(async ({ url }) => {
      const store = await openStore(url, undefined, undefined, { patience_ms: 2_000 });
      let runs = 0;
      const losing = store.write((tx) => {
        runs++;
        return fail.run(tx, { code: "40001" });
      });
      await assert.rejects(losing, rejection("overloaded")).finally(store.close);
      assert.ok(runs > 2, `${runs} runs`);
    }));

  it("is refused as overloaded when too many wait", () =>
    withStore(async ({ store }) => {
      const { promise: gate, resolve: open } = Promise.withResolvers<void>();
      const writes = times(2 * WAITING_WRITES_MAX, () => store.write(() => gate));
      const ended = Promise.allSettled(writes);
      // Nothing that is taken ends before the gate opens.
      await assert.rejects(Promise.race(writes), rejection("overloaded")).finally(open);
      const refused = (await ended).filter(
        ({ status, ...end }) =>
          status === "rejected" && "reason" in end && end.reason.code === "overloaded",
      ).length;
      assert.ok(refused > WAITING_WRITES_MAX / 2 && refused <= WAITING_WRITES_MAX, `${refused}`);
    }));
});

describe("a PostgreSQL that fails", { concurrency: 3 }, () => {
  /** Ends all connections but one's own; resolves when they are gone. */
  async function endConnections(other: Client): Promise<void> {
    const { rows } = await other.query(
      `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
    const left = "SELECT 1 FROM pg_stat_activity WHERE pid = ANY($1)";
    const ended = [rows.map(({ pid }) => pid)];
    await eventually(async () => (await other.query(left, ended)).rowCount === 0);
  }

  it("is a 503 while a write runs, and works again afterwards", () =>
    withStore(async ({ store, other }) => {
      const lost = store.write(async (tx) => {
        await insertTopic.run(tx, { topic: "lost", posts: 0 });
        await endConnections(other);
        await topics.all(tx, {});
      });
      await assert.rejects(lost, rejection("storage_unavailable", /nothing was stored/));
      await store.write((tx) => insertTopic.run(tx, { topic: "kept", posts: 0 }));
      const kept = await topics.all(store.read, {});
      assert.deepEqual(
        kept.map(({ topic }) => topic),
        ["kept"],
      );
    }));

  it("replaces idle connections that were ended", () =>
    withStore(async ({ store, other, alarms }) => {
      await Promise.all(times(8, () => topics.all(store.read, {})));
      await endConnections(other);
      await eventually(async () => alarms.includes("database_connection_lost"));
      await eventually(async () => (await store.health()).refusal === null);
      assert.deepEqual(await topics.all(store.read, {}), []);
    }));

  for (const topic of ["disconnect", "full"]) {
    it(`says that a write may have happened when COMMIT ends in: ${topic}`, () =>
      withFaults(async ({ store }) => {
        const unknown = store.write((tx) => insertTopic.run(tx, { topic, posts: 0 }));
        await assert.rejects(unknown, rejection("storage_unavailable", /may have happened/));
        await store.write((tx) => insertTopic.run(tx, { topic: "next", posts: 0 }));
      }));
  }

  for (const code of ["40001", "40P01", "53200"]) {
    it(`runs a write again that lost with SQLSTATE ${code}`, () =>
      withFaults(async ({ store }) => {
        let attempts = 0;
        await store.write(async (tx) => {
          attempts++;
          if (attempts === 1) await fail.run(tx, { code });
        });
        assert.equal(attempts, 2);
      }));
  }

  for (const code of ["53100", "53300", "57P01", "25006"]) {
    it(`is a 503 with SQLSTATE ${code}`, () =>
      withFaults(async ({ store }) => {
        const refused = store.write((tx) => fail.run(tx, { code }));
        await assert.rejects(refused, rejection("storage_unavailable"));
        await assert.rejects(fail.run(store.read, { code }), rejection("storage_unavailable"));
      }));
  }
});

describe("a PostgreSQL engine", { concurrency: 3 }, () => {
  const insert = (topic: string) => (tx: Tx) => insertTopic.run(tx, { topic, posts: 0 });

  it("changes its generation with each own commit", () =>
    withStore(async ({ store }) => {
      const earlier = store.generation();
      await store.write(insert("a"));
      assert.notEqual(store.generation(), earlier);
    }));

  it("shows one state to a snapshot", () =>
    withStore(async ({ store }) => {
      await store.snapshot(async (db) => {
        assert.equal((await topics.all(db, {})).length, 0);
        await store.write(insert("a"));
        assert.equal((await topics.all(db, {})).length, 0);
        assert.equal((await topics.all(store.read, {})).length, 1);
      });
    }));

  it("changes nothing outside a write, whatever the types were told", () =>
    withStore(async ({ store }) => {
      await assert.rejects(insert("a")(store.read as Tx), rejection("storage_unavailable"));
      const leaked = await store.write(async (tx) => ({ tx }));
      await assert.rejects(insert("b")(leaked.tx), /The transaction is over/);
      assert.deepEqual(await topics.all(store.read, {}), []);
    }));

  it("finishes what runs when it is closed, and takes nothing more", () =>
    withStore(async ({ store: another, url }) => {
      const store = await openStore(url);
      const gate = Promise.withResolvers<void>();
      const last = store.write(async (tx) => {
        await gate.promise;
        await insert("last")(tx);
      });
      const closed = store.close();
      await assert.rejects(store.write(insert("late")), rejection("storage_unavailable"));
      gate.resolve();
      await Promise.all([last, closed]);
      assert.equal((await topics.all(another.read, {})).length, 1);
    }));

  it("does not open a database that would lose commits", () =>
    withStore(async ({ url, other }) => {
      const name = new URL(url).pathname.slice(1);
      await other.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
      const opened = openStore(url).then((store) => store.close());
      await assert.rejects(opened, /cannot be used: synchronous_commit is off/);
    }));

  it("brings an empty database up to date", async () => {
    const url = await emptyPostgres();
    const nodes = await Promise.all([openStore(url), openStore(url)]);
    for (const store of nodes) assert.deepEqual(await topics.all(store.read, {}), []);
    await Promise.all(nodes.map((store) => store.close()));
    dropPostgres(url);
  });

  it("tells why it does not open", async () => {
    const nowhere = "postgres://somebody:secret@localhost/x?host=/no/such/folder";
    await assert.rejects(openStore(nowhere), (error: Error) => {
      assert.match(error.message, /^The PostgreSQL database cannot be used: /);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
  });
});
