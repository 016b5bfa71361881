import assert from "node:assert/strict";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";
import { runCairn, startService } from "./process.ts";
import { clientOf } from "./service.ts";
import { folderFor } from "./site.ts";

const QUEST = ["quest", "add", "--title", "A quest", "--description", "Do it.", "--days", "1"];

/** A service on SQLite with a token, and what a test does beside it. */
async function running(t: TestContext) {
  const dataDir = folderFor(t);
  const adminPort = String(await freePort());
  const variables = { CAIRN_DATA_DIR: dataDir, CAIRN_ADMIN_PORT: adminPort };
  const service = await startService(variables);
  t.after(() => service.stop("SIGKILL"));
  const { post } = clientOf(service.url);
  const { token } = (await post("/register")).body;
  const reasonsOf = async () => {
    const answer = await fetch(`http://127.0.0.1:${adminPort}/readyz`);
    const { reasons } = (await answer.json()) as { readonly reasons: readonly string[] };
    return reasons;
  };
  return {
    service,
    file: (end: string) => join(dataDir, `cairn.db${end}`),
    write: (body: string) => post("/post", { body }, { token }),
    quest: () => runCairn([...QUEST, "--yes"], variables),
    reasonsOf,
    async postsAgain() {
      const again = await startService(variables);
      t.after(() => again.stop("SIGKILL"));
      const { posts } = (await clientOf(again.url).get("/feed")).body;
      assert.equal(
        (await clientOf(again.url).post("/post", { body: "Go on." }, { token })).status,
        201,
      );
      return posts.map(({ body }: { body: string }) => body);
    },
  };
}

test("a removed index of the log stops writes at once, and nobody else's begin", async (t) => {
  const { service, file, write, quest, reasonsOf, postsAgain } = await running(t);
  assert.equal((await quest()).code, 0);
  assert.equal((await write("Before.")).status, 201);
  rmSync(file("-shm"));
  const refused = await write("No.");
  assert.equal(refused.status, 503, "no write after the removal is acknowledged");
  assert.equal(refused.body.error, "storage_unavailable");
  const { code, err } = await quest();
  assert.equal(code, 1);
  assert.match(
    err,
    /^A service runs on .*, and its cairn\.db-shm was removed or replaced\. Stop it/,
  );
  assert.match((await reasonsOf()).join(), /cairn\.db-shm was removed or replaced\. Stop/);
  assert.equal(await service.stop("SIGTERM"), 0);
  assert.deepEqual(await postsAgain(), ["Before."]);
});

test("what another program wrote through a new index is there after a stop", async (t) => {
  const { service, file, write, quest, postsAgain } = await running(t);
  assert.equal((await write("Before.")).status, 201);
  rmSync(file("-shm"));
  const other = new DatabaseSync(file(""));
  other.exec("CREATE TABLE written_beside (note TEXT)");
  other.close();
  assert.ok(existsSync(file("-shm")), "it made a new one");
  assert.equal((await write("No.")).status, 503);
  assert.match((await quest()).err, /cairn\.db-shm was removed or replaced/);
  assert.equal(await service.stop("SIGTERM"), 0);
  assert.ok(existsSync(file("-wal")), "the log is kept");
  assert.deepEqual(await postsAgain(), ["Before."]);
  const database = new DatabaseSync(file(""), { readOnly: true });
  t.after(() => database.close());
  assert.ok(database.prepare("SELECT count(*) FROM written_beside").get());
  assert.deepEqual(
    { ...database.prepare("PRAGMA integrity_check").get() },
    { integrity_check: "ok" },
  );
});

test("a write lock that another program holds is named, and readiness says so", async (t) => {
  const { service, file, write, reasonsOf } = await running(t);
  const other = new DatabaseSync(file(""));
  t.after(() => other.close());
  other.exec("BEGIN IMMEDIATE");
  const refused = await write("No.");
  assert.equal(refused.status, 503);
  assert.equal(refused.body.error, "storage_unavailable");
  assert.match(refused.body.message, /^Another program holds the write lock/);
  assert.deepEqual(await reasonsOf(), ["Another program holds the write lock of the database."]);
  other.exec("ROLLBACK");
  await eventually(async () => (await reasonsOf()).length === 0);
  assert.equal((await write("Yes.")).status, 201);
  assert.equal(await service.stop("SIGTERM"), 0);
});
