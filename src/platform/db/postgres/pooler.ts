import type { Client } from "pg";

/** A pooler that has no connection left for the second client lets it wait. */
const PATIENCE_MS = 3_000;

/** Which pooler answers is a matter of chance, so it is asked again. */
const ROUNDS = 2;

/**
 * Rejects when a pooler between here and the server hands a connection to others after each
 * transaction: settings of a connection, and its prepared statements, would be on another server connection. `one`
 * asks who serves it, `other` begins a transaction and takes what is free, `one` asks again.
 */
export async function demandSession(one: Client, other: Client): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const before = await backendOf(one);
    await soon(other.query("BEGIN"));
    const taken = await backendOf(other);
    const after = await backendOf(one);
    await soon(other.query("ROLLBACK"));
    if (before !== after || taken === after) throw new TransactionPooler();
  }
}

class TransactionPooler extends Error {
  constructor() {
    super(
      "a pooler in transaction mode stands between; set it to session mode, or connect directly.",
    );
    this.name = "TransactionPooler";
  }
}

async function backendOf(client: Client): Promise<unknown> {
  const { rows } = await soon(client.query<{ pid: unknown }>("SELECT pg_backend_pid() AS pid"));
  return rows[0]?.pid;
}

/** A call that outlasts the patience waits for a connection that another caller holds. */
async function soon<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TransactionPooler()), PATIENCE_MS);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
