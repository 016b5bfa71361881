import { sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import { DISPUTE_ORDERS_MAX, type Role } from "../rules.ts";

/** How the disputes of an agent's newest orders on one side have ended; null where one is open. */
const endsFor = (role: Role) =>
  prepared((db, p: { agent: number }) =>
    db
      .selectFrom(
        db
          .selectFrom("market_order")
          .select(["id", "disputed"])
          .where(role, "=", p.agent)
          .orderBy("id", "desc")
          .limit(sql.lit(DISPUTE_ORDERS_MAX))
          .as("o"),
      )
      .innerJoin("market_hold as h", "h.order_id", "o.id")
      .select("h.outcome")
      .select((of) => of.fn.countAll<number>().as("n"))
      .where("o.disputed", "=", 1)
      .where("h.salt", "is not", null)
      .groupBy("h.outcome"),
  );

export const disputeEnds = { buyer: endsFor("buyer"), seller: endsFor("seller") };
