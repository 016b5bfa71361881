import type { Db, Tx } from "../../platform/db/engine.ts";
import * as sql from "./restored-queries.ts";

/** Numbers of boxes that a restore leaves out: more than any network gets between two backups. */
const LOST_BOXES_MAX = 1_000_000;

/**
 * Prepares boxes that came from a backup: readers may have seen later ones, which are lost, and go on after their
 * numbers, so these are never given again. A backup that is restored anew, in a later epoch, begins later.
 */
export async function restoreBoxes(tx: Tx, epoch: number): Promise<void> {
  const last = (await sql.lastBox.first(tx, {}))?.id ?? 0;
  const floor = await firstBoxId(tx);
  await sql.raiseFloor.run(tx, { first_id: Math.max(last, floor) + epoch * LOST_BOXES_MAX });
}

/** The least number of a new box. */
async function firstBoxId(db: Db): Promise<number> {
  return (await sql.boxFloor.first(db, {}))?.first_id ?? 0;
}

/** The same, read once: it changes only while no process has the database. */
export function knownFirstBoxId(): (db: Db) => Promise<number> {
  let known: Promise<number> | null = null;
  return async (db) => {
    known ??= firstBoxId(db);
    try {
      return await known;
    } catch (error) {
      known = null; // The next sender tries again.
      throw error;
    }
  };
}

/** The id that an inserted box keeps, or is given where a restore leaves its own out. */
export async function raised(
  tx: Tx,
  id: number | undefined,
  first_id: number,
): Promise<{ readonly id: number }> {
  if (id === undefined) throw new Error("A message was inserted and has no id.");
  if (id >= first_id) return { id };
  await sql.renumber.run(tx, { id, first_id });
  return { id: first_id };
}

/** Whether a position is after every box that there may have been. */
export async function isBeyondBoxes(db: Db, after_id: number, first_id: number): Promise<boolean> {
  return after_id > Math.max(first_id, (await sql.lastBox.first(db, {}))?.id ?? 0);
}
