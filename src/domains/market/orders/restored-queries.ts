import { prepared } from "../../../platform/db/prepared.ts";

export const orderFloor = prepared((db, _: Record<string, never>) =>
  db.selectFrom("market_order_floor").select("first_id"),
);

export const lastOrder = prepared((db, _: Record<string, never>) =>
  db.selectFrom("market_order").select("id").orderBy("id", "desc").limit(1),
);

export const raiseFloor = prepared((db, { first_id }: { first_id: number }) =>
  db
    .insertInto("market_order_floor")
    .values({ one: 1, first_id })
    .onConflict((conflict) => conflict.column("one").doUpdateSet({ first_id })),
);

/** Nothing is known of any account until it has been read again. */
export const forgetScans = prepared((db, _: Record<string, never>) =>
  db.updateTable("market_watch").set({ scanned_at: null, next_at: 0 }),
);

/** An account that was read before the restore, and not since. */
export const unscanned = prepared((db, p: { account: string; own: string }) =>
  db
    .selectFrom("market_watch")
    .select("account")
    .where((where) => where.or([where("account", "=", p.account), where("account", "=", p.own)]))
    .where("scanned_at", "is", null)
    .limit(1),
);
