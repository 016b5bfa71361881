import { nextTick } from "node:process";
import type { Insertion, InsertTx, PendingEntry, Tx } from "../engine.ts";

type Body<T> = (tx: InsertTx) => Promise<T>;

/** A row that waits for the end of the turn, with others of its insertion. */
interface Waiting {
  readonly row: unknown;
  readonly resolve: (made: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The result of a body; throws what the body threw. */
type Outcome<T> = () => T;

/**
 * Runs bodies side by side in one transaction. Rows that they insert in one turn of the event loop become
 * one statement for each insertion. Their entries are stored in the order of the bodies. A body that fails
 * before it inserts anything is refused alone, so nobody breaks up groups by writes that are refused;
 * after that it fails them all.
 */
export async function insertTogether<T>(
  tx: Tx,
  bodies: readonly Body<T>[],
): Promise<readonly Outcome<T>[]> {
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

  const own = { insert, standing: tx };
  const ran = await Promise.all(bodies.map((body) => runOne(body, own)));
  tx.entries.push(...ran.flatMap(({ entries }) => entries));
  return ran.map(({ outcome }) => outcome);
}

async function runOne<T>(
  body: Body<T>,
  { insert, standing }: Pick<InsertTx, "insert" | "standing">,
): Promise<{ readonly outcome: Outcome<T>; readonly entries: readonly PendingEntry[] }> {
  const entries: PendingEntry[] = [];
  let hasInserted = false;
  const own: InsertTx = {
    entries,
    standing,
    insert(insertion, row) {
      hasInserted = true;
      return insert(insertion, row);
    },
  };
  try {
    const result = await body(own);
    return { outcome: () => result, entries };
  } catch (error) {
    if (hasInserted) throw error;
    const refuse = () => {
      throw error;
    };
    return { outcome: refuse, entries: [] };
  }
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
