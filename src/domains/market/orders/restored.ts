import { accountText } from "../../../platform/chain/account.ts";
import type { Context } from "../../../platform/context.ts";
import type { Db, Tx } from "../../../platform/db/engine.ts";
import type { Rejects } from "../../../platform/kernel/contract/errors.ts";
import type { OrderRow } from "../queries.ts";
import * as sql from "./restored-queries.ts";

/** Numbers of orders that a restore leaves out: more than any network makes between two backups. */
const LOST_ORDERS_MAX = 1_000_000;

/**
 * Prepares a market that came from a backup. Orders made after it are lost, and a buyer may still pay one:
 * so their numbers, which are in the amounts, are never given again. And nobody is asked for money or paid
 * until the escrow accounts have been read. Resolves to whether there is a market at all.
 */
export async function restoreMarket(tx: Tx): Promise<boolean> {
  await sql.forgetScans.run(tx, {});
  const last = (await sql.lastOrder.first(tx, {}))?.id ?? 0;
  const floor = (await sql.orderFloor.first(tx, {}))?.first_id ?? 0;
  await sql.raiseFloor.run(tx, { first_id: Math.max(last, floor) + LOST_ORDERS_MAX });
  return last > 0;
}

/** The number that the next order must have; undefined where the database counts by itself. */
export async function nextOrderId(db: Db): Promise<number | undefined> {
  const floor = await sql.orderFloor.first(db, {});
  if (floor === undefined) return undefined;
  return Math.max(floor.first_id, ((await sql.lastOrder.first(db, {}))?.id ?? 0) + 1);
}

/** Rejects with `chain_unavailable` until a complete scan after a restore. */
export async function refuseUnscanned(
  {
    read,
    settings: { escrowKey },
    reject,
  }: Pick<Context, "read" | "settings"> & Rejects<"chain_unavailable">,
  { escrow_address }: Pick<OrderRow, "escrow_address">,
): Promise<void> {
  const own = escrowKey === null ? escrow_address : accountText(escrowKey);
  if ((await sql.unscanned.first(read, { account: escrow_address, own })) === undefined) return;
  return reject(
    "chain_unavailable",
    "The escrow account has not been read since a backup was restored. Nothing was recorded; start the service, and try again when it has.",
  );
}
