import { prepared } from "../db/prepared.ts";
import { TRANSFER_KINDS } from "./replay.ts";

export const ledgerHead = prepared((db, _: Record<string, never>) =>
  db.selectFrom("ledger_head").select("last_id"),
);

/** The entries between two ids that say what a transfer is for. */
export const transferEntries = prepared((db, p: { after_id: number; to_id: number }) =>
  db
    .selectFrom("ledger_entry")
    .select(["ledger_id", "at", "kind", "body"])
    .where("ledger_id", ">", p.after_id)
    .where("ledger_id", "<=", p.to_id)
    .where("kind", "in", TRANSFER_KINDS)
    .orderBy("ledger_id"),
);

/** Names of transfers of which the ledger has the hash only. */
export const freeNames = prepared((db, p: { after_id: number; limit: number }) =>
  db
    .selectFrom("contribution")
    .select(["id", "txid"])
    .where("id", ">", p.after_id)
    .orderBy("id")
    .limit(p.limit),
);
