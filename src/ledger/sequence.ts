import { sql } from "kysely";
import { type Journal, type PendingEntry, SEQUENCE_MAX, type Tx } from "../db/engine.ts";
import { prepared } from "../db/prepared.ts";
import { changing, inserting, type Lists, listed } from "../db/rows.ts";
import { entryText, leafOf } from "../kernel/entry.ts";
import type { PlacedEntry } from "../kernel/entry-kind.ts";
import type { Seconds } from "../kernel/time.ts";
import type { NetworkClock } from "./clock.ts";
import { sha256 } from "./sha256.ts";

/**
 * Runs inside the sequencing transaction, in ledger order; the ledger does not know what it does.
 * Projectors run side by side, so that their statements travel together: none reads what another writes.
 */
export type Projector = (tx: Tx, entries: readonly PlacedEntry[]) => Promise<void>;

export interface JournalOptions {
  readonly clock: NetworkClock;
  readonly projectors: readonly Projector[];
}

interface Head {
  readonly last_id: number;
  readonly last_at: Seconds;
}

const lockHead = prepared((db, _: Record<string, never>) =>
  db.selectFrom("ledger_head").select(["last_id", "last_at"]).where("k", "=", 1).forUpdate(),
);

/** Compare-and-swap: another sequencer's head changes no row here. */
const moveHead = prepared((db, p: { old_id: number; last_id: number; last_at: Seconds }) =>
  db
    .updateTable("ledger_head")
    .set({ last_id: p.last_id, last_at: p.last_at })
    .where("k", "=", 1)
    .where("last_id", "=", p.old_id),
);

const insertPlaced = prepared((db, p: Omit<PendingEntry, "body"> & EntryPosition) =>
  db.insertInto("ledger_entry").values({
    kind: p.kind,
    ref: p.ref,
    body: p.text,
    ledger_id: p.ledger_id,
    at: p.at,
    entry: p.entry,
    leaf: p.leaf,
  }),
);

const insertPending = inserting("ledger_entry", { kind: "text", ref: "text", body: "text" });

const unsequenced = prepared((db, p: { limit: number }) =>
  db
    .selectFrom("ledger_entry")
    .select(["row_id", "kind", "ref", "body as text"])
    .where("ledger_id", "is", null)
    .orderBy("row_id")
    .limit(p.limit),
);

const PLACED = {
  row_id: "bigint",
  ledger_id: "bigint",
  at: "bigint",
  entry: "text",
  leaf: "bytea",
} as const;

const placeEntry = prepared((db, p: EntryPosition & { readonly row_id: number }) =>
  db
    .updateTable("ledger_entry")
    .set({ ledger_id: p.ledger_id, at: p.at, entry: p.entry, leaf: p.leaf })
    .where("row_id", "=", p.row_id)
    .where("ledger_id", "is", null),
);

const placeListed = prepared((db, lists: Lists<typeof PLACED>) =>
  db
    .updateTable("ledger_entry as e")
    .from(
      sql<EntryPosition & { row_id: number }>`${listed(PLACED, lists)}`.as<"placed">(
        sql`placed (row_id, ledger_id, at, entry, leaf)`,
      ),
    )
    .set((ref) => ({
      ledger_id: ref.ref("placed.ledger_id"),
      at: ref.ref("placed.at"),
      entry: ref.ref("placed.entry"),
      leaf: ref.ref("placed.leaf"),
    }))
    .whereRef("e.row_id", "=", "placed.row_id")
    .where("e.ledger_id", "is", null),
);

const placeEntries = changing(PLACED, placeEntry, placeListed);

/** The four columns that sequencing fills. */
interface EntryPosition {
  readonly ledger_id: number;
  readonly at: Seconds;
  readonly entry: string;
  readonly leaf: Uint8Array;
}

/**
 * How the ledger takes part in writes. An id k+1 is given only by a transaction that saw the head
 * after the one with k, so ids are dense, and a reader that sees k+1 sees k.
 */
export function journalOf({ clock, projectors }: JournalOptions): Journal {
  async function openHead(tx: Tx): Promise<Head> {
    const head = await lockHead.first(tx, {});
    if (head === undefined) throw new Error("The ledger has no head.");
    clock.observe(head.last_at);
    clock.refuseLeap();
    return head;
  }

  async function closeHead(tx: Tx, old: Head, entries: readonly PlacedEntry[]): Promise<void> {
    const last = entries.at(-1);
    if (last === undefined) return;
    const head = { last_id: last.ledger_id, last_at: last.at };
    const moving = moveHead.run(tx, { old_id: old.last_id, ...head });
    const [moved] = await allOf([moving, ...projectors.map((project) => project(tx, entries))]);
    if (moved !== 1) throw new Error("The ledger's head moved under its lock.");
    clock.observe(head.last_at);
  }

  return {
    async settle(tx, entries) {
      const head = await openHead(tx);
      const placed = place(head, clock.now(), entries);
      for (const { body, ...columns } of placed) await insertPlaced.run(tx, columns);
      await closeHead(tx, head, placed);
    },

    record(tx, entries) {
      clock.refuseLeap();
      const rows = entries.map(({ kind, ref, text }) => ({ kind, ref, body: text }));
      return insertPending(tx, rows);
    },

    async sequence(tx) {
      const [head, rows] = await Promise.all([
        openHead(tx),
        unsequenced.all(tx, { limit: SEQUENCE_MAX }),
      ]);
      if (rows.length === 0) return 0;
      const entries = rows.map((row) => ({ ...row, body: JSON.parse(row.text) }));
      const placed = place(head, clock.now(), entries);
      const changed = await placeEntries(tx, placed);
      if (changed !== placed.length) throw new Error("An entry has an id already.");
      await closeHead(tx, head, placed);
      return rows.length;
    },
  };
}

/** Waits for all before it rejects with the first failure: nothing is left that would use the transaction. */
async function allOf<const Work extends readonly Promise<unknown>[]>(work: Work) {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** Gives `entries` the ids after the head's, and one time that never decreases. */
function place<E extends PendingEntry>(
  head: Head,
  now: Seconds,
  entries: readonly E[],
): (E & EntryPosition)[] {
  const at = Math.max(now, head.last_at);
  return entries.map((row, i) => {
    const ledger_id = head.last_id + 1 + i;
    const entry = entryText({ id: ledger_id, at, kind: row.kind, ref: row.ref, body: row.text });
    return { ...row, ledger_id, at, entry, leaf: leafOf(Buffer.from(entry), sha256) };
  });
}
