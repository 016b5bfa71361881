import { sql } from "kysely";
import { prepared } from "../db/prepared.ts";
import type { Seconds } from "../kernel/time.ts";

/**
 * The id of the first entry of that second or later, if there is one. Times rise with the ids, so
 * they are halved until one is left: no write keeps an index for a question this rare.
 */
export const firstIdAt = prepared((db, p: { since: Seconds }) =>
  db
    .withRecursive("halving(low, high)", (with_) =>
      with_
        .selectFrom("ledger_head")
        .select([sql<number>`cast(1 as bigint)`.as("low"), sql<number>`last_id + 1`.as("high")])
        .where("k", "=", 1)
        .unionAll((more) =>
          more
            .selectFrom("halving as h")
            .innerJoin("ledger_entry as e", (join) =>
              join.on("e.ledger_id", "=", sql<number>`(h.low + h.high) / 2`),
            )
            .select([
              sql<number>`case when e.at < ${p.since} then e.ledger_id + 1 else h.low end`.as(
                "low",
              ),
              sql<number>`case when e.at < ${p.since} then h.high else e.ledger_id end`.as("high"),
            ])
            .whereRef("h.low", "<", "h.high"),
        ),
    )
    .selectFrom("halving as h")
    .innerJoin("ledger_entry as e", "e.ledger_id", "h.low")
    .select("h.low as ledger_id")
    .whereRef("h.low", "=", "h.high"),
);

interface After {
  readonly after_id: number;
  readonly limit: number;
  readonly kind?: string | undefined;
  /** Adds what was hashed. */
  readonly sealed?: true | undefined;
}

export const entriesAfter = prepared((db, p: After) =>
  db
    .selectFrom("ledger_entry")
    .select(["ledger_id", "kind", "ref", "at", "body"])
    .$if(p.sealed !== undefined, (entries) => entries.select(["entry", "leaf"]))
    .where("ledger_id", ">", p.after_id)
    .$if(p.kind !== undefined, (entries) => entries.where("kind", "=", p.kind ?? ""))
    .orderBy("ledger_id")
    .limit(p.limit),
);

export const entryAt = prepared((db, p: { id: number }) =>
  db
    .selectFrom("ledger_entry")
    .select(["ledger_id", "kind", "ref", "at", "body", "entry", "leaf"])
    .where("ledger_id", "=", p.id),
);
