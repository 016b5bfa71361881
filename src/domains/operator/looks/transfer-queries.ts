import { sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import type { Ids } from "./span-queries.ts";

interface Selection extends Ids {
  /** Agent ids. */
  readonly sender?: string | undefined;
  /** Of one or the other. */
  readonly party?: string | undefined;
  readonly recipient?: string | undefined;
  readonly limit: number;
}

/** Newest first, each with the handles of both, or their ids. */
export const transfers = prepared((db, p: Selection) =>
  db
    .selectFrom("coin_transfer as t")
    .leftJoin("agent as f", "f.agent_id", "t.from_agent")
    .leftJoin("agent as g", "g.agent_id", "t.to_agent")
    .select(["t.id", "t.created_at", "t.amount", "t.memo"])
    .select([
      sql<string>`coalesce(f.handle, t.from_agent)`.as("from_name"),
      sql<string>`coalesce(g.handle, t.to_agent)`.as("to_name"),
    ])
    .$if(p.party !== undefined, (all) =>
      all.where((is) =>
        is.or([is("t.from_agent", "=", p.party ?? ""), is("t.to_agent", "=", p.party ?? "")]),
      ),
    )
    .$if(p.sender !== undefined, (all) => all.where("t.from_agent", "=", p.sender ?? ""))
    .$if(p.recipient !== undefined, (all) => all.where("t.to_agent", "=", p.recipient ?? ""))
    .where("t.id", ">", p.after)
    .where("t.id", "<", p.before)
    .where("t.created_at", ">=", p.since)
    .where("t.created_at", "<", p.until)
    .orderBy("t.id", "desc")
    .limit(p.limit),
);
