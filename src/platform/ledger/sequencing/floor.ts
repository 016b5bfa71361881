import { sql } from "kysely";
import type { Tx } from "../../db/engine.ts";
import { prepared, preparedRead, preparedWrite } from "../../db/prepared.ts";

/*
 * The upkeep of what sequencing on PostgreSQL leaves behind. A long snapshot, such as that of pg_dump, keeps
 * deleted rows at the left end of `ledger_pending`: the floor spares each sequencing the way past them.
 */

type Nothing = Record<string, never>;

interface Marks {
  readonly floor: number;
  readonly marked: number;
  /** Whether every transaction has ended that could have brought a row at or below `marked`. */
  readonly has_ended: number;
  /** The newest order key that was drawn. */
  readonly drawn: number;
  /** Transactions from here on begin later. */
  readonly next_xid: number;
  readonly now_ms: number;
}

const marks = preparedRead(
  (_, __: Nothing) =>
    sql<Marks>`select floor, marked,
        (pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= marked_xid)::integer as has_ended,
        coalesce(pg_sequence_last_value('ledger_pending_row_id_seq'), 0) as drawn,
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint as next_xid,
        floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms
      from ledger_floor where k = 1`,
);

const setMarks = prepared((db, p: NewMarks) =>
  db
    .updateTable("ledger_floor")
    .set({
      floor: p.floor,
      marked: p.marked,
      marked_xid: p.marked_xid,
      settled: p.settled,
      settled_at: p.settled_at,
    })
    .where("k", "=", 1),
);

interface NewMarks extends Pick<Marks, "floor" | "marked"> {
  readonly marked_xid: number;
  readonly settled: number;
  readonly settled_at: number;
}

/**
 * Raises the floor, under the lock of the ledger's head. `sequenceAll` gives ids to what is pending and
 * resolves to whether something was left; then nothing at or below `marked` is pending any more.
 */
export async function raiseFloor(tx: Tx, sequenceAll: () => Promise<boolean>): Promise<void> {
  const found = await marks.first(tx, {}); // Before it looks for rows, so that it sees what has ended by now.
  const isLeft = await sequenceAll();
  if (found === undefined || isLeft || found.has_ended === 0) return;
  await setMarks.run(tx, {
    floor: found.marked,
    marked: found.drawn,
    marked_xid: found.next_xid,
    // Committed by an earlier call: a transaction that begins from now on sees the entries up to here.
    settled: found.floor,
    settled_at: found.now_ms,
  });
}

/** Few enough for a statement's time, and more than a node stores between two calls. */
const FORGOTTEN_MAX = 200_000;

/**
 * Deletes names of entries that every running transaction sees in `ledger_entry`: all have begun after
 * those entries were committed there.
 */
export const forgetSettled = preparedWrite(
  (_, __: Nothing) =>
    sql<Nothing>`delete from ledger_recent where ctid = any (array(
      select r.ctid from ledger_recent r cross join ledger_floor f
      where r.row_id <= f.settled
        and not exists (select from ledger_pending p where p.row_id = r.row_id)
        and not exists (select from pg_stat_activity a
          where a.datname = current_database() and a.backend_type = 'client backend'
            and a.pid <> pg_backend_pid() and a.xact_start < to_timestamp(f.settled_at / 1000.0))
      limit ${sql.lit(FORGOTTEN_MAX)}))`,
);
