import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type { TestContext } from "node:test";
import { type Machine, machineAt, PATH } from "./machine.ts";
import { eventually } from "./postgres-store.ts";

const SERVER = "/usr/lib/postgresql/15/bin";
const NAMES = ["db1", "db2", "db3"] as const;

const isFound = (program: string) =>
  PATH.split(delimiter).some((folder) => existsSync(join(folder, program)));

/** Why there can be no cluster on this machine; false when all of it is installed. */
export function missingPackages(): string | false {
  const absent = ["etcd", "patroni", "pgbouncer"].filter((program) => !isFound(program));
  if (!existsSync(SERVER)) absent.push("postgresql-15");
  return absent.length > 0 && `SKIPPED: ${absent.join(", ")} of Debian 12 are not installed`;
}

export interface Cluster {
  readonly machines: readonly Machine[];
  /** As a node is given it, through all poolers. */
  readonly url: string;
  /** The machine that Patroni calls the leader once another one is its synchronous standby. */
  primary(): Promise<Machine>;
  /** Resolves when all machines follow the leader. */
  whole(): Promise<void>;
}

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

/** Three machines with the files of `ops/failover/`, whose addresses and folders alone are others. */
export async function startCluster(t: TestContext): Promise<Cluster> {
  const network = `127.${100 + (process.pid % 100)}.0.`;
  const folder = mkdtempSync(join(tmpdir(), "cairn-cluster-"));
  chmodSync(folder, 0o755);
  const machines = NAMES.map((name, n) =>
    machineAt({ name, address: `${network}${21 + n}`, folder: join(folder, name), network }),
  );
  t.after(async () => {
    await Promise.all(machines.map(({ kill }) => kill()));
    rmSync(folder, { recursive: true, force: true });
  });

  /** What the first living machine knows; empty while none answers. */
  async function members(): Promise<readonly Member[]> {
    for (const { address } of machines) {
      const options = { signal: AbortSignal.timeout(2_000) };
      const answer = await fetch(`http://${address}:8008/cluster`, options).catch(() => null);
      if (answer?.ok) return ((await answer.json()) as { members: Member[] }).members;
    }
    return [];
  }

  const inRole = async (role: string) => (await members()).filter((each) => each.role === role);

  async function primary(): Promise<Machine> {
    let leader: Machine | undefined;
    await eventually(async () => {
      const [{ name = "" } = {}] = await inRole("leader");
      leader = machines.find((each) => each.name === name);
      return leader !== undefined && (await inRole("sync_standby")).length > 0;
    });
    assert.ok(leader !== undefined);
    return leader;
  }

  for (const { start } of machines) start();
  const leader = await primary();
  await leader.ask("CREATE ROLE cairn LOGIN PASSWORD 'SECRET'");
  await leader.ask("CREATE DATABASE cairn OWNER cairn ENCODING 'UTF8' TEMPLATE template0");
  const hosts = machines.map(({ address }) => `${address}:6432`).join();
  const followers = "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'";
  return {
    machines,
    primary,
    url: `postgres://cairn:SECRET@${hosts}/cairn?target_session_attrs=read-write`,
    whole: () =>
      eventually(async () => {
        const rows = await (await primary()).ask(followers).catch(() => []);
        return rows.length === machines.length - 1;
      }),
  };
}
