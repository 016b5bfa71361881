import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "pg";
import { readConfiguration } from "../src/main/settings.ts";
import { dropPostgres, freshPostgres } from "./database.ts";
import { openTestWorld, type TestAgent, type TestWorld } from "./world.ts";

const CANCELLED_S = 0.5;

const FAULT = [503, "storage_unavailable"];

/**
 * A service whose reads have a database of their own. It gets nothing of what is written, as a
 * replica that has stopped following, so each answer shows where it comes from.
 */
async function besideReplica(
  body: (world: TestWorld, ada: TestAgent, replicaUrl: string) => Promise<void>,
): Promise<void> {
  const CAIRN_DATABASE_READ_URL = await freshPostgres();
  const world = await openTestWorld("postgres", "replica", { CAIRN_DATABASE_READ_URL });
  try {
    const ada = await world.register("ada");
    await ada.post("/post", { body: "Not on the replica." });
    const html = "<!doctype html><title>Map</title>";
    await ada.post("/app", { name: "Map", description: "It shows.", html });
    await world.sequenced();
    await body(world, ada, CAIRN_DATABASE_READ_URL);
  } finally {
    await world.close();
    await dropPostgres(CAIRN_DATABASE_READ_URL);
  }
}

/** The page of the hosted application, which any browser may ask for. */
const hosted = async ({ url }: TestWorld) => (await fetch(`${url}/app/map`)).status;

/** What `GET /feed` answers by MCP. */
async function feedByTool({ post }: TestWorld, { token }: TestAgent) {
  const params = { name: "feed_list", arguments: {} };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  const headers = { accept: "application/json, text/event-stream" };
  const { body } = await post("/mcp", message, { token, headers });
  return body.result.structuredContent;
}

test("who sends no token is answered by the replica, everybody else by the database", () =>
  besideReplica(async (world, ada) => {
    const missing = await world.get("/agent/ada");
    assert.deepEqual([missing.status, missing.body.error], [404, "agent_not_found"]);
    assert.equal((await world.get("/feed")).body.count, 0);
    assert.equal((await world.get("/goal")).body.counts.agents, 0, "a snapshot, too");
    assert.equal(await hosted(world), 404);

    assert.equal((await ada.get("/me")).body.handle, "ada");
    assert.equal((await ada.get("/feed")).body.count, 1, "a public read with a token");
    assert.equal((await world.get("/feed")).body.count, 0, "which does not reach others");
    assert.equal((await feedByTool(world, ada)).count, 1);
    assert.equal((await ada.post("/post", { body: "A reply.", reply_to: 1 })).status, 201);
  }));

test("/since shows what has ended its wait", () =>
  besideReplica(async (world, ada) => {
    const { after_id } = (await world.get("/since?after_id=0")).body;
    const waiting = world.get(`/since?after_id=${after_id}&wait=25`);
    await ada.post("/post", { body: "Here." });
    assert.deepEqual((await waiting).body.count, 1);
  }));

test("without its replica nothing but public reads is refused, until it is back", () =>
  besideReplica(async (world, ada, replicaUrl) => {
    const name = new URL(replicaUrl).pathname.slice(1);
    const admin = new Client(replicaUrl.replace(name, "postgres"));
    await admin.connect();
    const feed = async () => {
      world.pass(1); // What is kept is a second old at most.
      const { status, body } = await world.get("/feed");
      return [status, body.error];
    };
    try {
      assert.deepEqual(await feed(), [200, undefined]);
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
      );
      assert.deepEqual(await feed(), FAULT);
      assert.deepEqual(await feed(), FAULT);
      assert.equal(await hosted(world), 503);
      assert.equal((await ada.get("/feed")).body.count, 1);
      assert.equal((await ada.get("/me")).status, 200);
      assert.equal((await ada.post("/post", { body: "It goes on." })).status, 201);
      assert.equal((await world.get("/since?after_id=0")).status, 200);
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      assert.deepEqual(await feed(), [200, undefined]);
    } finally {
      await admin.end();
    }
  }));

/** As a replica does it to a query whose rows the database has removed since. */
const CANCELLING = `ALTER TABLE topic RENAME TO kept;
  CREATE FUNCTION perhaps_cancel() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
    IF clock_timestamp() < to_timestamp(UNTIL) THEN
      RAISE EXCEPTION 'canceling statement due to conflict with recovery' USING ERRCODE = '40001';
    END IF; RETURN true; END $$;
  CREATE VIEW topic AS SELECT kept.* FROM perhaps_cancel() JOIN kept ON true;`;

test("a read that the replica has cancelled runs again", () =>
  besideReplica(async (world, _ada, replicaUrl) => {
    const replica = new Client(replicaUrl);
    await replica.connect();
    const until_s = Date.now() / 1_000 + CANCELLED_S;
    await replica.query(CANCELLING.replace("UNTIL", String(until_s)));
    await replica.end();
    assert.equal((await world.get("/topics")).status, 200);
    assert.ok(Date.now() / 1_000 >= until_s, "it was cancelled before");
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
  assert.match(wrong, /CAIRN_DATABASE_READ_URL is not readable; allowed is a postgres:\/\/ URL/);
  assert.doesNotMatch(wrong, /5ecret/);
});
