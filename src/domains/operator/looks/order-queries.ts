import type { Kysely } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import type { Tables } from "../../../platform/db/tables.ts";
import type { Role, State } from "../../market/rules.ts";
import type { Ids } from "./span-queries.ts";

const ordersSeen = (db: Kysely<Tables>) =>
  db
    .selectFrom("market_order as o")
    .innerJoin("agent as b", "b.id", "o.buyer")
    .innerJoin("agent as s", "s.id", "o.seller")
    .select([
      "o.id",
      "o.offer",
      "o.state",
      "o.state_since",
      "b.agent_id as buyer",
      "b.handle as buyer_handle",
      "s.agent_id as seller",
      "s.handle as seller_handle",
      "o.price_usd_micro",
      "o.escrow_raw",
      "o.created_at",
    ]);

interface Newest extends Ids {
  readonly state?: State | undefined;
  readonly limit: number;
}

/** Newest first. */
export const orders = prepared((db, p: Newest) =>
  ordersSeen(db)
    .$if(p.state !== undefined, (all) => all.where("o.state", "=", p.state ?? "paid"))
    .where("o.id", ">", p.after)
    .where("o.id", "<", p.before)
    .where("o.created_at", ">=", p.since)
    .where("o.created_at", "<", p.until)
    .orderBy("o.id", "desc")
    .limit(p.limit),
);

const ofParty = (role: Role) =>
  prepared((db, p: Newest & { readonly agent: number }) =>
    ordersSeen(db)
      .where(`o.${role}`, "=", p.agent)
      .$if(p.state !== undefined, (all) => all.where("o.state", "=", p.state ?? "paid"))
      .where("o.id", ">", p.after)
      .where("o.id", "<", p.before)
      .where("o.created_at", ">=", p.since)
      .where("o.created_at", "<", p.until)
      .orderBy("o.id", "desc")
      .limit(p.limit),
  );

/** Of one agent, newest first. */
export const ordersOf = { buyer: ofParty("buyer"), seller: ofParty("seller") };

export const orderById = prepared((db, p: { id: number }) =>
  ordersSeen(db)
    .select([
      "o.received_raw",
      "o.escrow_address",
      "o.refund_address",
      "o.expires_at",
      "o.paid_at",
      "o.deliver_by",
      "o.accept_by",
      "o.refund_at",
      "o.held_until",
    ])
    .where("o.id", "=", p.id),
);

export const steps = prepared((db, p: { order_id: number }) =>
  db
    .selectFrom("market_history")
    .select(["at", "kind", "ref"])
    .where("order_id", "=", p.order_id)
    .orderBy("id", "desc")
    .limit(100),
);

export const payments = prepared((db, p: { order_id: number }) =>
  db
    .selectFrom("market_payment")
    .select(["n", "at", "currency", "amount_raw", "from_account", "role", "txid"])
    .where("order_id", "=", p.order_id)
    .orderBy("n", "desc")
    .limit(100),
);

export const holds = prepared((db, p: { order_id: number }) =>
  db
    .selectFrom("market_hold")
    .select(["n", "at", "from_state", "reason", "outcome", "outcome_reason", "ended_by"])
    .select("resolved_at")
    .where("order_id", "=", p.order_id)
    .orderBy("n", "desc")
    .limit(100),
);

export const debts = prepared((db, p: { order_id: number }) =>
  db
    .selectFrom("market_refund")
    .select(["n", "at", "why", "amount_raw", "to_account", "sent_at", "txid"])
    .where("order_id", "=", p.order_id)
    .orderBy("n", "desc")
    .limit(100),
);
