import { escapeIdentifier, Pool, type PoolClient, type PoolConfig } from "pg";
import type { Alarm } from "../../kernel/alarms.ts";
import { storageUnavailable } from "./errors.ts";
import { demandServer, PINNED } from "./hosts.ts";
import { serversIn } from "./url.ts";

/** What a pool of connections is for. */
export interface PoolUse {
  /** Connections. More of them write no faster, they only meet more conflicts. */
  readonly max: number;
  /** A query that takes longer has lost its server: its connection is given up. */
  readonly query_ms: number;
  readonly connect_ms: number;
  /** The server cancels a statement then and says why, before the client's own time limit. */
  readonly statement_ms: number;
  /** And its wait for a lock. */
  readonly lock_ms: number;
  /** Where the tables are, whatever the role's search_path becomes, and that of a replica's role is. */
  readonly schema: string;
}

/** How long work waits for a connection, and for its turn among others that want the same rows. */
export const PATIENCE_MS = 5_000;

/** What pools there are, where work has so much patience and a pool so many connections to a schema. */
export function usesOf(patience_ms: number, connections: number, schema: string) {
  const scaled = (ms: number) => Math.round((ms * patience_ms) / PATIENCE_MS);
  return {
    service: {
      max: connections,
      query_ms: scaled(12_000),
      connect_ms: patience_ms,
      statement_ms: scaled(10_000),
      lock_ms: patience_ms,
      schema,
    },
    /** Of jobs, which read whole tables; the client's limit ends a session whose server is gone. */
    unhurried: {
      max: 2,
      query_ms: 3_600_000,
      connect_ms: patience_ms,
      statement_ms: 0,
      lock_ms: patience_ms,
      schema,
    },
    /** Another server can answer instead, so nobody waits long for this one. */
    replica: {
      max: connections,
      query_ms: 5_000,
      connect_ms: 1_000,
      statement_ms: 4_000,
      lock_ms: patience_ms,
      schema,
    },
    /** Health answers within two seconds, whatever else waits. */
    probe: {
      max: 1,
      query_ms: scaled(1_800),
      connect_ms: scaled(1_800),
      statement_ms: scaled(1_500),
      lock_ms: scaled(1_500),
      schema,
    },
  } as const satisfies Record<string, PoolUse>;
}

/**
 * The first statements of every connection. Nothing is writable outside a transaction that says so: then
 * a statement that travels behind a failed BEGIN, or after its transaction, changes nothing. A
 * process that stops in the middle of a transaction loses it, and its locks. Statements look up few
 * rows, and to remember those costs more than it spares (decision 59).
 */
const SESSION = `${PINNED}; SET default_transaction_read_only = on;
  SET idle_in_transaction_session_timeout = '10s'; SET enable_memoize = off`;

/** The types that both engines share, by their object identifier, and how their text is read. */
const PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  17: (text) => Uint8Array.fromHex(text.slice("\\x".length)), // bytea
  20: safeInteger, // int8
  21: Number, // int2
  23: Number, // int4
  25: String, // text
};

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is not a safe integer.`);
  return value;
}

/** A result of another type is a query that SQLite would answer differently. */
export const isShared = (type: number): boolean => type in PARSERS;

export const unshared = (type: number): TypeError =>
  new TypeError(`A query returned type ${type}: cast it to bigint, text or bytea.`);

export const parserOf = (type: number) =>
  PARSERS[type] ??
  (() => {
    throw unshared(type);
  });

/** Connections to the first of some servers that can be used, and to the next when it is gone. */
export interface Connections {
  /** Rejects with 503 `storage_unavailable` when no server can be used. */
  take(): Promise<PoolClient>;
  /** How many wait for one. */
  waiting(): number;
  end(): Promise<void>;
}

/**
 * Opens connections when they are needed; a lost one is replaced by the next use. When none can be
 * made, the next server is tried, each once, and the one that answers is kept for all that follow.
 */
export function openPool(url: string, use: PoolUse, alarm: Alarm): Connections {
  const { urls, demands } = serversIn(url);
  const pools = urls.map((server) => poolOf(server, demands, use, alarm));
  let current = 0;

  return {
    async take() {
      let failure: unknown;
      for (let tried = 0; tried < pools.length; tried++) {
        const mine = current;
        try {
          return await connection(pools, mine);
        } catch (error) {
          failure = error;
          // Of many that fail together only the first moves on.
          if (current === mine) current = (mine + 1) % pools.length;
        }
      }
      throw storageUnavailable(failure);
    },
    waiting: () => pools.reduce((sum, { waitingCount }) => sum + waitingCount, 0),
    async end() {
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

function connection(pools: readonly Pool[], index: number): Promise<PoolClient> {
  const pool = pools[index];
  if (pool === undefined) throw new RangeError("There is no such server.");
  return pool.connect();
}

/** Connections to one server. */
function poolOf(
  connectionString: string,
  demands: "read-write" | "any",
  { max, query_ms, connect_ms, statement_ms, lock_ms, schema }: PoolUse,
  alarm: Alarm,
): Pool {
  const session = `${SESSION}; SET search_path = ${escapeIdentifier(schema)};
    SET lock_timeout = ${lock_ms}; SET statement_timeout = ${statement_ms}`;
  const config: PoolConfig = {
    connectionString,
    application_name: "cairn",
    max,
    connectionTimeoutMillis: connect_ms,
    query_timeout: query_ms,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser: parserOf },
    onConnect: (client) => Promise.all([client.query(session), demandServer(client, demands)]),
  };
  const pool = new Pool(config);
  // An unhandled "error" event would end the process. The query of a busy connection reports it, too.
  pool.on("error", ({ message }) => alarm("database_connection_lost", { message }));
  pool.on("connect", (client) => client.on("error", () => {}));
  return pool;
}
