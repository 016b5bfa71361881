import { hash } from "node:crypto";
import type { Kysely } from "kysely";
import { bodyText, entryText, leafOf } from "../kernel/proof/entry.ts";
import { CorruptEntry, pack, unpack } from "../kernel/proof/packed.ts";
import type { Tx } from "./engine.ts";
import { entryStore, type WholeEntry } from "./entry-packing.ts";
import { prepared } from "./prepared.ts";
import { inserting } from "./rows.ts";
import type { Tables } from "./tables.ts";

/** Entries as versions before 0060-packed-entries stored them. */
interface OldTables {
  ledger_entry_v1: {
    row_id: number;
    ledger_id: number | null;
    at: number;
    kind: string;
    ref: string;
    body: string;
    entry: string;
    leaf: Uint8Array;
  };
}

/** Entries that one transaction moves. */
const SLICE = 4_096;

type Nothing = Record<string, never>;

const old = (db: Kysely<Tables>) => db as unknown as Kysely<OldTables>;

const newest = prepared((db, _: Nothing) =>
  db.selectFrom("ledger_entry").select((of) => of.fn.max("ledger_id").as("id")),
);

const oldAfter = prepared((db, p: { after_id: number; limit: number }) =>
  old(db)
    .selectFrom("ledger_entry_v1")
    .select(["ledger_id", "at", "kind", "ref", "body", "entry", "leaf"])
    .where("ledger_id", ">", p.after_id)
    .orderBy("ledger_id")
    .limit(p.limit),
);

const deleteThrough = prepared((db, p: { to_id: number }) =>
  old(db).deleteFrom("ledger_entry_v1").where("ledger_id", "<=", p.to_id),
);

const oldPending = prepared((db, _: Nothing) =>
  old(db)
    .selectFrom("ledger_entry_v1")
    .select(["row_id", "kind", "ref", "body"])
    .where("ledger_id", "is", null),
);
const insertPending = inserting("ledger_pending", {
  row_id: "bigint",
  kind: "text",
  ref: "text",
  body: "text",
  rules: "bigint",
});
const insertRecent = inserting("ledger_recent", { row_id: "bigint", kind: "text", ref: "text" });

/** A database whose entries are moved. */
export interface Moved {
  /** Whether what was moved goes from the old table with its slice, so that the file does not grow. */
  readonly deletes: boolean;
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Whether the old table is still there: another process may have ended the move. */
  isLeft(): boolean | Promise<boolean>;
  /** Drops the old table, after everything was moved. */
  end(tx: Tx): Promise<void>;
  /** Hears of each slice. */
  report(entries: number): void;
}

/**
 * Moves entries from the table that has them whole to the one that has them packed, a slice after the
 * other in the order of their ids. It may be stopped anywhere and called again. Rejects with a CorruptEntry
 * for one that is not what its leaf says; its slice stays.
 */
export async function moveEntries(database: Moved): Promise<void> {
  const store = entryStore();
  for (;;) {
    const moved = await database.transaction(async (tx) => {
      if (!(await database.isLeft())) return 0;
      const after_id = Number((await newest.first(tx, {}))?.id ?? 0);
      const rows = await oldAfter.all(tx, { after_id, limit: SLICE });
      const entries = rows.map(checked);
      await store(tx, entries);
      const to_id = entries.at(-1)?.ledger_id;
      if (to_id !== undefined && database.deletes) await deleteThrough.run(tx, { to_id });
      if (entries.length < SLICE) {
        const waiting = (await oldPending.all(tx, {})).map((row) => ({
          ...numbered(row),
          rules: 0,
        }));
        await insertPending(tx, waiting);
        await insertRecent(tx, waiting);
        await database.end(tx);
      }
      return entries.length;
    });
    database.report(moved);
    if (moved < SLICE) return;
  }
}

/** PostgreSQL may give numbers as texts. */
const numbered = <Row extends { readonly row_id: number }>(row: Row): Row => ({
  ...row,
  row_id: Number(row.row_id),
});

/** The entry in a row of the old table, if its text and its leaf follow from the rest. */
function checked(row: Omit<OldTables["ledger_entry_v1"], "row_id">): WholeEntry {
  const { kind, ref, leaf } = row;
  const [ledger_id, at] = [Number(row.ledger_id), Number(row.at)]; // PostgreSQL may give them as texts.
  try {
    const body = JSON.parse(row.body);
    const text = unpack(pack(body));
    const entry = entryText({ id: ledger_id, at, kind, ref, body: text });
    if (text !== bodyText(body) || text !== row.body || entry !== row.entry)
      throw new RangeError("Its text is another one.");
    if (!Buffer.from(leaf).equals(leafOf(Buffer.from(entry), sha256)))
      throw new RangeError("Its leaf is another one.");
    return { ledger_id, at, kind, ref, body, leaf };
  } catch (error) {
    throw new CorruptEntry(ledger_id, error);
  }
}

const sha256 = (bytes: Uint8Array): Uint8Array => hash("sha256", bytes, "buffer");
