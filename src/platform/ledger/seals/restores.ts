import type { Db } from "../../db/engine.ts";
import { fieldsIn } from "../../kernel/contract/entry-kind.ts";
import type { Problem, Rejects } from "../../kernel/contract/errors.ts";
import * as entries from "../entries.ts";
import { entriesOfKind } from "../entry-queries.ts";

/** A backup that was brought back: entries after `lost_after_id` are other ones since. */
interface Restore {
  readonly epoch: number;
  readonly lost_after_id: number;
  /** Of the entry that says so. */
  readonly ledger_id: number;
}

async function restoresIn(read: Db): Promise<readonly Restore[]> {
  const rows = await entriesOfKind.all(read, { kind: "ledger_restored" });
  return rows.map(({ ledger_id, body }) => ({
    ...fieldsIn(entries.ledgerRestored, body, "epoch", "lost_after_id"),
    ledger_id,
  }));
}

/** Restores, oldest first. They are read once: none happens while a process has the database. */
export type Restores = (read: Db, head_id: number) => Promise<readonly Restore[]>;

export function knownRestores(): Restores {
  let known: Promise<readonly Restore[]> | null = null;
  let newest_id = 0;
  return async (read, head_id) => {
    if (head_id < newest_id) known = null; // Another database may have come under the same address.
    newest_id = Math.max(newest_id, head_id);
    known ??= restoresIn(read);
    try {
      return await known;
    } catch (error) {
      known = null; // The next reader tries again.
      throw error;
    }
  };
}

/** The epoch of a ledger with these restores; it began with 1. */
export const epochAfter = (restores: readonly Restore[]): number => restores.at(-1)?.epoch ?? 1;

/** Where a reader goes on. */
interface Position {
  readonly after_id?: number | undefined;
  readonly epoch?: number | undefined;
}

/**
 * Rejects with `position_ahead` where a reader would miss entries without hearing of it: its position lies
 * behind the last entry, or among entries that a restore has lost and others have replaced since.
 */
export function demandPosition(
  { reject }: Rejects<"position_ahead">,
  { after_id = 0, epoch }: Position,
  { head_id, restores }: { readonly head_id: number; readonly restores: readonly Restore[] },
): void {
  const since = restores.find((one) => epoch !== undefined && one.epoch > epoch);
  const isReplaced = since !== undefined && after_id > since.lost_after_id;
  if (after_id <= head_id && !isReplaced) return;
  const restore = since ?? restores.findLast(({ lost_after_id }) => lost_after_id < after_id);
  const from_id = Math.min(restore?.lost_after_id ?? head_id, head_id);
  const details: Problem[] = [
    {
      field: "after_id",
      problem: isReplaced ? "is of an earlier epoch" : "is after the last entry",
    },
    { field: "head_id", problem: String(head_id) },
    { field: "read_after_id", problem: String(from_id) },
  ];
  if (restore !== undefined)
    details.push({ field: "restored_id", problem: String(restore.ledger_id) });
  const why = isReplaced
    ? "This position was read before a backup was restored."
    : `The ledger ends at entry ${head_id}, before this position.`;
  const told =
    restore === undefined
      ? "Entries that you have read may be lost."
      : `Entry ${restore.ledger_id} tells of the restore; entries after ${restore.lost_after_id} are other ones now.`;
  reject("position_ahead", `${why} ${told} Go on after entry ${from_id}.`, details);
}
