import { type Kysely, sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import type { Tables } from "../../../platform/db/tables.ts";
import { places, placesOf } from "../../../platform/ledger/entry-queries.ts";
import type { Ids } from "./span-queries.ts";

interface Selection extends Ids {
  readonly kind?: string | undefined;
  /** Entries that move coins of this agent. */
  readonly agent_id?: string | undefined;
  readonly limit: number;
}

const chosen = (db: Kysely<Tables>, { kind }: Selection) =>
  kind === undefined ? places(db) : placesOf(db, kind);

/** The ids of entries, newest first. */
export const entryIds = prepared((db, p: Selection) => {
  if (p.agent_id === undefined)
    return chosen(db, p)
      .clearSelect()
      .select("e.ledger_id")
      .where("e.ledger_id", ">", p.after)
      .where("e.ledger_id", "<", p.before)
      .where(sql<number>`e.at + 0`, ">=", p.since)
      .where(sql<number>`e.at + 0`, "<", p.until)
      .orderBy("e.ledger_id", "desc")
      .limit(p.limit);
  const own = db
    .selectFrom("coin_entry_agent as c")
    .select("c.ledger_id")
    .distinct()
    .where("c.agent_id", "=", p.agent_id)
    .$if(p.kind !== undefined, (all) => all.where("c.kind", "=", p.kind ?? ""))
    .where("c.ledger_id", ">", p.after)
    .where("c.ledger_id", "<", p.before);
  return db
    .selectFrom(own.as("c"))
    .innerJoin(places(db).as("e"), "e.ledger_id", "c.ledger_id")
    .select("e.ledger_id")
    .where(sql<number>`e.at + 0`, ">=", p.since)
    .where(sql<number>`e.at + 0`, "<", p.until)
    .orderBy("c.ledger_id", "desc")
    .limit(p.limit);
});
