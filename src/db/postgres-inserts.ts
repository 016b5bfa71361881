import { nextTick } from "node:process";
import type { Insertion, InsertTx, PendingEntry, Tx } from "./engine.ts";

type Body<T> = (tx: InsertTx) => Promise<T>;

/** A row that waits for the end of the turn, with others of its insertion. */
interface Waiting {
  readonly row: unknown;
  readonly resolve: (made: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs bodies side by side in one transaction. Rows that they insert in one turn of the event loop become
 * one statement for each insertion. Their entries are stored in the order of the bodies.
 */
export async function insertTogether<T>(tx: Tx, bodies: readonly Body<T>[]): Promise<readonly T[]> {
  const gathered = new Map<Insertion<unknown, unknown>, Waiting[]>();

  function flush(): void {
    const lists = [...gathered];
    gathered.clear();
    for (const [insertion, waiting] of lists) void store(tx, insertion, waiting);
  }

  const insert = <Row, Made>(insertion: Insertion<Row, Made>, row: Row): Promise<Made> =>
    new Promise((resolve, reject) => {
      if (gathered.size === 0) nextTick(flush); // Runs when no promise has anything left to do.
      const key = insertion as Insertion<unknown, unknown>;
      const waiting = { row, resolve: resolve as Waiting["resolve"], reject };
      const known = gathered.get(key);
      if (known === undefined) gathered.set(key, [waiting]);
      else known.push(waiting);
    });

  const entries = bodies.map((): PendingEntry[] => []);
  const results = await Promise.all(
    bodies.map((body, i) => body({ insert, entries: entries[i] ?? [] })),
  );
  tx.entries.push(...entries.flat());
  return results;
}

async function store(
  tx: Tx,
  insertion: Insertion<unknown, unknown>,
  waiting: readonly Waiting[],
): Promise<void> {
  try {
    const made = await insertion.all(
      tx,
      waiting.map(({ row }) => row),
    );
    for (const [i, { resolve }] of waiting.entries()) resolve(made[i]);
  } catch (error) {
    for (const { reject } of waiting) reject(error);
  }
}
