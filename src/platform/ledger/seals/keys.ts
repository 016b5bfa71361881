import type { Db } from "../../db/engine.ts";
import { fieldsIn } from "../../kernel/contract/entry-kind.ts";
import * as entries from "../entries.ts";
import { entriesOfKind, recordedBody } from "../entry-queries.ts";
import * as sql from "../queries.ts";

/** A key of the operator and the seals that it may sign; `to_seq` is null for the current one. */
export interface OperatorKey {
  readonly public_key: string;
  readonly from_seq: number;
  readonly to_seq: number | null;
  /** Whether the key before it, or genesis, vouches for it. */
  readonly anchored: boolean;
}

/**
 * The keys that the ledger itself names, oldest first. The seal that contains a rotation is still
 * signed by the old key, every later seal by the new one (docs/reference/ledger.md).
 */
export async function operatorKeys(read: Db): Promise<OperatorKey[]> {
  const keys: OperatorKey[] = [];
  const genesis = await genesisOf(read);
  if (genesis?.pubkey !== undefined) {
    keys.push({ public_key: genesis.pubkey, from_seq: 1, to_seq: null, anchored: true });
  }
  for (const { ledger_id, body } of await entriesOfKind.all(read, { kind: "key_rotation" })) {
    const seal = await sql.sealOfEntry.first(read, { ledger_id });
    if (seal === undefined) break; // Not sealed yet, so the old key still signs.
    const { new_pubkey, anchored } = fieldsIn(entries.keyRotation, body, "new_pubkey", "anchored");
    const old = keys.pop();
    if (old !== undefined) keys.push({ ...old, to_seq: seal.seq });
    keys.push({
      public_key: new_pubkey,
      from_seq: seal.seq + 1,
      to_seq: null,
      anchored: anchored === 1,
    });
  }
  return keys;
}

/** What the first entry says, sequenced or not; undefined while there is none. */
export async function genesisOf(read: Db) {
  const row = await recordedBody(read, { kind: "genesis", ref: "1" });
  return row && fieldsIn(entries.genesis, row.body, "origin", "pubkey");
}
