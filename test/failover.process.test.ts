import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { nodeFolder, startLoad, startNode } from "./failover-load.ts";
import { freePort } from "./ports.ts";
import {
  freshFolder,
  initialized,
  type Server,
  standbyOf,
  started,
  startedAt,
  urlOf,
} from "./postgres-server.ts";
import { eventually, times } from "./postgres-store.ts";
import { runCairn, startService } from "./process.ts";
import { clientOf } from "./service.ts";

interface Post {
  readonly id: number;
}

test("when the standby becomes the primary, the service goes on with it", async (t) => {
  const first = initialized(t);
  const second = join(freshFolder(t), "data");
  execFileSync("cp", ["-a", first, second]);
  writeFileSync(join(second, "standby.signal"), "");
  const primary = await started(t, first, "synchronous_standby_names=*", "wal_keep_size=64MB");
  const follows = `primary_conninfo=host=127.0.0.1 port=${primary.port} user=postgres`;
  const standby = await started(t, second, follows);
  const service = await startService({
    CAIRN_DATABASE_URL: urlOf(standby, primary), // A standby is passed over.
    CAIRN_DATA_DIR: nodeFolder(t),
    CAIRN_ORIGIN: "failover.test",
    CAIRN_SEAL_INTERVAL_S: "1",
  });
  t.after(() => service.stop("SIGKILL"));
  const { get, post } = clientOf(service.url);
  const { token } = (await post("/register")).body;
  const say = () => post("/post", { body: "hello" }, { token });
  const before = await Promise.all(times(20, say));
  assert.deepEqual(new Set(before.map(({ status }) => status)), new Set([201]));

  primary.signal("SIGKILL");
  assert.notEqual((await say()).status, 201, "nobody takes writes");
  await standby.ask("SELECT pg_promote()");
  await eventually(async () => (await say()).status === 201);
  const reported = async () => (await get("/feed?limit=100")).body.posts.map(({ id }: Post) => id);
  const ids = before.map(({ body }) => body.id);
  await eventually(async () => new Set(await reported()).isSupersetOf(new Set(ids)));
  await eventually(async () => (await get("/seal?limit=1")).body.unsealed.entries === 0);
  assert.equal((await get("/seal?limit=1")).body.chain_intact, true);
  assert.equal(await service.stop("SIGTERM"), 0);
});

test("probes are answered while the database stands still", async (t) => {
  const server = await started(t, initialized(t));
  const adminPort = String(await freePort());
  const service = await startService({
    CAIRN_DATABASE_URL: urlOf(server),
    CAIRN_DATA_DIR: nodeFolder(t),
    CAIRN_ADMIN_PORT: adminPort,
  });
  t.after(() => service.stop("SIGKILL"));
  const probe = (path: string) => fetch(`http://127.0.0.1:${adminPort}${path}`);
  await eventually(async () => (await probe("/readyz")).status === 200);
  await eventually(async () => (await probe("/healthz")).status === 200);

  server.signal("SIGSTOP");
  let isAnswered = false;
  const control = clientOf(service.url)
    .get("/feed?limit=7")
    .finally(() => {
      isAnswered = true;
    });
  for (const path of ["/readyz", "/healthz"]) {
    const answer = await probe(path);
    assert.deepEqual([answer.status, /does not answer/.test(await answer.text())], [503, true]);
    assert.equal(isAnswered, false, `${path} waits for less than a read`);
  }
  server.signal("SIGCONT");
  await control;
  await eventually(async () => (await probe("/readyz")).status === 200);
  await eventually(async () => (await probe("/healthz")).status === 200);
});

const KILLS = Number(process.env["TEST_FAILOVERS"] ?? 0);
/** Every so many kills the node that signs is killed in the same moment. */
const SIGNER_EVERY = 4;
const WRITERS = 8;

test("a standby that is promoted by hand has every acknowledged write", {
  skip: KILLS === 0 && "it is slow: TEST_FAILOVERS=20",
}, async (t) => {
  const settings = ["wal_keep_size=512MB"];
  let primary = await started(t, initialized(t), ...settings);
  let standby = await started(t, await standbyOf(t, primary), ...settings);
  const url = urlOf(primary, standby);
  const signer = await startNode(t, url);
  const load = await startLoad(t, [signer, await startNode(t, url)], WRITERS);
  const pauses: number[] = [];
  for (let kill = 1; kill <= KILLS; kill++) {
    await synchronous(primary);
    const from_ms = load.lastAnswer_ms();
    await eventually(() => load.lastAnswer_ms() > from_ms + 1_000);
    const back = kill % SIGNER_EVERY === 0 ? signer.restart() : Promise.resolve();
    const killed = primary;
    killed.signal("SIGKILL");
    await killed.gone();
    await setTimeout(500); // Somebody has to see it.
    primary = standby;
    await primary.ask("SELECT pg_promote()");
    const promoted_ms = performance.now();
    await eventually(() => load.lastAnswer_ms() > promoted_ms);
    pauses.push((load.lastAnswer_ms() - promoted_ms) / 1_000);
    await back;
    standby = await startedAt(t, killed.port, await standbyOf(t, primary), ...settings);
  }
  await load.stop();
  const { lost, forks, entries } = await load.verdict();
  t.diagnostic(
    `${KILLS} kills: ${load.acknowledged.size} acknowledged of ${entries} entries, ${lost} lost, ${forks} forks; ` +
      `${JSON.stringify(load.others)}; seconds from promotion to the next answer: ${pauses.join(" ")}`,
  );
  assert.deepEqual({ lost, forks }, { lost: 0, forks: 0 });
});

/** From here on no write is answered before a standby has it. */
async function synchronous({ ask }: Server): Promise<void> {
  await ask("ALTER SYSTEM SET synchronous_standby_names = '*'");
  await ask("SELECT pg_reload_conf()");
  const follows = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
  await eventually(async () => (await ask(follows)).length > 0);
}

test("what an asynchronous failover loses is told as lost, by health, doctor and writes", async (t) => {
  const primary = await started(t, initialized(t));
  const standby = await started(t, await standbyOf(t, primary), "wal_keep_size=64MB");
  const variables = {
    CAIRN_DATABASE_URL: urlOf(primary, standby),
    CAIRN_DATA_DIR: nodeFolder(t),
    CAIRN_ORIGIN: "failover.test",
    CAIRN_SEAL_INTERVAL_S: "1",
    CAIRN_ADMIN_PORT: String(await freePort()),
  };
  const service = await startService(variables);
  t.after(() => service.stop("SIGKILL"));
  const { get, post } = clientOf(service.url);
  const { token } = (await post("/register")).body;
  const say = () => post("/post", { body: "hello" }, { token });
  const signed = async () => {
    const { body } = await get("/seal?limit=1");
    return body.unsealed.entries === 0 && body.unsigned_seqs.length === 0 ? body.head.seq : 0;
  };
  assert.equal((await say()).status, 201);
  await eventually(async () => (await signed()) > 0);
  assert.match((await runCairn(["doctor", "--quick"], variables)).out, /failover/);

  const caughtUp = `SELECT 1 FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()`;
  await eventually(async () => (await primary.ask(caughtUp)).length > 0);
  await standby.ask("ALTER SYSTEM SET primary_conninfo = ''");
  await standby.ask("SELECT pg_reload_conf()");
  await eventually(
    async () => (await standby.ask("SELECT 1 FROM pg_stat_wal_receiver")).length === 0,
  );
  const before = await signed();
  for (const { status } of await Promise.all(times(20, say))) assert.equal(status, 201);
  await eventually(async () => (await signed()) > before);

  primary.signal("SIGKILL");
  await standby.ask("SELECT pg_promote()");
  const probe = (path: string) => fetch(`http://127.0.0.1:${variables.CAIRN_ADMIN_PORT}${path}`);
  const reported = /The database lacks seal \d+, which was signed\./;
  for (const path of ["/healthz", "/readyz"])
    await eventually(async () => reported.test(await (await probe(path)).text()));
  const refused = await say();
  assert.equal(refused.status, 503);
  assert.match(refused.body.message, /lacks seal/);
  assert.equal((await get("/seal?limit=1")).body.chain_intact, true);
  const { code, out } = await runCairn(["doctor"], variables);
  assert.notEqual(code, 0);
  assert.match(out, /Seal \d+, which this key has signed, is not in the database/);
  assert.match(out, /ok +chain .*entries verif/); // The chain that is left is whole.
  assert.doesNotMatch(service.output(), /ledger_violation/);
});
