import type * as z from "zod";
import type { Context } from "../../context.ts";
import type { InsertTx, PendingEntry, SharedWrite, Tx, WriteKind } from "../../db/engine.ts";
import { insertTxOf } from "../../db/rows.ts";
import type { triedOutput } from "../../kernel/contract/retry-fields.ts";

type Writes = Pick<Context, "write" | "insert" | "writeShared">;

type Would = NonNullable<z.output<typeof triedOutput>["entries"]>[number];

/** Thrown out of a write that was only tried, so that nothing of it is stored. */
class Tried extends Error {
  readonly entries: readonly PendingEntry[];

  constructor(entries: readonly PendingEntry[]) {
    super("This was only tried.");
    this.entries = entries;
  }
}

/**
 * Runs a write to the point where it would be stored: everything is checked in its transaction, which is undone
 * then. Resolves to what would be public, or to the handler's own answer where it had nothing to write.
 */
export async function tried(
  writes: Writes,
  input: object,
  run: (writes: Writes) => Promise<object>,
): Promise<object> {
  try {
    return { ...(await run(trying(writes))), dry_run: true };
  } catch (error) {
    if (!(error instanceof Tried)) throw error;
    const entries = error.entries.map((entry) => publicOf(entry, input));
    return { ok: true, dry_run: true, entries };
  }
}

const trying = ({ write }: Writes): Writes => ({
  write: <T>(body: (tx: Tx) => Promise<T>, kind?: WriteKind) =>
    kind === "upkeep" ? write(body, kind) : write((tx) => undone(tx, () => body(tx)), kind),
  insert: <T>(body: (tx: InsertTx) => Promise<T>) =>
    write((tx) => undone(tx, () => body(insertTxOf(tx)))),
  writeShared: <Item, Outcome>(body: SharedWrite<Item, Outcome>, item: Item) =>
    write(async (tx) => {
      const before = tx.entries.length;
      const [outcome] = await body(tx, [item]);
      if (outcome === undefined) throw new Error("A shared write has an outcome for each item.");
      // Of what is stored it is a record, of what is not a word or null, which the handler refuses.
      if (typeof outcome === "object" && outcome !== null)
        throw new Tried(tx.entries.slice(before));
      return outcome;
    }),
});

async function undone<T>(tx: Pick<Tx, "entries">, body: () => Promise<T>): Promise<T> {
  const before = tx.entries.length;
  await body();
  throw new Tried(tx.entries.slice(before));
}

/** An entry without the id that it would get, and with the texts that were sent in place of their hashes. */
function publicOf({ kind, ref, body }: PendingEntry, input: object): Would {
  const fields = Object.entries(body).flatMap(([name, value]) => {
    if (name.endsWith("_id") && String(value) === ref) return [];
    const text: unknown = Reflect.get(input, name.replace(/_sha256$/, ""));
    return name.endsWith("_sha256") && typeof text === "string"
      ? [[name.replace(/_sha256$/, ""), text] as const]
      : [[name, value] as const];
  });
  return { kind, body: Object.fromEntries(fields) };
}
