import { sql } from "kysely";
import type { Pool } from "pg";
import { type Journal, type Tx, WAITING_WRITES_MAX, type WriteKind } from "./engine.ts";
import { transaction } from "./postgres-connection.ts";
import { overloaded } from "./postgres-errors.ts";
import { type Body, groupsOf } from "./postgres-groups.ts";
import { untilItWins } from "./postgres-retry.ts";
import { prepared } from "./prepared.ts";

const GROUP_LOCK = 7_213_909;

/** Waits for the group that has the turn, on whatever node; it ends with its transaction. */
const takeTurn = prepared((db, _: Record<string, never>) =>
  db.selectNoFrom(sql<string>`pg_advisory_xact_lock(${sql.lit(GROUP_LOCK)})::text`.as("turn")),
);

/** All writes of this process. */
interface Writes {
  write<T>(body: (tx: Tx) => Promise<T>, kind?: WriteKind): Promise<T>;
  waiting(): number;
}

interface WritesParts {
  readonly pool: Pool;
  readonly journal: Journal;
  /** Hears of every write that is stored: how many entries it brought, and whether `more` are under way. */
  readonly onStored: (entries: number, more: boolean) => void;
}

/** One transaction for each write, many at a time; `locked` ones share theirs. */
export function writesOf({ pool, journal, onStored }: WritesParts): Writes {
  const groups = groupsOf(storeTogether);
  let underWay = 0;

  /** Runs `body` in one transaction, again while it loses to others, and stores its entries with it. */
  async function store<T>(kind: "write" | "locked", body: (tx: Tx) => Promise<T>): Promise<T> {
    let recorded: Promise<unknown> | null = null;
    const attempt = async (tx: Tx) => {
      const result = await body(tx);
      // Not awaited here: the COMMIT travels with it, and comes to nothing if it fails.
      recorded = tx.entries.length > 0 ? journal.record(tx, tx.entries) : null;
      recorded?.catch(() => {});
      return result;
    };
    const result = await untilItWins(() => transaction(pool, kind, attempt));
    await recorded;
    return result;
  }

  /** Each group locks rows in the order of its bodies: without turns two would wait for each other. */
  function storeTogether(bodies: readonly Body[]): Promise<readonly unknown[]> {
    return store("locked", async (tx) => {
      takeTurn.run(tx, {}).catch(() => {}); // What comes behind it fails with it.
      const parts = bodies.map((): Tx => ({ ...tx, entries: [] }));
      const outcomes = await Promise.allSettled(bodies.map((body, i) => body(parts[i] ?? tx)));
      for (const { entries } of parts) tx.entries.push(...entries);
      return outcomes.map(valueIn);
    });
  }

  async function write<T>(body: (tx: Tx) => Promise<T>, kind?: WriteKind): Promise<T> {
    if (pool.waitingCount >= WAITING_WRITES_MAX) throw overloaded();
    let entries = 0;
    const counted = async (tx: Tx) => {
      const result = await body(tx);
      entries = tx.entries.length;
      return result;
    };
    underWay++;
    const storing = kind === "locked" ? groups.write(counted) : store("write", counted);
    const result = await storing.finally(() => underWay--);
    onStored(entries, underWay > 0);
    return result;
  }

  return { write, waiting: () => pool.waitingCount + groups.waiting() };
}

function valueIn<T>(outcome: PromiseSettledResult<T>): T {
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}
