import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { Client } from "pg";
import { parse, stringify } from "yaml";
import { owner } from "./postgres-server.ts";
import { eventually } from "./postgres-store.ts";

const FILES = join(import.meta.dirname, "../ops/failover");

/** Where Debian puts what is not in everybody's path. */
export const PATH = [process.env["PATH"], "/usr/sbin"].join(delimiter);

/** One of three machines: an address of the loopback network with a member of etcd, Patroni and PgBouncer. */
export interface Machine {
  readonly name: string;
  readonly address: string;
  /** Kills every process of the machine at once. */
  kill(): Promise<void>;
  start(): void;
  ask(statement: string): Promise<readonly Record<string, unknown>[]>;
}

interface Place {
  readonly name: string;
  readonly address: string;
  /** All of its files. */
  readonly folder: string;
  /** The beginning of the addresses of all three. */
  readonly network: string;
}

/** A file of `ops/failover/`, with the addresses and folders of a test. */
function textOf(file: string, { name, address, folder, network }: Place): string {
  return readFileSync(join(FILES, file), "utf8")
    .replaceAll(/\bNAME\b/g, name)
    .replaceAll(/\bADDRESS\b/g, address)
    .replaceAll("10.0.0.0/24", "127.0.0.0/8")
    .replaceAll("10.0.0.", network)
    .replaceAll("/var/lib/etcd", join(folder, "etcd"))
    .replaceAll("/var/lib/postgresql/15", folder)
    .replaceAll("/var/lib/postgresql", folder)
    .replaceAll("/var/run/postgresql", join(folder, "run"))
    .replaceAll("/etc/pgbouncer", folder);
}

/** Writes the files that the programs read; resolves to the variables of etcd. */
function configure(place: Place): Record<string, string> {
  const { folder } = place;
  const { uid, gid } = owner();
  for (const path of [folder, join(folder, "etcd"), join(folder, "run")]) {
    mkdirSync(path, { mode: 0o700 });
    chownSync(path, uid, gid);
  }
  // A machine of a test has no watchdog device.
  const patroni = { ...parse(textOf("patroni.yml", place)), watchdog: { mode: "off" } };
  const texts = {
    "patroni.yml": stringify(patroni),
    "pgbouncer.ini": textOf("pgbouncer.ini", place),
    "userlist.txt": textOf("userlist.txt", place),
  };
  for (const [file, text] of Object.entries(texts)) {
    writeFileSync(join(folder, file), text, { mode: 0o600 });
    chownSync(join(folder, file), uid, gid);
  }
  const etcd = textOf("etcd", place).matchAll(/^(ETCD_\w+)=(.*)$/gm);
  return Object.fromEntries([...etcd].map(([, key = "", value = ""]) => [key, value]));
}

/** A machine of its own folder, which is not running yet. */
export function machineAt(place: Place): Machine {
  const { name, address, folder } = place;
  const { uid, gid } = owner();
  const variables = configure(place);
  const log = openSync(join(folder, "log"), "a");
  let running: ChildProcess[] = [];

  const run = (program: string, args: string[], more: Record<string, string> = {}) => {
    const env = { PATH, LANG: "C.UTF-8", HOME: folder, ...more };
    return spawn(program, args, { uid, gid, cwd: folder, env, stdio: ["ignore", log, log] });
  };

  return {
    name,
    address,
    start() {
      running = [
        run("etcd", [], variables),
        run("patroni", [join(folder, "patroni.yml")]),
        run("pgbouncer", [join(folder, "pgbouncer.ini")]),
      ];
    },
    async kill() {
      const ended = running.map(
        (child) => child.exitCode ?? child.signalCode ?? once(child, "close"),
      );
      for (const pid of [...running.map(({ pid }) => pid ?? 0), ...servers(folder)]) end(pid);
      await Promise.all(ended);
      // A child that the server made meanwhile ends when its parent is gone.
      await eventually(() => servers(folder).map(end).length === 0);
    },
    async ask(statement) {
      const url = `postgres://postgres:SUPERUSER_SECRET@${address}/postgres`;
      const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
      client.on("error", () => {});
      try {
        await client.connect();
        return (await client.query(statement)).rows;
      } finally {
        await client.end();
      }
    },
  };
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** The processes whose folder is below `folder`: PostgreSQL leaves the group of its parent. */
function servers(folder: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => cwdOf(pid).startsWith(folder));
}

function cwdOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return ""; // It has ended.
  }
}
