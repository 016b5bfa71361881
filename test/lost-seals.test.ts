import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Client } from "pg";
import { readNotices } from "../src/main/jobs/per-process.ts";
import { type SharedJobs, sharedJobs } from "../src/main/jobs/shared.ts";
import { watchOf } from "../src/main/listeners/health.ts";
import { NO_LOAD } from "../src/main/listeners/sockets.ts";
import { happeningsOf } from "../src/main/measures/happenings.ts";
import { openService, type Service } from "../src/main/service/open-service.ts";
import { readConfiguration } from "../src/main/settings/settings.ts";
import { Rejection } from "../src/platform/kernel/contract/errors.ts";
import { MINUTE_S } from "../src/platform/kernel/time.ts";
import { append } from "../src/platform/ledger/append.ts";
import { heartbeat } from "../src/platform/ledger/entries.ts";
import { sealHead } from "../src/platform/ledger/queries.ts";
import { UNSIGNED_MAX_S } from "../src/platform/ledger/seals/signing.ts";
import { dropPostgres, freshPostgres, postgresUrl } from "./database.ts";
import { WATCHDOG_MS } from "./postgres-store.ts";
import { START } from "./service.ts";

/** A node, its jobs by hand, and what it tells its operator. */
interface Node {
  readonly dataDir: string;
  readonly service: Service;
  readonly shared: SharedJobs;
  readonly alarms: readonly string[];
  unhealthy(): Promise<readonly string[]>;
  unready(): Promise<readonly string[]>;
}

/** Nodes on one database; the first holds the key. Time passes for all of them alike. */
interface Network {
  readonly url: string;
  readonly nodes: readonly [Node, Node];
  pass(seconds: number): void;
}

const sentencesOf = (found: readonly { readonly sentence: string }[]) =>
  found.map(({ sentence }) => sentence);

async function twoNodes(
  t: TestContext,
  settings: Readonly<Record<string, string>> = {},
): Promise<Network> {
  const url = await freshPostgres();
  let now = START;
  const start = async (): Promise<Node> => {
    const dataDir = mkdtempSync(join(tmpdir(), "cairn-node-"));
    const alarms: string[] = [];
    const configuration = readConfiguration({
      CAIRN_DATABASE_URL: url,
      CAIRN_DATA_DIR: dataDir,
      CAIRN_ORIGIN: "lost.test",
      ...settings,
    });
    const service = await openService(configuration, {
      baseUrl: "http://127.0.0.1:8080",
      alarm: (what) => void alarms.push(what),
      clock: { now: () => now, monotonic_s: () => now },
      patience_ms: WATCHDOG_MS,
    });
    t.after(async () => {
      await service.close();
      rmSync(dataDir, { recursive: true });
    });
    const standing = {
      whyUnready: () => null,
      whyUnstored: () => null,
      failing: () => [],
      answering: () => 1,
      load: () => NO_LOAD,
    };
    const happenings = happeningsOf(() => now);
    const parts = { configuration, standing, happenings, probeMax_ms: WATCHDOG_MS };
    const { pages } = watchOf(service, parts);
    const unhealthy = async () => sentencesOf(await pages.unhealthy());
    const unready = async () => sentencesOf(await pages.unready());
    return { dataDir, service, shared: sharedJobs(service), alarms, unhealthy, unready };
  };
  const nodes = [await start(), await start()] as const;
  t.after(() => dropPostgres(url));
  const pass = (seconds: number) => {
    now += seconds;
  };
  return { url, nodes, pass };
}

let written = 0;

/** An entry of its own, as any act of an agent leaves one. */
const write = ({ service }: Node): Promise<void> =>
  service.context.write(async (tx) => {
    append(tx, heartbeat, { after_id: 1_000 + ++written });
  });

/** An entry, a seal over it, and a look of every node at it. */
async function seal({ nodes, pass }: Network): Promise<void> {
  await write(nodes[0]);
  while ((await nodes[0].service.store.sequence()) > 0);
  pass(MINUTE_S);
  for (const { shared } of nodes) await shared.seal();
  for (const { service } of nodes) await readNotices(service);
}

/** Runs statements on the server while nobody is connected to the database. */
async function alone(url: string, ...statements: readonly string[]): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const admin = new Client(postgresUrl("postgres"));
  await admin.connect();
  try {
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await admin.query(
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${name}'`,
    );
    for (const statement of statements) await admin.query(statement);
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  } finally {
    await admin.end();
  }
}

/** Copies the database; what comes back puts the copy in its place, as a failover to a standby does. */
async function standbyOf(t: TestContext, url: string): Promise<() => Promise<void>> {
  const name = new URL(url).pathname.slice(1);
  await alone(url, `CREATE DATABASE ${name}_standby TEMPLATE ${name} STRATEGY file_copy`);
  t.after(() => dropPostgres(postgresUrl(`${name}_lost`)));
  return () =>
    alone(
      url,
      `ALTER DATABASE ${name} RENAME TO ${name}_lost`,
      `ALTER DATABASE ${name}_standby RENAME TO ${name}`,
    );
}

const headOf = async ({ service }: Node) => {
  const head = await sealHead.first(service.store.read, {});
  assert.ok(head !== undefined);
  return head;
};

const isRefused = (error: unknown): boolean =>
  error instanceof Rejection &&
  error.code === "storage_unavailable" &&
  /lacks seal \d+, which was signed/.test(error.message);

test("a failover that loses two seals is told as lost seals, on every node, and stops writes", async (t) => {
  const network = await twoNodes(t);
  const { nodes, url } = network;
  await seal(network);
  const failOver = await standbyOf(t, url);
  await seal(network);
  await seal(network);
  const { last_seq } = await headOf(nodes[0]);
  for (const { unhealthy, unready } of nodes)
    assert.deepEqual([await unhealthy(), await unready()], [[], []]);

  await failOver();
  await write(nodes[1]); // Before anybody looks life goes on, under a seal of a number that was lost.
  while ((await nodes[1].service.store.sequence()) > 0);
  network.pass(MINUTE_S);
  for (const { shared } of nodes) await shared.seal();
  for (const { service } of nodes) await readNotices(service);
  const reported = `The database lacks seal ${last_seq}, which was signed.`;
  for (const node of nodes) {
    assert.deepEqual(await node.unhealthy(), [reported]);
    assert.deepEqual(await node.unready(), [reported]);
    await assert.rejects(write(node), isRefused);
    assert.ok(node.alarms.includes("seals_lost"));
    assert.ok(!node.alarms.includes("ledger_violation"));
  }
  assert.equal((await headOf(nodes[0])).first_broken_seq, null);
  assert.equal((await headOf(nodes[0])).verified_through_seq, last_seq - 1);
});

test("a node without the key that saw nothing go refuses by the word of the one with it", async (t) => {
  const network = await twoNodes(t);
  const { nodes, url } = network;
  const failOver = await standbyOf(t, url);
  await seal(network);
  await failOver();
  const [keeper, other] = nodes;
  await readNotices(other.service);
  await write(other);
  await keeper.shared.seal();
  await readNotices(other.service);
  await assert.rejects(write(other), isRefused);
  assert.equal((await other.unready()).length, 1);
});

test("with CAIRN_ON_LOST_SEALS=serve writes go on, and health still tells", async (t) => {
  const network = await twoNodes(t, { CAIRN_ON_LOST_SEALS: "serve" });
  const failOver = await standbyOf(t, network.url);
  await seal(network);
  await failOver();
  await seal(network);
  for (const { unhealthy, unready } of network.nodes) {
    assert.match((await unhealthy()).join(), /lacks seal/);
    assert.deepEqual(await unready(), []);
  }
});

test("the database that comes back ends it, without an alarm", async (t) => {
  const network = await twoNodes(t);
  const { nodes, url } = network;
  const name = new URL(url).pathname.slice(1);
  const failOver = await standbyOf(t, url);
  await seal(network);
  await failOver();
  for (const { shared } of nodes) await shared.seal();
  await alone(
    url,
    `ALTER DATABASE ${name} RENAME TO ${name}_fork`,
    `ALTER DATABASE ${name}_lost RENAME TO ${name}`,
    `ALTER DATABASE ${name}_fork RENAME TO ${name}_lost`,
  );
  await alone(postgresUrl(`${name}_lost`)); // It was closed under its other name.
  for (const { shared } of [...nodes, ...nodes]) await shared.seal();
  for (const { service } of nodes) await readNotices(service);
  await seal(network);
  for (const { alarms, unready, unhealthy } of nodes) {
    assert.equal(alarms.filter((what) => what === "seals_lost").length, 1);
    assert.deepEqual([await unready(), await unhealthy()], [[], []]);
  }
});

test("a flipped byte is told as a violation still, in an old seal and in the newest", async (t) => {
  const network = await twoNodes(t);
  const { nodes, url } = network;
  await seal(network);
  await seal(network);
  const { last_seq } = await headOf(nodes[0]);
  const owner = new Client(url);
  await owner.connect();
  await owner.query("SET session_replication_role = replica"); // No trigger stops this one.
  await owner.query(
    "UPDATE seal SET root = set_byte(root, 0, get_byte(root, 0) # 1) WHERE seq = 1",
  );
  const fresh = sharedJobs(nodes[1].service);
  await fresh.seal();
  assert.ok(nodes[1].alarms.includes("ledger_violation"));
  assert.ok(!nodes[1].alarms.includes("seals_lost"));
  assert.equal((await headOf(nodes[0])).first_broken_seq, 1);

  await owner.query(
    "UPDATE seal SET root = set_byte(root, 0, get_byte(root, 0) # 1) WHERE seq = 1",
  );
  await owner.query("UPDATE seal_head SET first_broken_seq = NULL");
  await owner.query(
    "UPDATE seal SET seal_hash = set_byte(seal_hash, 0, get_byte(seal_hash, 0) # 1) WHERE seq = $1",
    [last_seq],
  );
  await nodes[0].shared.seal();
  assert.ok(nodes[0].alarms.includes("ledger_violation"));
  assert.equal((await headOf(nodes[0])).first_broken_seq, last_seq);
  await owner.end();
});

test("a key or a memory that is missing is told with what to do, and writes go on", async (t) => {
  const network = await twoNodes(t);
  await seal(network);
  const [keeper, other] = network.nodes;
  rmSync(join(keeper.dataDir, "signer-memory.json"));
  await seal(network);
  for (const { unhealthy, unready } of network.nodes) {
    assert.match((await unhealthy()).join(), /signer-memory\.json is gone: put back/);
    assert.deepEqual(await unready(), []);
  }
  network.pass(UNSIGNED_MAX_S + 1);
  assert.deepEqual(await other.unhealthy(), ["No node signs."]);
  await write(other);
});
