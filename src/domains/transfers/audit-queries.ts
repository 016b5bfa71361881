import { prepared } from "../../platform/db/prepared.ts";

export const ledgerHead = prepared((db, _: Record<string, never>) =>
  db.selectFrom("ledger_head").select("last_id"),
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

/** The register, by its keys. */
export const usesAfter = prepared((db, p: { after: string; limit: number }) =>
  db.selectFrom("chain_tx").selectAll().where("key", ">", p.after).orderBy("key").limit(p.limit),
);
