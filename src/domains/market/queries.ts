import { type Selectable, sql } from "kysely";
import { insertNumbered, prepared } from "../../platform/db/prepared.ts";
import { TWINS_LOOKED_AT } from "../../platform/kernel/contract/retry-fields.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { OrderKind, State } from "./rules.ts";
import type { MarketOrderTable } from "./tables.ts";

/** An order as it is stored. */
export type OrderRow = Readonly<Selectable<MarketOrderTable>>;

type NewOrder = Pick<
  OrderRow,
  | "offer"
  | "buyer"
  | "seller"
  | "price_usd_micro"
  | "sla_hours"
  | "base_raw"
  | "rate_e8"
  | "rate_source"
  | "escrow_address"
  | "refund_address"
  | "expires_at"
  | "client_ref"
  | "created_at"
>;

/** The newest order of the same offer, among its buyer's last ones. */
export const twinOfOrder = prepared(
  (db, p: { buyer: number; offer: number; since: Seconds; before_id: number }) =>
    db
      .selectFrom(
        db
          .selectFrom("market_order")
          .select(["id", "offer", "created_at"])
          .where("buyer", "=", p.buyer)
          .where("id", "<", p.before_id)
          .orderBy("id", "desc")
          .limit(TWINS_LOOKED_AT)
          .as("o"),
      )
      .select(["o.id", "o.created_at"])
      .where("o.offer", "=", p.offer)
      .where("o.created_at", ">=", p.since)
      .orderBy("o.id", "desc")
      .limit(1),
);

export const insertOrder = insertNumbered(
  "market_order",
  (p: NewOrder & { readonly id?: number | undefined }) => ({
    ...p,
    due_raw: "", // Its tag is made of the id.
    state: "awaiting_payment",
    state_since: p.created_at,
    received_raw: "0",
    escrow_raw: "0",
    payments: 0,
    deliveries: 0,
    refunds: 0,
    holds: 0,
  }),
);

export const setDue = prepared((db, { id, ...set }: { id: number; due_raw: string }) =>
  db.updateTable("market_order").set(set).where("id", "=", id),
);

/** Orders that wait for payment and that an account has paid a part of; two are enough to know none. */
export const ordersPaidFrom = prepared((db, p: { from_account: string }) =>
  db
    .selectFrom("market_order")
    .selectAll()
    .where(IN.awaiting)
    .where("id", "in", (paid) =>
      paid
        .selectFrom("market_payment")
        .select("order_id")
        .where("from_account", "=", p.from_account),
    )
    .limit(2),
);

/** Of one buyer, as many as may be and not more. */
export const unpaidOrders = prepared((db, p: { buyer: number; limit: number }) =>
  db
    .selectFrom("market_order")
    .select("id")
    .where("buyer", "=", p.buyer)
    .where("state", "=", "awaiting_payment")
    .limit(p.limit),
);

export const orderById = prepared((db, p: { id: number }) =>
  db.selectFrom("market_order").selectAll().where("id", "=", p.id),
);

/** The order and its lock: until the write ends nobody else moves it. */
export const lockOrder = prepared((db, p: { id: number }) =>
  db.selectFrom("market_order").selectAll().where("id", "=", p.id).forUpdate(),
);

/** What a move sets beside the state. */
type Moved = Partial<
  Pick<
    OrderRow,
    | "state"
    | "state_since"
    | "received_raw"
    | "escrow_raw"
    | "paid_at"
    | "deliver_by"
    | "refund_at"
    | "accept_by"
    | "held_until"
    | "payments"
    | "deliveries"
    | "refunds"
    | "holds"
    | "disputed"
  >
>;

/** Every change of an order. It changes no row when the order is not in the state `from`. */
export const moveOrder = prepared((db, { id, from, ...set }: { id: number; from: State } & Moved) =>
  db.updateTable("market_order").set(set).where("id", "=", id).where("state", "=", from),
);
export type { Moved };

export const agentName = prepared((db, p: { id: number }) =>
  db.selectFrom("agent").select("agent_id").where("id", "=", p.id),
);

/** The names of an order's entries of one kind. */
export const refsOf = prepared((db, p: { order_id: number; kind: OrderKind }) =>
  db
    .selectFrom("market_history")
    .select("ref")
    .where("order_id", "=", p.order_id)
    .where("kind", "=", p.kind),
);

export const paymentsOf = prepared((db, p: { order_id: number }) =>
  db.selectFrom("market_payment").selectAll().where("order_id", "=", p.order_id).orderBy("n"),
);

export const refundsOf = prepared((db, p: { order_id: number }) =>
  db.selectFrom("market_refund").selectAll().where("order_id", "=", p.order_id).orderBy("n"),
);

export const payoutsOf = prepared((db, p: { order_id: number }) =>
  db.selectFrom("market_payout").selectAll().where("order_id", "=", p.order_id).orderBy("n"),
);

/** The newest, which is the one that counts. */
export const payoutOf = prepared((db, p: { order_id: number }) =>
  db
    .selectFrom("market_payout")
    .selectAll()
    .where("order_id", "=", p.order_id)
    .orderBy("n", "desc")
    .limit(1),
);

export const holdOf = prepared((db, p: { order_id: number; n: number }) =>
  db.selectFrom("market_hold").selectAll().where("order_id", "=", p.order_id).where("n", "=", p.n),
);

export const watched = prepared((db, p: { account: string }) =>
  db.selectFrom("market_watch").selectAll().where("account", "=", p.account),
);

/** Also ends the pause of an account that no invoice has named for long. */
export const noteInvoice = prepared((db, p: { account: string; at: Seconds }) =>
  db
    .updateTable("market_watch")
    .set({ invoiced_at: p.at, next_at: p.at })
    .where("account", "=", p.account)
    .where("invoiced_at", "<", p.at),
);

/** All accounts that an invoice ever named; the operator changes the account by hand, so they are few. */
export const watches = prepared((db, _: Record<string, never>) =>
  db.selectFrom("market_watch").selectAll().orderBy("account"),
);

/** The partial indexes are only for queries that name the state in words. */
const IN = {
  awaiting: sql<boolean>`state = 'awaiting_payment'`,
  paid: sql<boolean>`state = 'paid'`,
  delivered: sql<boolean>`state = 'delivered'`,
  held: sql<boolean>`state = 'held'`,
};

export const undelivered = prepared((db, p: { now: Seconds; limit: number }) =>
  db
    .selectFrom("market_order")
    .select("id")
    .where(IN.paid)
    .where("refund_at", "<=", p.now)
    .orderBy("refund_at")
    .limit(p.limit),
);

export const unaccepted = prepared((db, p: { now: Seconds; limit: number }) =>
  db
    .selectFrom("market_order")
    .select("id")
    .where(IN.delivered)
    .where("accept_by", "<=", p.now)
    .orderBy("accept_by")
    .limit(p.limit),
);

export const overheld = prepared((db, p: { now: Seconds; limit: number }) =>
  db
    .selectFrom("market_order")
    .select("id")
    .where(IN.held)
    .where("held_until", "<=", p.now)
    .orderBy("held_until")
    .limit(p.limit),
);

/** Invoices to one account that ended before a time. */
export const unpaid = prepared(
  (
    db,
    p: {
      account: string;
      before: Seconds;
      named_after: Seconds;
      untold_after: Seconds;
      limit: number;
    },
  ) =>
    db
      .selectFrom("market_order")
      .select("id")
      .where(IN.awaiting)
      .where("escrow_address", "=", p.account)
      .where("expires_at", "<", p.before)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("market_doubt")
              .select("hash")
              .where(sql<boolean>`state = 'open'`)
              .where("why", "<>", "too_many")
              .whereRef("order_id", "=", "market_order.id")
              .where("first_seen_at", ">", p.named_after)
              .where((where) =>
                where.or([where("untold", "=", 0), where("first_seen_at", ">", p.untold_after)]),
              ),
          ),
        ),
      )
      .orderBy("expires_at")
      .limit(p.limit),
);
