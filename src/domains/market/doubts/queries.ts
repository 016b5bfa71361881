import { type Selectable, sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import type { MarketTables } from "../tables.ts";

/** A doubt as it is stored. */
export type Doubt = Readonly<Selectable<MarketTables["market_doubt"]>>;

/** The partial indexes are only for queries that name the state in words. */
const OPEN = sql<boolean>`state = 'open'`;

export const doubtOf = prepared((db, p: { account: string; hash: string }) =>
  db
    .selectFrom("market_doubt")
    .selectAll()
    .where("account", "=", p.account)
    .where("hash", "=", p.hash),
);

/** A transfer has one receiver, so a hash has one doubt. */
export const openDoubt = prepared((db, p: { hash: string }) =>
  db.selectFrom("market_doubt").selectAll().where(OPEN).where("hash", "=", p.hash),
);

/** A doubt that is known already keeps its first sight, and learns how the last try ended. */
export const putDoubt = prepared((db, p: Omit<Doubt, "state" | "closed_at" | "note">) =>
  db
    .insertInto("market_doubt")
    .values({ ...p, state: "open", closed_at: null, note: null })
    .onConflict((conflict) =>
      conflict.columns(["account", "hash"]).doUpdateSet((set) => ({
        why: set.ref("excluded.why"),
        tries: set.ref("excluded.tries"),
        next_try_at: set.ref("excluded.next_try_at"),
      })),
    ),
);

interface Closing {
  readonly hash: string;
  readonly state: "settled" | "dismissed";
  readonly closed_at: Seconds;
  readonly note: string | null;
}

/** Changes no row unless the doubt is open. */
export const closeDoubt = prepared((db, { hash, ...set }: Closing) =>
  db.updateTable("market_doubt").set(set).where("hash", "=", hash).where(OPEN),
);

/** Those whose turn it is, the longest waiting first. */
export const doubtsToTry = prepared((db, p: { account: string; now: Seconds; limit: number }) =>
  db
    .selectFrom("market_doubt")
    .selectAll()
    .where(OPEN)
    .where("account", "=", p.account)
    .where("next_try_at", "<=", p.now)
    .orderBy("next_try_at")
    .limit(p.limit),
);

export const countDoubts = prepared((db, p: { account: string }) =>
  db
    .selectFrom("market_doubt")
    .select((select) => select.fn.countAll<number>().as("n"))
    .where(OPEN)
    .where("account", "=", p.account),
);

/** Doubts that a party or the operator may see, oldest first. */
export const doubtsOfOrder = prepared((db, p: { order_id: number; limit: number }) =>
  db
    .selectFrom("market_doubt")
    .select(["hash as txid", "amount_raw", "first_seen_at as seen_at"])
    .where(OPEN)
    .where("order_id", "=", p.order_id)
    .orderBy("first_seen_at")
    .limit(p.limit),
);

export const oldDoubts = prepared((db, p: { before: Seconds; limit: number; offset: number }) =>
  db
    .selectFrom("market_doubt")
    .selectAll()
    .where(OPEN)
    .where("first_seen_at", "<=", p.before)
    .orderBy("first_seen_at")
    .orderBy("hash")
    .limit(p.limit)
    .offset(p.offset),
);

/** A doubt of which too few nodes tell, seen lately, and that may be the payment of an order. */
export const freshUntold = prepared((db, p: { account: string; fresh_after: Seconds }) =>
  db
    .selectFrom("market_doubt")
    .select("hash")
    .where(OPEN)
    .where("account", "=", p.account)
    .where("untold", "=", 1)
    .where("first_seen_at", ">", p.fresh_after)
    .where((where) =>
      where.or([where("order_id", "is not", null), where("amount_raw", "is", null)]),
    )
    .limit(1),
);

/** An order, its account, and since when doubts of each sort count. */
interface Holding {
  readonly order_id: number;
  readonly account: string;
  readonly named_after: Seconds;
  readonly unnamed_after: Seconds;
  readonly untold_after: Seconds;
}

/** A doubt that keeps an order from expiring: its own one, or one of unknown amount. */
export const holdingDoubt = prepared((db, p: Holding) =>
  db
    .selectFrom("market_doubt")
    .select("hash")
    .where(OPEN)
    .where("why", "<>", "too_many")
    .where((where) =>
      where.or([where("untold", "=", 0), where("first_seen_at", ">", p.untold_after)]),
    )
    .where((where) =>
      where.or([
        where.and([where("order_id", "=", p.order_id), where("first_seen_at", ">", p.named_after)]),
        where.and([
          where("account", "=", p.account),
          where("amount_raw", "is", null),
          where("first_seen_at", ">", p.unnamed_after),
        ]),
      ]),
    )
    .limit(1),
);
