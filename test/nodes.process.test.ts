import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Client } from "pg";
import { STARTER_TASKS } from "../src/domains/tasks/starter-tasks.ts";
import { dropPostgres, emptyPostgres, freshPostgres } from "./database.ts";
import { checkEntries, readLedger } from "./invariants.ts";
import { eventually, times } from "./postgres-store.ts";
import { type RunningService, startService } from "./process.ts";
import { clientOf } from "./service.ts";
import { sequenced } from "./site.ts";

const WRITERS = 6;
const POSTS = 20;

interface Node extends Pick<RunningService, "stop">, ReturnType<typeof clientOf> {
  readonly dataDir: string;
}

/** Starts two nodes on one database, both at the same moment; the test's end ends them. */
async function twoNodes(t: TestContext, databaseUrl: string): Promise<[Node, Node]> {
  const start = async (name: string): Promise<Node> => {
    const dataDir = mkdtempSync(join(tmpdir(), "cairn-node-"));
    const { url, stop } = await startService({
      CAIRN_DATABASE_URL: `${databaseUrl}&application_name=${name}`,
      CAIRN_DATA_DIR: dataDir,
      CAIRN_ORIGIN: "nodes.test",
      CAIRN_SEAL_INTERVAL_S: "1",
    });
    t.after(async () => {
      await stop("SIGKILL");
      rmSync(dataDir, { recursive: true });
    });
    return { dataDir, stop, ...clientOf(url) };
  };
  const nodes = await Promise.all([start("one"), start("other")]);
  t.after(() => dropPostgres(databaseUrl));
  return nodes;
}

/** Follows the ledger until it has `count` entries; resolves to the ids in the order of arrival. */
async function follow({ get }: Node, wait_s: number, count: () => number): Promise<number[]> {
  const ids: number[] = [];
  for (let after_id = 0; ids.length < count(); ) {
    const { body } = await get(`/since?after_id=${after_id}&limit=50&wait=${wait_s}`);
    ids.push(...body.entries.map(({ id }: { id: number }) => id));
    after_id = body.after_id;
  }
  return ids;
}

/** Posts one after another until the node is gone or all are written; resolves to their ids. */
async function write({ post }: Node, token: string, count: number): Promise<number[]> {
  const acknowledged: number[] = [];
  while (acknowledged.length < count) {
    const answer = await post("/post", { body: "from a node" }, { token }).catch(() => null);
    if (answer === null) break;
    assert.equal(answer.status, 201);
    acknowledged.push(answer.body.id);
  }
  return acknowledged;
}

/** Resolves when the server has seen that nobody of this name is there any more, and has ended what it did. */
async function gone(databaseUrl: string, name: string): Promise<void> {
  const client = new Client(databaseUrl);
  await client.connect();
  const sessions = "SELECT 1 FROM pg_stat_activity WHERE application_name = $1";
  await eventually(async () => (await client.query(sessions, [name])).rowCount === 0);
  await client.end();
}

test("two nodes that start at one moment on an empty database make one ledger", async (t) => {
  const url = await emptyPostgres();
  const nodes = await twoNodes(t, url);
  await sequenced(url);
  const keys = nodes.filter(({ dataDir }) => existsSync(join(dataDir, "operator.key")));
  assert.equal(keys.length, 1, "one node holds the operator's key");
  for (const node of nodes) {
    const entries = await readLedger(node);
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      ["genesis", ...times(STARTER_TASKS.length, () => "task")],
    );
    const { body } = await node.get("/verify");
    assert.equal(body.public_key, entries[0]?.body["pubkey"]);
  }
});

test("two nodes are one service", async (t) => {
  const nodes = await twoNodes(t, await freshPostgres());
  const [first, second] = nodes;

  const { token: old } = (await first.post("/register", { handle: "ada" })).body;
  for (const { get } of [second, first])
    assert.equal((await get("/me", { token: old })).body.handle, "ada");
  const { token } = (await second.post("/token/rotate", {}, { token: old })).body;
  assert.equal((await first.get("/me", { token: old })).body.error, "token_unknown");
  assert.equal((await first.get("/me", { token })).status, 200);

  // With the genesis, the tasks and the agent.
  const total = 2 + STARTER_TASKS.length + 2 * WRITERS * POSTS;
  const readers = nodes.flatMap((node) =>
    [0, 1].map((wait_s) => follow(node, wait_s, () => total)),
  );
  await Promise.all(nodes.flatMap((node) => times(WRITERS, () => write(node, token, POSTS))));
  for (const ids of await Promise.all(readers))
    assert.deepEqual(
      ids,
      times(total, (n) => n + 1),
      "a reader misses and repeats nothing",
    );
  checkEntries(await readLedger(second));

  await eventually(async () => {
    const { body } = await second.get("/seal?limit=1");
    return body.unsealed.entries === 0 && body.unsigned_seqs.length === 0;
  });
  const [seals, others] = await Promise.all(nodes.map(({ get }) => get("/seal?limit=1000")));
  assert.deepEqual(seals?.body.seals, others?.body.seals);
  assert.equal(seals?.body.chain_intact, true);
  for (const node of nodes) assert.equal(await node.stop("SIGTERM"), 0);
});

test("a node that is killed under load takes nothing with it", async (t) => {
  const databaseUrl = await freshPostgres();
  const [killed, other] = await twoNodes(t, databaseUrl);
  const { token } = (await killed.post("/register")).body;
  let total = Number.POSITIVE_INFINITY;
  const reader = follow(other, 1, () => total);
  const writers = [killed, other].flatMap((node) =>
    times(WRITERS, () => write(node, token, node === killed ? total : 4 * POSTS)),
  );
  await eventually(async () => (await other.get("/since?after_id=100&limit=1")).body.count > 0);
  await killed.stop("SIGKILL");

  const acknowledged = (await Promise.all(writers)).flat();
  assert.ok(acknowledged.length > 4 * POSTS * WRITERS, "the killed node was writing");
  // What it had committed and not yet answered may be there too.
  await gone(databaseUrl, "one");
  await sequenced(databaseUrl);
  const items = await readLedger(other);
  checkEntries(items);
  const stored = new Set(items.map(({ kind, ref }) => `${kind} ${ref}`));
  const lost = acknowledged.filter((id) => !stored.has(`post ${id}`));
  assert.deepEqual(lost, [], "what was acknowledged has its id");
  total = items.length;
  assert.deepEqual(
    await reader,
    times(total, (n) => n + 1),
  );
});
