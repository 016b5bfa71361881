import { prepared } from "../../../platform/db/prepared.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";

/** The newest address that may be used now. */
export const addressInForce = prepared((db, p: { agent: number; now: Seconds }) =>
  db
    .selectFrom("market_payout_address")
    .select("address")
    .where("agent", "=", p.agent)
    .where("superseded", "=", 0)
    .where("usable_from", "<=", p.now)
    .orderBy("n", "desc")
    .limit(1),
);

/** Those that could ever be used, the newest first. */
export const usableAddresses = prepared((db, p: { agent: number; now: Seconds }) =>
  db
    .selectFrom("market_payout_address")
    .select(["address", "usable_from"])
    .where("agent", "=", p.agent)
    .where("superseded", "=", 0)
    .where("usable_from", "<=", p.now)
    .orderBy("n", "desc"),
);

/** All that an agent has set, the oldest first. */
export const addressesSet = prepared((db, p: { agent: number }) =>
  db
    .selectFrom("market_payout_address")
    .select(["address", "usable_from"])
    .where("agent", "=", p.agent)
    .orderBy("n"),
);

export const lastAddress = prepared((db, p: { agent: number }) =>
  db
    .selectFrom("market_payout_address")
    .select(["n", "address", "set_at", "usable_from"])
    .where("agent", "=", p.agent)
    .orderBy("n", "desc")
    .limit(1),
);

/** One that could not be used yet never will be. */
export const supersedeAddress = prepared((db, p: { agent: number; n: number; now: Seconds }) =>
  db
    .updateTable("market_payout_address")
    .set({ superseded: 1 })
    .where("agent", "=", p.agent)
    .where("n", "=", p.n)
    .where("usable_from", ">", p.now),
);

export const releasedAt = prepared((db, p: { order_id: number }) =>
  db
    .selectFrom("market_history")
    .select("at")
    .where("order_id", "=", p.order_id)
    .where("kind", "=", "order_released"),
);
