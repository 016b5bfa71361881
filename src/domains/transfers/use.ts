import type { Tx } from "../../platform/db/engine.ts";
import { enact } from "../../platform/ledger/rows/enact.ts";
import * as sql from "./queries.ts";
import { rows } from "./rows.ts";
import type { TransferUse } from "./tables.ts";

/**
 * Gives a transfer that a chain has confirmed its one use, under all of its hashes
 * (`transferKey` of the send's and, when there is one, the receive's). A declared contribution
 * under one of them makes way. Resolves to null, or to the other checked use that stands in the
 * way: then the caller undoes its write. Repeating a use is harmless, and teaches it a new hash.
 */
export async function useTransfer(
  tx: Tx,
  keys: readonly string[],
  used_by: TransferUse,
): Promise<TransferUse | null> {
  for (const key of keys.toSorted()) {
    if ((await sql.insertUse.first(tx, { key, used_by, checked: 1 })) !== undefined) continue;
    const holder = await holderOf(tx, key);
    if (holder.used_by === used_by) continue;
    if (holder.checked === 1) return holder.used_by;
    if ((await sql.takeOverUse.run(tx, { key, used_by })) !== 1)
      throw new Error("A declared use of a hash has gone.");
    await supersede(tx, contributionIn(holder.used_by), used_by);
  }
  return null;
}

/** The same for a transfer that somebody only declares; it takes no hash from anybody. */
export async function declareTransfer(
  tx: Tx,
  key: string,
  used_by: TransferUse,
): Promise<TransferUse | null> {
  const row = await sql.insertUse.first(tx, { key, used_by, checked: 0 });
  return row === undefined ? (await holderOf(tx, key)).used_by : null;
}

/** The id of the contribution that a use is, or null for a use by the market. */
export function contributionIn(used_by: TransferUse): number | null {
  const id = /^contribution\/([0-9]+)$/.exec(used_by)?.[1];
  return id === undefined ? null : Number(id);
}

async function holderOf(tx: Tx, key: string) {
  const holder = await sql.transferUse.first(tx, { key });
  if (holder === undefined) throw new Error("A hash is used, and by nobody.");
  return holder;
}

/** Neither the entry nor a column has the second in which it is made. */
const AT_NO_TIME = 0;

async function supersede(tx: Tx, id: number | null, by: TransferUse): Promise<void> {
  if (id !== null) {
    const fields = { contribution_id: id, by };
    if ((await enact(tx, rows.contributionSuperseded, fields, AT_NO_TIME)) !== undefined) return;
  }
  throw new Error("A declared use of a hash is no contribution that counts.");
}
