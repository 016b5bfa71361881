import { sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";
import type { RecheckEnd } from "../rules.ts";
import type { MarketSend } from "../tables.ts";

/** The partial index is only for queries that name the state in words. */
const OPEN = sql<boolean>`found is null`;

interface NewRecheck {
  readonly sent: MarketSend;
  readonly order_id: number;
  readonly recorded_at: Seconds;
  readonly next_try_at: Seconds;
}

export const insertRecheck = prepared((db, p: NewRecheck) =>
  db.insertInto("market_recheck").values({ ...p, tries: 0, found: null }),
);

export const recheckOf = prepared((db, p: { sent: MarketSend }) =>
  db.selectFrom("market_recheck").select(["next_try_at", "found"]).where("sent", "=", p.sent),
);

/** Asks again, whatever the row said. */
export const putBackRecheck = prepared((db, p: NewRecheck) =>
  db
    .insertInto("market_recheck")
    .values({ ...p, tries: 0, found: null })
    .onConflict((conflict) =>
      conflict.column("sent").doUpdateSet({ found: null, next_try_at: p.next_try_at }),
    ),
);

export const rechecksDue = prepared((db, p: { now: Seconds; limit: number }) =>
  db
    .selectFrom("market_recheck")
    .select(["sent", "order_id", "recorded_at", "tries"])
    .where(OPEN)
    .where("next_try_at", "<=", p.now)
    .orderBy("next_try_at")
    .limit(p.limit),
);

export const postponeRecheck = prepared(
  (db, { sent, ...set }: { sent: MarketSend; tries: number; next_try_at: Seconds }) =>
    db.updateTable("market_recheck").set(set).where("sent", "=", sent).where(OPEN),
);

/** Changes no row when another node was faster. */
export const endRecheck = prepared((db, { sent, found }: { sent: MarketSend; found: RecheckEnd }) =>
  db.updateTable("market_recheck").set({ found }).where("sent", "=", sent).where(OPEN),
);
