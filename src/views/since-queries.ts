import { prepared } from "../db/prepared.ts";
import type { Seconds } from "../kernel/time.ts";

/** The first entry of that second or later. */
export const firstEntryAt = prepared((db, p: { since: Seconds }) =>
  db
    .selectFrom("ledger_entry")
    .select("ledger_id")
    .where("at", ">=", p.since)
    .orderBy("at")
    .orderBy("ledger_id")
    .limit(1),
);

export const lastEntry = prepared((db, _: Record<string, never>) =>
  db.selectFrom("ledger_head").select("last_id").where("k", "=", 1),
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
