import * as z from "zod";
import type { Context } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import { recordedBody } from "../../platform/ledger/entry-queries.ts";
import { sha256Hex } from "../../platform/ledger/sha256.ts";
import * as sql from "./queries.ts";
import { transferKey } from "./rules.ts";
import type { TransferUse } from "./tables.ts";

/** One row of the register of transfers. */
interface Use {
  readonly key: string;
  readonly used_by: TransferUse;
}

const named = z.object({
  txid: z.string().optional(),
  sent_txid: z.string().optional(),
  receive_txid: z.string().optional(),
  txid_sha256: z.string().optional(),
});

/** The entry that a use is named after; a payment without an order is used by what sent it back. */
function entryOf(used_by: TransferUse) {
  const [what = "", ...ref] = used_by.split("/");
  return { kind: what === "unmatched" ? "payment_refunded" : what, ref: ref.join("/") };
}

/**
 * Whether an entry says what a committed row of the register says: somebody who writes to the database can add a row,
 * and the payment that it names would be passed over. It is not asked in the write that makes the row, whose entry
 * comes later.
 */
export async function isUseSealed(read: Db, { key, used_by }: Use): Promise<boolean> {
  const entry = await recordedBody(read, entryOf(used_by));
  if (entry === undefined) return false;
  const { txid, sent_txid, receive_txid, txid_sha256 } = named.parse(JSON.parse(entry.body));
  const keys = [sent_txid ?? txid, receive_txid].flatMap((each) =>
    each === undefined ? [] : [transferKey(each)],
  );
  return keys.includes(key) || txid_sha256 === sha256Hex(key);
}

/**
 * Whether a chain was asked about a transfer and it has its use. A row that no entry bears out is none, and the
 * operator is told of it.
 */
export async function isUsed(
  { read, edited }: Pick<Context, "read" | "edited">,
  txid: string,
): Promise<boolean> {
  const key = transferKey(txid);
  const use = await sql.transferUse.first(read, { key });
  if (use?.checked !== 1) return false;
  const { used_by } = use;
  if (await isUseSealed(read, { key, used_by })) return true;
  edited({ txid: key });
  return false;
}
