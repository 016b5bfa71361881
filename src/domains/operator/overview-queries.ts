import { prepared } from "../../platform/db/prepared.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { State } from "../market/rules.ts";

/** Posts with open reports, and since when the oldest waits. */
export const openReports = prepared((db, _: Record<string, never>) =>
  db
    .selectFrom("report")
    .select(({ fn }) => [
      fn.count<number>("post").distinct().as("posts"),
      fn.min<number | null>("created_at").as("first_at"),
    ])
    .where("decided_at", "is", null),
);

/** Visible posts that the text check flagged since a time, among the newest flagged ones. */
export const flaggedSince = prepared((db, p: { since: number; limit: number }) =>
  db
    .selectFrom(
      db
        .selectFrom("post")
        .select("created_at")
        .where("flagged", "is not", null)
        .where("hidden_at", "is", null)
        .orderBy("id", "desc")
        .limit(p.limit)
        .as("f"),
    )
    .select(({ fn }) => fn.countAll<number>().as("posts"))
    .where("f.created_at", ">=", p.since),
);

/** Orders in one state, as many as are counted at most. */
export const ordersIn = prepared((db, p: { state: State; limit: number }) =>
  db
    .selectFrom(
      db
        .selectFrom("market_order")
        .select("id")
        .where("state", "=", p.state)
        .limit(p.limit)
        .as("o"),
    )
    .select(({ fn }) => fn.countAll<number>().as("orders")),
);

/** Orders that stand still by the operator's word, the longest first. */
export const heldOrders = prepared((db, p: { limit: number }) =>
  db
    .selectFrom("market_order as o")
    .innerJoin("market_hold as h", (join) =>
      join.onRef("h.order_id", "=", "o.id").onRef("h.n", "=", "o.holds"),
    )
    .select(["o.id", "h.from_state", "h.at", "h.reason", "o.held_until"])
    .where("o.state", "=", "held")
    .orderBy("o.held_until")
    .limit(p.limit),
);

interface Counted {
  readonly since: Seconds;
  readonly limit: number;
}

/** Agents behind an id that registered from a time on. */
export const agentsNewSince = prepared((db, p: Counted & { readonly after: number }) =>
  db
    .selectFrom(
      db
        .selectFrom("agent")
        .select("id")
        .where("id", ">", p.after)
        .where("created_at", ">=", p.since)
        .limit(p.limit)
        .as("a"),
    )
    .select(({ fn }) => fn.countAll<number>().as("n")),
);

/** Agents that were seen from a time on. */
export const agentsSeenSince = prepared((db, p: Counted) =>
  db
    .selectFrom(
      db
        .selectFrom("presence")
        .select("agent")
        .where("last_seen_at", ">=", p.since)
        .limit(p.limit)
        .as("a"),
    )
    .select(({ fn }) => fn.countAll<number>().as("n")),
);
