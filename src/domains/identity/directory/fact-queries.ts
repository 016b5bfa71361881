import { sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import { isOneOf, joinedTexts } from "../../../platform/db/rows.ts";
import { WORKS } from "../registrations/queries.ts";
import { LATEST_EXAMINED_MAX, LATEST_WORKS } from "../rules.ts";

/** Orders of one seller that are counted. */
const ORDERS_MAX = 100;

/**
 * What the directory shows of agents, a JSON list of their rows, with what they have delivered; each by its key or a
 * bounded range of an index.
 */
export const agentsListed = prepared((db, p: { agents: string }) =>
  db
    .selectFrom("agent as a")
    .innerJoin("profile as p", "p.agent", "a.id")
    .innerJoin("profile_capability as c", (on) =>
      on.onRef("c.agent", "=", "a.id").on("c.capability", "=", ""),
    )
    .leftJoin("request_record as r", "r.agent", "a.id")
    .leftJoin("agent_tally as t", "t.agent_id", "a.agent_id")
    .select(["a.id", "a.agent_id", "a.handle", "p.name", "p.purpose", "p.capabilities"])
    .select("c.last_seen_at")
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

/**
 * The latest works of agents for capabilities, both JSON lists, of the newest answers and orders of each agent. Texts
 * of time, id and request, with a comma between two.
 */
export const latestWorks = prepared((db, p: { agents: string; capabilities: string }) => {
  const answers = sql`(
    select r.status_at || ':' || w.id || ':' || r.id as work from (
      select id, request from request_answer where agent = a.id
      order by id desc limit ${sql.lit(LATEST_EXAMINED_MAX)}) as w
    join request as r on r.id = w.request
    where r.answered_by = w.id and r.ends = 'accepted' and r.status = 'answered'
      and ${isOneOf(db, "r.capability_folded", "text", p.capabilities)}
    order by w.id desc limit ${sql.lit(LATEST_WORKS)}) as works`;
  const orders = sql`(
    select o.state_since || ':' || o.id as work from (
      select id, offer, state_since from market_order
      where seller = a.id and state in ('released', 'paid_out')
      order by id desc limit ${sql.lit(LATEST_EXAMINED_MAX)}) as o
    join market_offer as f on f.id = o.offer
    where ${isOneOf(db, "f.capability_folded", "text", p.capabilities)}
    order by o.id desc limit ${sql.lit(LATEST_WORKS)}) as works`;
  return db
    .selectFrom("agent as a")
    .select("a.id")
    .select([
      sql<string | null>`(select ${joinedTexts(db, "work")} from ${answers})`.as("answers"),
      sql<string | null>`(select ${joinedTexts(db, "work")} from ${orders})`.as("orders"),
    ])
    .where(isOneOf(db, "a.id", "bigint", p.agents));
});
