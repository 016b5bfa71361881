import type { Agent } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/engine.ts";
import { append } from "../../platform/ledger/append.ts";
import { sha256IfAny } from "../../platform/ledger/sha256.ts";
import * as entries from "./entries.ts";
import * as sql from "./queries.ts";
import { transferKey } from "./rules.ts";
import type { ContributionTable, TransferUse } from "./tables.ts";
import { sealedTxid } from "./transfer-name.ts";
import { declareTransfer, useTransfer } from "./use.ts";

type Columns = Readonly<Omit<ContributionTable, "id" | "agent" | "superseded_by">>;

/** A contribution as it is stored. */
export type StoredContribution = Columns &
  Readonly<Pick<ContributionTable, "superseded_by">> & { readonly id: number };

/**
 * Records a contribution and its entry under the name of its reporter. With a proof it is a
 * checked one, and a declared one of the same transfer makes way; `from` is the account that the
 * chain names as its sender. Resolves to the use that the transfer has already, if it has one: then
 * the caller undoes its write.
 */
export async function recordContribution(
  tx: Tx,
  { reporter, from }: { readonly reporter: Agent; readonly from: string | null },
  sent: Columns,
): Promise<{ readonly row: StoredContribution } | { readonly usedBy: TransferUse }> {
  const inserted = await sql.insertContribution.first(tx, { agent: reporter.id, ...sent });
  if (inserted === undefined) throw new Error("A contribution was inserted and has no id.");
  const { id } = inserted;
  const usedBy =
    sent.proof === null
      ? await declareTransfer(tx, transferKey(sent.txid), `contribution/${id}`)
      : await useTransfer(tx, keysOf(sent.txid, sent.receive_hash), `contribution/${id}`);
  if (usedBy !== null) return { usedBy };
  append(tx, entries.contribution, {
    contribution_id: id,
    agent: reporter.agent_id,
    ...entryFields(sent),
    from_sha256: sha256IfAny(from),
  });
  return { row: { ...sent, id, superseded_by: null } };
}

/** The names in the register of one transfer of XNO. */
export const keysOf = (sendHash: string, receiveHash: string | null): string[] =>
  (receiveHash === null ? [sendHash] : [sendHash, receiveHash]).map(transferKey);

function entryFields(sent: Columns) {
  const { currency, txid, receive_hash, amount, amount_raw, proof, note } = sent;
  const { usd_micro, rate, rate_source } = sent;
  return {
    currency,
    ...sealedTxid(txid),
    ...(proof === null
      ? { verification: "declared" as const, amount: amount ?? undefined }
      : { verification: "checked" as const, amount_raw: amount_raw ?? undefined, proof }),
    usd_micro: usd_micro ?? undefined,
    rate: rate ?? undefined,
    rate_source: rate_source ?? undefined,
    note_sha256: sha256IfAny(note),
    receive_txid: receive_hash ?? undefined,
  };
}
