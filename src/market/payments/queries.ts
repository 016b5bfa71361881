import { type Insertable, sql } from "kysely";
import { prepared } from "../../db/prepared.ts";
import type { Seconds } from "../../kernel/time.ts";
import type { MarketTables } from "../tables.ts";

/** Changes no row when the account is known. */
export const beginWatch = prepared((db, p: { account: string }) =>
  db
    .insertInto("market_watch")
    .values({ account: p.account, invoiced_at: 0, next_at: 0 })
    .onConflict((conflict) => conflict.column("account").doNothing()),
);

/** Of several nodes that want to look now, one changes a row and looks. */
export const takeTurn = prepared((db, p: { account: string; now: Seconds; next_at: Seconds }) =>
  db
    .updateTable("market_watch")
    .set({ next_at: p.next_at })
    .where("account", "=", p.account)
    .where("next_at", "<=", p.now),
);

interface CompleteScan {
  readonly account: string;
  readonly scanned_at: Seconds;
  readonly frontier: string | null;
  readonly unreceived: number;
}

/** A scan that began earlier changes no row. */
export const completeScan = prepared((db, { account, ...scan }: CompleteScan) =>
  db
    .updateTable("market_watch")
    .set(scan)
    .where("account", "=", account)
    .where((where) =>
      where.or([where("scanned_at", "is", null), where("scanned_at", "<=", scan.scanned_at)]),
    ),
);

/** Changes no row when another scan has gone on since. */
export const forgetFrontier = prepared((db, p: { account: string; frontier: string }) =>
  db
    .updateTable("market_watch")
    .set({ frontier: null })
    .where("account", "=", p.account)
    .where("frontier", "=", p.frontier),
);

export const anyUnpaid = prepared((db, p: { account: string }) =>
  db
    .selectFrom("market_order")
    .select("id")
    .where(sql<boolean>`state = 'awaiting_payment'`)
    .where("escrow_address", "=", p.account)
    .limit(1),
);

export const unmatched = prepared((db, p: { txid: string }) =>
  db.selectFrom("market_unmatched").select("txid").where("txid", "=", p.txid),
);

/** Changes no row when it is known. */
export const insertUnmatched = prepared(
  (db, p: Omit<Insertable<MarketTables["market_unmatched"]>, "order_id">) =>
    db
      .insertInto("market_unmatched")
      .values(p)
      .onConflict((conflict) => conflict.column("txid").doNothing()),
);

export const assignUnmatched = prepared((db, p: { txid: string; order_id: number }) =>
  db
    .updateTable("market_unmatched")
    .set({ order_id: p.order_id })
    .where("txid", "=", p.txid)
    .where("order_id", "is", null),
);

/** The next scan of each account reads its whole history. */
export const forgetFrontiers = prepared((db, _: Record<string, never>) =>
  db.updateTable("market_watch").set({ frontier: null, next_at: 0 }),
);
