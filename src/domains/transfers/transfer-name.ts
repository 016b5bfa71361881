import { made } from "../../platform/ledger/rows/columns.ts";
import { sha256Hex, sha256IfAny } from "../../platform/ledger/sha256.ts";
import { hashOf } from "./rules.ts";

/** A hash stands in the ledger as it is; any other name of a transfer is text that somebody chose. */
export const sealedTxid = (txid: string) =>
  hashOf(txid) === null ? { txid: undefined, txid_sha256: sha256Hex(txid) } : { txid };

/** The column with the name of a transfer, compared by its hash: where it is free text, the ledger has no more. */
export const transferName = made(
  "sealed",
  ({ txid }) => sha256IfAny(txid === null ? null : `${txid}`),
  ({ body: { txid, txid_sha256 } }) => txid_sha256 ?? sha256IfAny(txid?.toString()),
  { seals: ({ txid }) => (typeof txid === "string" ? sealedTxid(txid) : {}), form: "text" },
);
