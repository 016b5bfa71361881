import { sql } from "kysely";
import { insertNumbered, prepared } from "../../platform/db/prepared.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { TransferTables, TransferUse } from "./tables.ts";

type Columns<T extends keyof TransferTables, Made extends string = never> = Readonly<
  Omit<TransferTables[T], Made>
>;

export const transferUse = prepared((db, p: { key: string }) =>
  db.selectFrom("chain_tx").select(["used_by", "checked"]).where("key", "=", p.key),
);

/** No row comes back when the hash is used already: the insert is the check. */
export const insertUse = prepared((db, p: Columns<"chain_tx">) =>
  db
    .insertInto("chain_tx")
    .values(p)
    .onConflict((conflict) => conflict.column("key").doNothing())
    .returning("key"),
);

/** A checked use takes a hash from a declared one, never from another checked one. */
export const takeOverUse = prepared((db, p: { key: string; used_by: TransferUse }) =>
  db
    .updateTable("chain_tx")
    .set({ used_by: p.used_by, checked: 1 })
    .where("key", "=", p.key)
    .where("checked", "=", 0),
);

export const insertContribution = insertNumbered(
  "contribution",
  (p: Columns<"contribution", "id" | "superseded_by">) => ({ ...p, superseded_by: null }),
);

/** Oldest first; few, because the operator changes accounts by hand. */
export const ownAccounts = prepared((db, _: Record<string, never>) =>
  db.selectFrom("own_account").select(["account", "role", "since"]).orderBy("n"),
);

export const ownAccount = prepared((db, p: { account: string }) =>
  db.selectFrom("own_account").select("n").where("account", "=", p.account),
);

export const lastOwnAccount = prepared((db, _: Record<string, never>) =>
  db.selectFrom("own_account").select("n").orderBy("n", "desc").limit(1),
);

export const acceptedRate = prepared((db, p: { currency: string }) =>
  db.selectFrom("rate").select(["usd_e8", "sampled_at"]).where("currency", "=", p.currency),
);

export const acceptRate = prepared(
  (db, p: { currency: string; usd_e8: number; sampled_at: Seconds }) =>
    db
      .insertInto("rate")
      .values({ ...p, refused: 0 })
      .onConflict((conflict) =>
        conflict.column("currency").doUpdateSet((set) => ({
          usd_e8: set.ref("excluded.usd_e8"),
          sampled_at: set.ref("excluded.sampled_at"),
        })),
      ),
);

export const refuseRate = prepared((db, p: { currency: string }) =>
  db
    .insertInto("rate")
    .values({ currency: p.currency, usd_e8: null, sampled_at: null, refused: 1 })
    .onConflict((conflict) =>
      conflict.column("currency").doUpdateSet({ refused: sql`rate.refused + 1` }),
    ),
);

export const refusedRates = prepared((db, _: Record<string, never>) =>
  db.selectFrom("rate").select("refused"),
);
