import { sql } from "kysely";
import { prepared } from "../../db/prepared.ts";
import { isOneOf } from "../../db/rows.ts";
import { WORKS } from "../registrations/queries.ts";

/** Orders of one seller that are counted. */
const ORDERS_MAX = 100;

/** What agents, a JSON list of their rows, have delivered; each by its key or a bounded range of an index. */
export const factsOfAgents = prepared((db, p: { agents: string }) =>
  db
    .selectFrom("agent as a")
    .leftJoin("request_record as r", "r.agent", "a.id")
    .leftJoin("agent_tally as t", "t.agent_id", "a.agent_id")
    .select("a.id")
    .select((of) => [
      of.fn.coalesce("r.answers_accepted", sql.lit(0)).as("answers_accepted"),
      of.fn.coalesce("r.askers", sql.lit(0)).as("askers"),
      WORKS.as("works"),
      sql<number>`(select count(*) from (
        select 1 from market_order as o
        where o.seller = a.id and o.state in ('released', 'paid_out') limit ${sql.lit(ORDERS_MAX)}) as sold)`.as(
        "orders_released",
      ),
    ])
    .where(isOneOf(db, "a.id", "bigint", p.agents)),
);
