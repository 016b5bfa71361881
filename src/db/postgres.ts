import { Client } from "pg";
import type { Seconds } from "../kernel/time.ts";
import { type Journal, type Store, WAITING_WRITES_MAX } from "./engine.ts";
import { migratePostgres } from "./migrate.ts";
import { databaseClock } from "./postgres-clock.ts";
import { CONNECT_TIMEOUT_MS, dbOf, type Log, openPool, transaction } from "./postgres-connection.ts";
import { isConflict, overloaded, storageUnavailable } from "./postgres-errors.ts";
import { startSequencing } from "./postgres-sequencing.ts";

const SERVER_VERSION_MIN = 15;

/** How long a transaction that loses to others is run again, and the longest pause before it. */
const CONFLICT_PATIENCE_MS = 5_000;
const CONFLICT_PAUSE_MAX_MS = 32;

export interface PostgresOptions {
  /** As psql takes it: `postgres://user:password@host:port/database`. */
  readonly url: string;
  readonly journal: Journal;
  readonly log: Log;
  /** This node's own clock, which is only compared with the database's. */
  readonly systemNow: () => Seconds;
  /** From 0 up to 1: spreads the transactions that run again. */
  readonly random: () => number;
}

/**
 * Opens the engine for many nodes: one SERIALIZABLE transaction per write, many at a time.
 * Throws an error whose message is a sentence when the database cannot be used.
 */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const { url, journal, log, systemNow, random } = options;
  await prepare(url);
  // Two pools, so that no read waits behind writes.
  const writers = openPool(url, log);
  const readers = openPool(url, log);
  const ask = () => databaseTime(readers);
  const clock = await databaseClock({ ask, systemNow, log });
  const sequencing = startSequencing(batch, log);
  let commits = 0;
  let active = 0;
  let closing = false;

  async function batch(): Promise<number> {
    if (!clock.agrees()) return 0;
    const work = () => transaction(writers, "sequence", journal.sequence);
    const count = await persist(work, random);
    if (count > 0) commits++;
    return count;
  }

  async function counted<T>(work: () => Promise<T>): Promise<T> {
    if (closing) throw storageUnavailable();
    active++;
    try {
      return await work();
    } finally {
      active--;
    }
  }

}
