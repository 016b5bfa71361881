import { sql } from "kysely";
import type { Client } from "pg";
import type { Alarm } from "../../kernel/alarms.ts";
import { EndedForm } from "../../kernel/ended-form.ts";
import type { Seconds } from "../../kernel/time.ts";
import type { Db, Journal, Reads, Store, Tx } from "../engine.ts";
import { prepared } from "../prepared.ts";
import { databaseClock } from "./clock.ts";
import { dbOf, transaction } from "./connection.ts";
import { storageUnavailable } from "./errors.ts";
import { connectFirst } from "./hosts.ts";
import { migratePostgres } from "./migrate.ts";
import { type Connections, openPool, PATIENCE_MS, usesOf } from "./pool.ts";
import { demandSession } from "./pooler.ts";
import { besideDatabase } from "./replica.ts";
import { untilItWins } from "./retry.ts";
import { demandOwnSchema } from "./schema.ts";
import { startSequencing, startUpkeep } from "./sequencing.ts";
import { writesOf } from "./writes.ts";

const SERVER_VERSION_MIN = 15;

export interface PostgresOptions {
  /** As psql takes it: `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Of a replica, which is asked for public reads only; null without one. */
  readonly readUrl: string | null;
  readonly journal: Journal;
  readonly alarm: Alarm;
  /** Hears that new entries can be read. */
  readonly onEntries: () => void;
  /** This node's own clock, which is only compared with the database's. */
  readonly systemNow: () => Seconds;
  /** Of each of the two pools, for reads and for writes. */
  readonly connections: number;
  /** How long work waits for its turn, in milliseconds. */
  readonly patience_ms?: number;
}

const serverTime = prepared((db, _: Record<string, never>) =>
  db.selectNoFrom(
    sql<number>`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`.as("now_ms"),
  ),
);

const databaseSize = prepared((db, _: Record<string, never>) =>
  db.selectNoFrom(sql<number>`pg_database_size(current_database())`.as("bytes")),
);

const standby = prepared((db, _: Record<string, never>) =>
  db.selectNoFrom(sql<number>`pg_is_in_recovery()::integer`.as("is_standby")),
);

/**
 * Opens the engine for many nodes: one SERIALIZABLE transaction per write, many at a time.
 * Throws an error whose message is a sentence when the database cannot be used.
 */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const { url, readUrl, journal, alarm, onEntries, systemNow } = options;
  const { connections, patience_ms = PATIENCE_MS } = options;
  const { schema, hadOthers } = await preparePostgres(url);
  const uses = usesOf(patience_ms, connections, schema);
  // Two pools, so that no read waits behind writes.
  const writers = openPool(url, uses.service, alarm);
  const readers = openPool(url, uses.service, alarm);
  const jobs = openPool(url, uses.unhurried, alarm);
  const probes = openPool(url, uses.probe, alarm);
  const followers = readUrl === null ? null : openPool(readUrl, uses.replica, alarm);
  const db = dbOf(readers);
  const probe = dbOf(probes);
  const steady_ms = () => performance.now();
  const clock = await databaseClock({ ask: askTime(db), systemNow, steady_ms, alarm });
  const sequencing = startSequencing(() => sequenceBy(journal.sequence), alarm);
  const writes = writesOf({ pool: writers, patience_ms, journal, onStored });
  const work = workload();
  let commits = 0;

  function onStored(entries: number, more: boolean): void {
    commits++;
    if (entries > 0) sequencing.nudge(more);
  }

  const upkeep = startUpkeep({
    raise: (all) => sequenceBy((tx) => journal.upkeep(tx, all)),
    forget: () => transaction(writers, "sequence", journal.forget),
  });

  async function sequenceBy(body: (tx: Tx) => Promise<number>): Promise<number> {
    if (!clock.agrees()) return 0;
    const count = await untilItWins(() => transaction(writers, "sequence", body), patience_ms);
    if (count === 0) return 0;
    commits++;
    upkeep.sequenced(count);
    onEntries();
    return count;
  }

  /** A replica cancels what stands in the way of changes that it follows, so that runs again. */
  function readsOf(pool: Connections): Reads {
    const { compiler, all, run } = dbOf(pool);
    const patiently = <T>(attempt: () => Promise<T>) =>
      work.during(() => untilItWins(attempt, patience_ms));
    return {
      read: {
        compiler,
        all: (plan, values) => patiently(() => all(plan, values)),
        run: (plan, values) => patiently(() => run(plan, values)),
      },
      snapshot: (body) => patiently(() => transaction(pool, "snapshot", body)),
    };
  }

  const own = readsOf(readers);
  return {
    ...own,
    probe,
    unhurried: readsOf(jobs),
    replica: followers && besideDatabase(readsOf(followers), own, steady_ms),
    write: (body, kind) => work.during(() => writes.write(body, kind)),
    // Nothing reports what other nodes commit without an entry, or what a replica catches up with.
    generation: () => commits + clock.now(),
    now: clock.now,
    sequence: () => work.during(sequencing.sequence),
    lost: new Promise(() => {}),
    hadOthers,
    bytes: async () => (await databaseSize.first(probe, {}))?.bytes ?? 0,
    room: () => null,
    health: async () => ({
      engine: "postgres",
      refusal: refusalBy((await standby.first(probe, {}).catch(() => null))?.is_standby),
      waitingWrites: writes.waiting(),
    }),
    scrub: (tables, rewrite) => vacuum(jobs, tables, rewrite),
    async close() {
      await work.end();
      clock.stop();
      sequencing.stop();
      upkeep.stop();
      await sequencing.sequence().catch(() => 0); // Another node or the next start takes the rest.
      const pools = [writers, readers, jobs, probes, followers];
      await Promise.all(pools.map((pool) => pool?.end()));
    },
  };
}

const askTime = (db: Db) => async () => (await serverTime.first(db, {}))?.now_ms ?? Number.NaN;

/** Its own space for deleted rows becomes free; with `rewrite` the tables are written anew. */
async function vacuum(
  pool: Connections,
  tables: readonly string[],
  rewrite: boolean,
): Promise<boolean> {
  const client = await pool.take();
  try {
    for (const table of tables) await client.query(`VACUUM ${rewrite ? "(FULL) " : ""}"${table}"`);
  } finally {
    client.release();
  }
  return true;
}

/** What a server says of itself; undefined when it says nothing. */
function refusalBy(is_standby: number | undefined): string | null {
  if (is_standby === undefined) return "The storage does not answer.";
  return is_standby === 0 ? null : "The storage takes no writes.";
}

/**
 * Looks at the server before anything is trusted to it, and brings its tables up to date. Resolves to the
 * schema that they are in, and whether sessions of other processes were there already. Rejects with a sentence
 * when it cannot be used.
 */
export async function preparePostgres(
  url: string,
): Promise<{ readonly schema: string; readonly hadOthers: boolean }> {
  const clients: Client[] = [];
  const connected = async () => {
    const client = await connectFirst(url, { connectionTimeoutMillis: PATIENCE_MS });
    clients.push(client);
    return client;
  };
  try {
    const client = await connected();
    const other = await connected();
    await demandSession(client, other);
    await inspect(client);
    const hadOthers = await hasOthers(client, clients.length);
    await migratePostgres(client);
    return { schema: await demandOwnSchema(client), hadOthers };
  } catch (cause) {
    if (cause instanceof EndedForm) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The PostgreSQL database cannot be used: ${why}`, { cause });
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
}

/** Sessions of users here; any may be another node's, whatever its URL calls it. The server's own have no user. */
const SESSIONS = `SELECT count(*)::integer AS sessions FROM pg_stat_activity
  WHERE datname = current_database() AND usesysid IS NOT NULL`;

/** Whether there are more sessions than those that this process has opened. */
async function hasOthers(client: Client, own: number): Promise<boolean> {
  const { rows } = await client.query<{ sessions: unknown }>(SESSIONS);
  return Number(rows[0]?.sessions) > own;
}

async function inspect(client: Client): Promise<void> {
  const setting = async (name: string) => {
    const { rows } = await client.query<{ value: string }>("SELECT current_setting($1) AS value", [
      name,
    ]);
    return rows[0]?.value ?? "";
  };
  const version = Math.floor(Number(await setting("server_version_num")) / 10_000);
  if (version < SERVER_VERSION_MIN)
    throw new Error(`it is version ${version}, and at least ${SERVER_VERSION_MIN} is needed.`);
  const encoding = await setting("server_encoding");
  if (encoding !== "UTF8") throw new Error(`its encoding is ${encoding}, and UTF8 is needed.`);
  const commit = await setting("synchronous_commit");
  if (commit !== "on" && commit !== "remote_apply")
    throw new Error(`synchronous_commit is ${commit}; set it to on, or a crash loses entries.`);
}

/** Counts what runs, so that closing can wait for it. */
function workload() {
  let running = 0;
  let ended = false;
  return {
    async during<T>(work: () => Promise<T>): Promise<T> {
      if (ended) throw storageUnavailable();
      running++;
      try {
        return await work();
      } finally {
        running--;
      }
    },
    async end(): Promise<void> {
      ended = true;
      while (running > 0) await pause(1);
    },
  };
}

const pause = (wait_ms: number) => new Promise((resolve) => setTimeout(resolve, wait_ms));
