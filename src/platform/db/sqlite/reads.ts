import { setTimeout } from "node:timers/promises";
import { reject } from "../../kernel/contract/errors.ts";
import { semaphore } from "../../kernel/pools/semaphore.ts";
import type { Db, Store } from "../engine.ts";
import { dbOf, openConnection, type SqliteConnection } from "./connection.ts";
import { storageUnavailable } from "./errors.ts";

/** Connections for `snapshot`, each of which holds one state while its work awaits. */
const SNAPSHOTS_MAX = 4;

/** Above what requests in flight and jobs can ask for together. */
const SNAPSHOTS_WAITING_MAX = 4_096;

/** A deferred transaction has no state before its first read. */
const LOOK = "SELECT 1 FROM sqlite_schema LIMIT 1";

/** The reads that are not part of a snapshot. */
export interface TurnReads {
  readonly read: Db;
  /** Ends the transaction of this turn, unless the reads are held. */
  end(): void;
  /** From now on every read sees the present state, until all that is committed is durable. */
  hold(isDurable: () => boolean): void;
  release(): void;
  /** The connection is about to close: later reads reject with `storage_unavailable`. */
  close(): void;
  /** Releases the reads if they need not be held any more; asked once per turn. True when it did. */
  refresh(): boolean;
}

/**
 * The reads of one turn of the event loop share a read transaction: to take and leave its locks takes
 * three times as long as a look-up. It ends before the requests of the next turn are handled, so each
 * of them sees what was committed before it came; and it ends before each commit of this process,
 * which could not move the log into the database else.
 */
export function readsByTurn(connection: SqliteConnection): TurnReads {
  const { database } = connection;
  const begin = database.prepare("BEGIN");
  const commit = database.prepare("COMMIT");
  const look = database.prepare(LOOK);
  let [hasBegun, hasAsked, isClosed] = [false, false, false];
  /** Whether what holds the reads is durable; null when nothing holds them. */
  let isDurable: (() => boolean) | null = null;

  function end(): void {
    if (!hasBegun || isDurable !== null) return;
    hasBegun = false;
    if (database.isTransaction) commit.run(); // A fault of the disk has ended it already.
  }

  function release(): void {
    isDurable = null;
    end();
  }

  function refresh(): boolean {
    if (isDurable === null || hasAsked || isClosed) return false;
    hasAsked = true;
    setImmediate(() => {
      hasAsked = false;
    });
    if (!isDurable()) return false;
    release();
    return true;
  }

  const read = dbOf({
    ...connection,
    all(plan, values) {
      if (isClosed) throw storageUnavailable();
      refresh();
      if (!hasBegun) {
        begin.run();
        hasBegun = true;
        setImmediate(end);
      }
      return connection.all(plan, values);
    },
  });
  return {
    read,
    end,
    hold(durable) {
      end();
      begin.run();
      hasBegun = true;
      isDurable = durable;
      look.get();
    },
    close() {
      end();
      isClosed = true;
    },
    release,
    refresh,
  };
}

/**
 * `PRAGMA data_version` changes with every commit of another connection, and so with the writer's
 * and with every other process's. It is asked once per turn of the event loop.
 */
export function generationOf(reader: SqliteConnection): {
  current: () => number;
  forget: () => void;
  /** The version is asked for no more. */
  close: () => void;
} {
  const pragma = reader.database.prepare("PRAGMA data_version");
  pragma.setReturnArrays(true);
  let known: number | null = null;
  let isClosed = false;
  const forget = () => {
    if (!isClosed) known = null;
  };
  const ask = () => Number(Object.values(pragma.get() ?? {})[0]);
  return {
    forget,
    close() {
      known ??= ask();
      isClosed = true;
    },
    current() {
      if (known === null) {
        known = ask();
        setImmediate(forget);
      }
      return known;
    },
  };
}

/**
 * A few connections that each hold one committed state for the length of a piece of work. `readable`
 * resolves when all that is committed may be read.
 */
export function snapshotsOf(
  path: string,
  readable: () => Promise<void>,
): Pick<Store, "snapshot" | "close"> {
  const free: SqliteConnection[] = [];
  const opened: SqliteConnection[] = [];
  const { run } = semaphore({
    slots: SNAPSHOTS_MAX,
    waiting_max: SNAPSHOTS_WAITING_MAX,
    onFull: () => reject("overloaded", "Too many reads are waiting. Try again in a second."),
  });
  let closing = false;

  function open(): SqliteConnection {
    const connection = openConnection(path, "snapshot");
    opened.push(connection);
    return connection;
  }

  async function hold<T>(work: (db: Db) => Promise<T>): Promise<T> {
    await readable();
    if (closing) throw storageUnavailable();
    const connection = free.pop() ?? open();
    try {
      connection.database.exec(`BEGIN; ${LOOK}`);
      return await work(dbOf(connection));
    } finally {
      if (connection.database.isTransaction) connection.database.exec("COMMIT");
      free.push(connection);
    }
  }

  return {
    snapshot: (work) => run(() => hold(work)),
    async close() {
      closing = true;
      while (free.length < opened.length) await setTimeout(1);
      for (const connection of opened) connection.close();
    },
  };
}
