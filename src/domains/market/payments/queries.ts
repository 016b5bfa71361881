import { sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import { HOUR_S, type Seconds } from "../../../platform/kernel/time.ts";
import type { MarketTables } from "../tables.ts";

/** Changes no row when the account is known. */
export const beginWatch = prepared((db, p: { account: string }) =>
  db
    .insertInto("market_watch")
    .values({ account: p.account, invoiced_at: 0, next_at: 0 })
    .onConflict((conflict) => conflict.column("account").doNothing()),
);

/** No node sets a time further ahead: a row that has one was edited. */
export const AHEAD_MAX_S = HOUR_S;

/** Of several nodes that want to look now, one changes a row and looks. No turn can be after `ahead`. */
export const takeTurn = prepared(
  (db, p: { account: string; now: Seconds; ahead: Seconds; next_at: Seconds }) =>
    db
      .updateTable("market_watch")
      .set({ next_at: p.next_at })
      .where("account", "=", p.account)
      .where((where) => where.or([where("next_at", "<=", p.now), where("next_at", ">", p.ahead)])),
);

interface CompleteScan {
  readonly account: string;
  /** No scan can have begun after it. */
  readonly ahead: Seconds;
  readonly scanned_at: Seconds;
  readonly frontier: string | null;
  readonly unreceived: number;
}

/** A scan that began earlier changes no row, unless the time of the stored one cannot be true. */
export const completeScan = prepared((db, { account, ahead, ...scan }: CompleteScan) =>
  db
    .updateTable("market_watch")
    .set(scan)
    .where("account", "=", account)
    .where((where) =>
      where.or([
        where("scanned_at", "is", null),
        where("scanned_at", "<=", scan.scanned_at),
        where("scanned_at", ">", ahead),
      ]),
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
  db
    .selectFrom("market_unmatched")
    .select(["txid", "sealed_at", "order_id", "sent_at"])
    .where("txid", "=", p.txid),
);

type Seen = Pick<
  MarketTables["market_unmatched"],
  "txid" | "from_account" | "amount_raw" | "first_seen_at"
> & { readonly sealed_at: Seconds };

/** Changes no row when it is sealed already. */
export const sealUnmatched = prepared((db, p: Seen) =>
  db
    .insertInto("market_unmatched")
    .values({ ...p, order_id: null, sent_txid: null, sent_to: null, sent_at: null, reason: null })
    .onConflict((conflict) =>
      conflict
        .column("txid")
        .doUpdateSet({
          from_account: p.from_account,
          amount_raw: p.amount_raw,
          first_seen_at: p.first_seen_at,
          sealed_at: p.sealed_at,
        })
        .where("market_unmatched.sealed_at", "is", null)
        .where("market_unmatched.order_id", "is", null),
    ),
);

export const assignUnmatched = prepared((db, p: { txid: string; order_id: number }) =>
  db
    .updateTable("market_unmatched")
    .set({ order_id: p.order_id })
    .where("txid", "=", p.txid)
    .where("order_id", "is", null)
    .where("sent_at", "is", null),
);

/** The next scan of each account reads its whole history. */
export const forgetFrontiers = prepared((db, _: Record<string, never>) =>
  db.updateTable("market_watch").set({ frontier: null, next_at: 0 }),
);
