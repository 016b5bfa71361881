import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { REPLICA_LAG_MAX_MS, replicaWatch } from "../src/main/jobs/replica-lag.ts";
import { readConfiguration } from "../src/main/settings/settings.ts";
import { dropPostgres, freshPostgres } from "./database.ts";
import { eventually } from "./postgres-store.ts";
import { openTestService, START, type TestAgent, type TestService } from "./service.ts";

/**
 * A service whose reads have a database of their own. It gets nothing of what is written, as a
 * replica that has stopped following, so each answer shows where it comes from.
 */
async function besideReplica(
  body: (service: TestService, ada: TestAgent, replicaUrl: string) => Promise<void>,
): Promise<void> {
  const CAIRN_DATABASE_READ_URL = await freshPostgres();
  const service = await openTestService("postgres", "replica", { CAIRN_DATABASE_READ_URL });
  try {
    const ada = await service.register("ada");
    await ada.post("/post", { body: "Not on the replica." });
    const html = "<!doctype html><title>Map</title>";
    await ada.post("/app", { name: "Map", description: "It shows.", html });
    await service.sequenced();
    await body(service, ada, CAIRN_DATABASE_READ_URL);
  } finally {
    await service.close();
    dropPostgres(CAIRN_DATABASE_READ_URL);
  }
}

/** The page of the hosted application, which any browser may ask for. */
async function hosted({ url }: TestService, ada: TestAgent): Promise<number> {
  const { slug } = (await ada.get("/app/1")).body.app;
  return (await fetch(`${url}/app/${slug}`)).status;
}

/** What `GET /feed` answers by MCP. */
async function feedByTool({ post }: TestService, { token }: TestAgent) {
  const params = { name: "feed_list", arguments: {} };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const headers = { accept: "application/json, text/event-stream" };
  const { body } = await post("/mcp", message, { token, headers });
  return body.result.structuredContent;
}

test("requests without a token are answered by the replica, all others by the database", () =>
  besideReplica(async (service, ada) => {
    assert.equal((await service.get("/feed")).body.count, 0);
    assert.equal((await service.get("/goal")).body.counts.agents, 0, "a snapshot, too");

    assert.equal((await ada.get("/me")).body.handle, "ada");
    assert.equal((await ada.get("/feed")).body.count, 1, "a public read with a token");
    assert.equal((await service.get("/feed")).body.count, 0, "which does not reach others");
    assert.equal((await feedByTool(service, ada)).count, 1);
    assert.equal((await ada.post("/post", { body: "A reply.", reply_to: 1 })).status, 201);
  }));

test("the database answers for rows that the replica lacks, and nobody keeps a 404", () =>
  besideReplica(async (service, ada) => {
    for (let n = 0; n < 8; n++) {
      const { body } = await ada.post("/repo", { name: `Repo ${n}`, mission: "To be read." });
      const found = await service.get(`/repo/${body.id}`);
      assert.equal(found.status, 200, `read ${n} after its write`);
    }
    assert.equal((await service.get("/agent/ada")).status, 200);
    assert.equal(await hosted(service, ada), 200);
    const missing = await service.get("/agent/nobody");
    assert.deepEqual([missing.status, missing.body.error], [404, "agent_not_found"]);
  }));

test("/since shows what has ended its wait", () =>
  besideReplica(async (service, ada) => {
    const { after_id } = (await service.get("/since?after_id=0")).body;
    const waiting = service.get(`/since?after_id=${after_id}&wait=25`);
    await ada.post("/post", { body: "Here." });
    assert.deepEqual((await waiting).body.count, 1);
    const ahead = await service.get(`/since?after_id=${after_id + 1}`);
    assert.equal(ahead.status, 200, "a position behind the replica's end is no position ahead");
    const beyond = await service.get(`/since?after_id=${after_id + 1_000}`);
    assert.equal(beyond.body.error, "position_ahead");
  }));

/** Whether a replica answers, as the operator is told. */
const isUsed = ({ service }: TestService): boolean => service.store.replica?.isUsed() === true;

test("without its replica the database answers everybody, until it is back", () =>
  besideReplica(async (service, ada, replicaUrl) => {
    const name = new URL(replicaUrl).pathname.slice(1);
    const admin = new Client(replicaUrl.replace(name, "postgres"));
    await admin.connect();
    const feed = async () => {
      service.pass(1); // A cached answer is a second old at most.
      const { status, body } = await service.get("/feed");
      return [status, body.count];
    };
    try {
      assert.deepEqual(await feed(), [200, 0]);
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await admin.query(
        `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${name}'`,
      );
      for (let n = 0; n < 3; n++) assert.deepEqual(await feed(), [200, 1]);
      assert.equal((await service.get("/goal")).body.counts.agents, 1, "a snapshot, too");
      assert.equal(await hosted(service, ada), 200);
      assert.ok(!isUsed(service));
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      await eventually(() => isUsed(service));
      assert.deepEqual(await feed(), [200, 0]);
    } finally {
      await admin.end();
    }
  }));

test("a replica that lacks for five seconds what the database had is left out", () =>
  besideReplica(async (service) => {
    let now_ms = 0;
    const watch = replicaWatch(() => now_ms);
    const { store } = service.service;
    await watch(store);
    now_ms = REPLICA_LAG_MAX_MS;
    await watch(store);
    assert.ok(isUsed(service), "it may still be on its way");
    now_ms++;
    await watch(store);
    assert.ok(!isUsed(service));
    assert.equal((await service.get("/feed")).body.count, 1);
  }));

const LOCKS = `FROM pg_locks WHERE locktype = 'advisory' AND classid = 0
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/**
 * As a replica does it to a query whose rows the database has removed since: while the test holds
 * lock 2, a read waits for lock 1 and is cancelled then.
 */
const CANCELLING = `ALTER TABLE topic RENAME TO kept;
  INSERT INTO kept (topic, posts, last_posted_at) VALUES ('only-here', 1, ${START});
  CREATE FUNCTION perhaps_cancel() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (SELECT 1 ${LOCKS} AND objid = 2) THEN
      PERFORM pg_advisory_xact_lock_shared(1);
      RAISE EXCEPTION 'canceling statement due to conflict with recovery' USING ERRCODE = '40001';
    END IF; RETURN true; END $$;
  CREATE VIEW topic AS SELECT kept.* FROM perhaps_cancel() JOIN kept ON true;
  SELECT pg_advisory_lock(1), pg_advisory_lock(2);`;

test("a read that the replica has cancelled runs again", () =>
  besideReplica(async (service, _ada, replicaUrl) => {
    const replica = new Client(replicaUrl);
    await replica.connect();
    try {
      await replica.query(CANCELLING);
      const reading = service.get("/topics");
      const waiting = `SELECT 1 ${LOCKS} AND objid = 1 AND NOT granted`;
      await eventually(async () => ((await replica.query(waiting)).rowCount ?? 0) > 0);
      await replica.query("SELECT pg_advisory_unlock(2), pg_advisory_unlock(1)");
      const { status, body } = await reading;
      assert.equal(status, 200);
      const kept = body.topics.filter(({ topic }: { topic: string }) => topic === "only-here");
      assert.equal(kept.length, 1, "the replica answers");
      assert.ok(isUsed(service));
    } finally {
      await replica.end();
    }
  }));

test("a replica needs a database that it follows", () => {
  const CAIRN_DATABASE_READ_URL = "postgres://cairn:5ecret@localhost/cairn";
  const refusal = (environment: Readonly<Record<string, string>>): string => {
    try {
      readConfiguration(environment);
      return "";
    } catch (error) {
      return String(error);
    }
  };
  assert.match(
    refusal({ CAIRN_DATABASE_READ_URL }),
    /_READ_URL is for a replica of .*, which is not/,
  );
  const CAIRN_DATABASE_URL = CAIRN_DATABASE_READ_URL;
  assert.equal(refusal({ CAIRN_DATABASE_URL, CAIRN_DATABASE_READ_URL }), "");
  const wrong = refusal({ CAIRN_DATABASE_URL, CAIRN_DATABASE_READ_URL: "mysql://a:5ecret@b/c" });
  assert.match(
    wrong,
    /CAIRN_DATABASE_READ_URL is not readable; allowed is a postgres:\/\/ URL of up to 8 hosts/,
  );
  assert.doesNotMatch(wrong, /5ecret/);
});
