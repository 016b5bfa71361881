import type { Context } from "../../context.ts";
import type { InsertTx, PendingEntry, SharedWrite, Tx, WriteKind } from "../../db/engine.ts";
import { insertTxOf } from "../../db/rows.ts";

type Writes = Pick<Context, "write" | "insert" | "writeShared">;

/** Undoes the transaction out of which it is thrown. */
class Undone extends Error {}

/** Ends a handler that would go on to show what was not made. */
class Ended extends Error {}

interface Trial {
  readonly input: object;
  /** Whether the write makes a thing, which its handler would not find. */
  readonly makes: boolean;
  readonly run: (writes: Writes) => Promise<object>;
}

/**
 * Runs a write whose transactions are undone: everything is checked in them. Resolves to the entries that would be
 * public, beside the answer of the handler where that has something to show.
 */
export async function tried(writes: Writes, { input, makes, run }: Trial): Promise<object> {
  const entries: object[] = [];
  const undoing = undoingOf(writes, (made) => {
    entries.push(...made.map((entry) => publicOf(entry, input)));
    if (makes && made.length > 0) throw new Ended();
  });
  try {
    return { ...(await run(undoing)), dry_run: true, entries };
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
    return { ok: true, dry_run: true, entries };
  }
}

/** A context whose counters outside of the database, which no transaction undoes, stay as they are. */
export const uncounted = <C extends Pick<Context, "rewardPool" | "occurrences">>(context: C): C => {
  const { rewardPool, occurrences } = context;
  const pace = { ...rewardPool.pace, charge() {} };
  return {
    ...context,
    rewardPool: { ...rewardPool, pace },
    occurrences: { ...occurrences, count() {} },
  };
};

/** The same writes without a trace; `onEntries` hears of what they would have appended. */
function undoingOf({ write }: Writes, onEntries: (made: readonly PendingEntry[]) => void): Writes {
  async function undone<T>(body: (tx: Tx) => Promise<T>, kind?: WriteKind): Promise<T> {
    let made: readonly PendingEntry[] = [];
    const results: T[] = [];
    const undo = async (tx: Tx) => {
      const before = tx.entries.length;
      results[0] = await body(tx);
      made = tx.entries.slice(before);
      throw new Undone();
    };
    try {
      await write(undo, kind);
    } catch (error) {
      if (!(error instanceof Undone)) throw error;
    }
    onEntries(made);
    for (const result of results) return result;
    throw new Error("A write that was tried has no result.");
  }

  return {
    write: (body, kind) => (kind === "upkeep" ? write(body, kind) : undone(body, kind)),
    insert: <T>(body: (tx: InsertTx) => Promise<T>) => undone((tx) => body(insertTxOf(tx))),
    writeShared: <Item, Outcome>(body: SharedWrite<Item, Outcome>, item: Item) =>
      undone(async (tx) => {
        const [outcome] = await body(tx, [item]);
        if (outcome === undefined) throw new Error("A shared write has an outcome for each item.");
        return outcome;
      }),
  };
}

/** An entry without the id that it would get, and with the texts that were sent in place of their hashes. */
function publicOf({ kind, ref, body }: PendingEntry, input: object) {
  const fields = Object.entries(body).flatMap(([name, value]) => {
    if (name.endsWith("_id") && String(value) === ref) return [];
    const plain = name.replace(/_sha256$/, "");
    const text: unknown = plain === name ? undefined : Reflect.get(input, plain);
    return [typeof text === "string" ? [plain, text] : [name, value]];
  });
  return { kind, body: Object.fromEntries(fields) };
}
