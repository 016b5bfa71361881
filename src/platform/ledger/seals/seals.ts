import type { Selectable } from "kysely";
import { type Seal, sealBody } from "../../kernel/proof/seal-text.ts";
import { sha256 } from "../sha256.ts";
import type { LedgerTables } from "../tables.ts";

export type SealRow = Selectable<LedgerTables["seal"]>;

export const hex = (bytes: Uint8Array): string => bytes.toHex();

/** A stored seal as every answer shows it. */
export function showSeal(row: SealRow): Seal {
  return {
    seq: row.seq,
    at: row.at,
    count: row.count,
    root: hex(row.root),
    prev_root: row.prev_root === null ? null : hex(row.prev_root),
    from_id: row.from_id,
    to_id: row.to_id,
    signature: row.signature,
    pubkey: row.pubkey,
    algo: "ed25519",
    signed_at: row.signed_at,
    signed: row.signature !== null,
    origin: row.origin,
    prev_seal: row.prev_seal === null ? null : hex(row.prev_seal),
    log_root: hex(row.log_root),
    seal_hash: hex(row.seal_hash),
  };
}

/** SHA-256 of the seal's body, from its fields and not from the stored hash. */
export const sealHashOf = (seal: Parameters<typeof sealBody>[0]): Uint8Array =>
  sha256(Buffer.from(sealBody(seal)));
