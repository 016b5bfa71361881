import { nextTick } from "node:process";
import { PostgresAdapter, PostgresQueryCompiler } from "kysely";
import type { PoolClient, QueryConfig, QueryResult } from "pg";
import { Rejection } from "../../kernel/contract/errors.ts";
import { compilerOf } from "../compiler.ts";
import type { Db, Plan, Tx } from "../engine.ts";
import { txOver } from "../transaction.ts";
import { isConflict, perhapsStored, refusalOf } from "./errors.ts";
import { type Connections, isShared, unshared } from "./pool.ts";

/** Queries that one connection is sent at once; each waits for those before it. */
const TOGETHER_MAX = 16;

const BEGIN = {
  write: "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE",
  locked: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
  sequence: "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
  snapshot: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
} as const;

export const postgresCompiler = compilerOf(
  { createAdapter: () => new PostgresAdapter() },
  () => new PostgresQueryCompiler(),
);

interface Errand {
  readonly query: QueryConfig;
  readonly resolve: (result: QueryResult) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Answers queries on the connections of the pool. Those of one turn of the event loop travel
 * together, because to wake a process of the server costs more than most queries do.
 */
export function dbOf(pool: Connections): Db {
  let gathered: Errand[] = [];

  function sendGathered(): void {
    const errands = gathered;
    gathered = [];
    for (let from = 0; from < errands.length; from += TOGETHER_MAX)
      void runTogether(pool, errands.slice(from, from + TOGETHER_MAX));
  }

  return queriesBy(
    (query) =>
      new Promise((resolve, reject) => {
        if (gathered.length === 0) setImmediate(sendGathered);
        gathered.push({ query, resolve, reject });
      }),
  );
}

/** Runs errands on one connection, which is kept for others if all of them succeed. */
async function runTogether(pool: Connections, errands: readonly Errand[]): Promise<void> {
  try {
    const client = await pool.take();
    let failed = false;
    const perform = ({ query, resolve, reject }: Errand) =>
      send(client, query).then(resolve, (error: unknown) => {
        failed = true;
        reject(error);
      });
    await Promise.all(errands.map(perform));
    client.release(failed);
  } catch (error) {
    for (const { reject } of errands) reject(error);
  }
}

/**
 * Runs `work` in one transaction; whatever it throws undoes it. BEGIN travels with the first
 * statement, and statements that are not awaited one by one travel together.
 * Rejects with a conflict (`isConflict`), with 503 `storage_unavailable`, or with what `work` threw.
 */
export async function transaction<T>(
  pool: Connections,
  kind: keyof typeof BEGIN,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const client = await pool.take();
  let fault: unknown; // The first failure decides: the ones behind it only say that there was one.
  let isOver = false; // A body may fail while a part of it goes on.
  let isRefused = false; // By the body itself, while no statement failed.
  const query = async (sent: QueryConfig) => {
    if (isOver) throw new TypeError("The transaction is over.");
    try {
      return await send(client, sent);
    } catch (error) {
      fault ??= error;
      throw error;
    }
  };
  const tx = txOf(query);
  try {
    const begun = query({ text: BEGIN[kind] });
    begun.catch(() => {}); // Awaited below; until then `fault` keeps its failure.
    const result = await work(tx)
      .catch((error: unknown) => {
        isRefused = fault === undefined;
        throw error;
      })
      .finally(() => {
        isOver = true;
      });
    await begun;
    if (fault !== undefined) throw fault;
    await commit(client, kind);
    client.release();
    return result;
  } catch (error) {
    await undo(client, isRefused || isConflict(fault ?? error));
    throw fault ?? error;
  }
}

/** A transaction whose statements `query` sends. */
export const txOf = (query: (sent: QueryConfig) => Promise<QueryResult>): Tx =>
  txOver(queriesBy(query));

async function commit(client: PoolClient, kind: keyof typeof BEGIN): Promise<void> {
  try {
    const { command } = await send(client, { text: "COMMIT" });
    if (command !== "COMMIT") throw new TypeError("A statement failed that nobody awaited.");
  } catch (error) {
    throw error instanceof Rejection && kind !== "snapshot" ? perhapsStored(error.cause) : error;
  }
}

/** After a conflict, or where the body alone refused, the connection is as good as new; after anything else it goes. */
async function undo(client: PoolClient, isSound: boolean): Promise<void> {
  if (!isSound) return client.release(true);
  try {
    await client.query("ROLLBACK");
    client.release();
  } catch {
    client.release(true);
  }
}

async function send(client: PoolClient, query: QueryConfig): Promise<QueryResult> {
  corkForTurn(client);
  try {
    const result = await client.query(query);
    // Also where all values are null: a sum of nothing has the type of a sum.
    for (const { dataTypeID } of result.fields)
      if (!isShared(dataTypeID)) throw unshared(dataTypeID);
    return result;
  } catch (error) {
    throw refusalOf(error);
  }
}

/**
 * Messages of one turn of the event loop go out in one write: each write costs as much as a statement. Rows that
 * are inserted together are sent at the next tick, behind the BEGIN of their transaction.
 */
function corkForTurn({ connection: { stream } }: PoolClient): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  // A tick runs when no promise has anything left to do.
  nextTick(() => nextTick(() => stream.uncork()));
}

function queriesBy(query: (sent: QueryConfig) => Promise<QueryResult>): Db {
  // A statement is parsed and planned once per connection, under the name of its plan.
  const sent = ({ index, sql }: Plan, values: readonly unknown[]) =>
    query({ name: `q${index}`, text: sql, values: values as unknown[] });
  return {
    compiler: postgresCompiler,
    all: async (plan, values) => (await sent(plan, values)).rows,
    run: async (plan, values) => (await sent(plan, values)).rowCount ?? 0,
  };
}
