import { type Kysely, sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import type { Tables } from "../../../platform/db/tables.ts";
import type { Role, State } from "../rules.ts";

/** What an order shows beside its own row. */
export const orderSurroundings = prepared((db, p: { id: number }) =>
  db
    .selectFrom("market_order as o")
    .innerJoin("market_offer as f", "f.id", "o.offer")
    .innerJoin("agent as b", "b.id", "o.buyer")
    .innerJoin("agent as s", "s.id", "o.seller")
    .select(["f.title", "f.capability"])
    .select(["b.agent_id as buyer_id", "b.handle as buyer_handle"])
    .select(["s.agent_id as seller_id", "s.handle as seller_handle"])
    .where("o.id", "=", p.id),
);

/** An order's newest, the newest first: it may have any number of each. */
interface Newest {
  readonly order_id: number;
  readonly limit: number;
}

export const newestSteps = prepared((db, p: Newest) =>
  db
    .selectFrom("market_history")
    .select(["at", "kind", "ref"])
    .where("order_id", "=", p.order_id)
    .orderBy("id", "desc")
    .limit(p.limit),
);

export const newestPayments = prepared((db, p: Newest) =>
  db
    .selectFrom("market_payment")
    .selectAll()
    .where("order_id", "=", p.order_id)
    .orderBy("n", "desc")
    .limit(p.limit),
);

export const newestRefunds = prepared((db, p: Newest) =>
  db
    .selectFrom("market_refund")
    .selectAll()
    .where("order_id", "=", p.order_id)
    .orderBy("n", "desc")
    .limit(p.limit),
);

/** What all of an order's steps, payments and refunds say together. */
export const orderSums = prepared((db, p: { order_id: number }) =>
  db.selectNoFrom((select) => [
    select
      .selectFrom("market_history")
      .select(({ fn }) => fn.countAll<number>().as("n"))
      .where("order_id", "=", p.order_id)
      .as("steps"),
    select
      .selectFrom("market_payment")
      .select(({ fn }) => fn.min("checked").as("checked"))
      .where("order_id", "=", p.order_id)
      .as("checked"),
    select
      .selectFrom("market_payment")
      .select("currency")
      .where("order_id", "=", p.order_id)
      .where("currency", "<>", "xno")
      .orderBy("n")
      .limit(1)
      .as("currency"),
    select
      .selectFrom("market_refund")
      .select(({ fn }) => fn.min("at").as("at"))
      .where("order_id", "=", p.order_id)
      .where("txid", "is", null)
      .as("owed_since"),
  ]),
);

export const deliveriesOf = prepared((db, p: { order_id: number }) =>
  db.selectFrom("market_delivery").selectAll().where("order_id", "=", p.order_id).orderBy("n"),
);

const listed = (db: Kysely<Tables>, role: Role, agent: number) =>
  db
    .selectFrom("market_order as o")
    .innerJoin("market_offer as f", "f.id", "o.offer")
    .leftJoin("market_hold as h", (join) =>
      join.onRef("h.order_id", "=", "o.id").onRef("h.n", "=", "o.holds"),
    )
    .select(["o.id", "o.escrow_address", "o.state", "o.price_usd_micro", "o.received_raw"])
    .select([
      "o.expires_at",
      "o.refund_at",
      "o.accept_by",
      "o.held_until",
      "o.deliveries",
      "o.disputed",
      "h.salt",
      "f.title",
    ])
    .select(sql.lit(role).as("role"))
    .where(`o.${role}`, "=", agent);

/** Of one party, newest first. */
const newest = (role: Role) =>
  prepared((db, p: { agent: number; before_id: number; limit: number }) =>
    listed(db, role, p.agent)
      .where("o.id", "<", p.before_id)
      .orderBy("o.id", "desc")
      .limit(p.limit),
  );

/** The states in which a party may have something to do. */
const [FIRST, ...OTHERS] = [
  ["buyer", "awaiting_payment"],
  ["buyer", "delivered"],
  ["buyer", "held"],
  ["seller", "paid"],
  ["seller", "delivered"],
  ["seller", "held"],
  ["seller", "released"],
] as const satisfies readonly (readonly [Role, State])[];

/** Of one agent, the oldest of each state in which a party may have something to do. */
export const waitingOrders = prepared((db, p: { agent: number; limit: number }) => {
  const oldest = ([role, state]: readonly [Role, State]) =>
    db
      .selectFrom(
        listed(db, role, p.agent)
          .where("o.state", "=", sql.lit(state))
          .orderBy("o.id")
          .limit(p.limit)
          .as("w"),
      )
      .selectAll();
  return OTHERS.reduce((all, one) => all.unionAll(oldest(one)), oldest(FIRST));
});

export const newestOrders = { buyer: newest("buyer"), seller: newest("seller") };
