import { sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import type { Seconds } from "../../../platform/kernel/time.ts";

type None = Record<string, never>;

/** How many there are, and since when the oldest: the partial indexes name what is open in words. */
interface Oldest {
  readonly n: number;
  readonly since: Seconds | null;
}

const ordersIn = (state: "held" | "released") =>
  prepared((db, _: None) =>
    db
      .selectFrom("market_order")
      .select((select) => [
        select.fn.countAll<number>().as("n"),
        select.fn.min<Seconds | null>("state_since").as("since"),
      ])
      .where(sql<boolean>`state = ${sql.lit(state)}`)
      .$castTo<Oldest>(),
  );

export const heldOrders = ordersIn("held");
export const releasedOrders = ordersIn("released");

export const openRefunds = prepared((db, _: None) =>
  db
    .selectFrom("market_refund")
    .select((select) => [
      select.fn.countAll<number>().as("n"),
      select.fn.min<Seconds | null>("at").as("since"),
    ])
    .where("txid", "is", null)
    .$castTo<Oldest>(),
);

export const unmatchedPayments = prepared((db, _: None) =>
  db
    .selectFrom("market_unmatched")
    .select((select) => [
      select.fn.countAll<number>().as("n"),
      select.fn.min<Seconds | null>("first_seen_at").as("since"),
    ])
    .where("order_id", "is", null)
    .where("sent_at", "is", null)
    .$castTo<Oldest>(),
);

export const openDoubts = prepared((db, _: None) =>
  db
    .selectFrom("market_doubt")
    .select((select) => [
      select.fn.countAll<number>().as("n"),
      select.fn.min<Seconds | null>("first_seen_at").as("since"),
    ])
    .where(sql<boolean>`state = 'open'`)
    .$castTo<Oldest>(),
);

/** Settlements that rest on the operator's word alone: still asked about, or never answered. */
export const uncheckedSends = prepared((db, _: None) =>
  db
    .selectFrom("market_recheck")
    .select((select) => [
      select.fn.countAll<number>().as("n"),
      select.fn.min<Seconds | null>("recorded_at").as("since"),
    ])
    .where((where) => where.or([where("found", "is", null), where("found", "=", "silence")]))
    .$castTo<Oldest>(),
);
