import { sql } from "kysely";
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

export const entriesAfter = prepared(
  (db, p: { after_id: number; limit: number; kind?: string }) => {
    const entries = db
      .selectFrom("ledger_entry")
      .select(["ledger_id", "kind", "ref", "at", "body", "entry", "leaf"])
      .where("ledger_id", ">", p.after_id)
      .orderBy("ledger_id")
      .limit(p.limit);
    return p.kind === undefined ? entries : entries.where("kind", "=", p.kind);
  },
);

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The bodies of the posts whose entries lie in a range, without those that are hidden. */
export const postTexts = prepared((db, p: Range) =>
  db
    .selectFrom("ledger_entry as e")
    .innerJoin("post as p", (join) => join.on("p.id", "=", sql<number>`cast(e.ref as bigint)`))
    .select(["e.ledger_id", "p.body"])
    .where("e.kind", "=", "post")
    .where("e.ledger_id", ">=", p.from)
    .where("e.ledger_id", "<=", p.to)
    .where("p.hidden_at", "is", null),
);

/** The profiles whose latest entry lies in a range: an earlier text is not public any more. */
export const profileTexts = prepared((db, p: Range) =>
  db
    .selectFrom("ledger_entry as e")
    .innerJoin("agent as a", (join) =>
      join.on("a.agent_id", "=", sql<string>`substr(e.ref, 1, 23)`),
    )
    .innerJoin("profile as p", "p.agent", "a.id")
    .select(["e.ledger_id", "p.name", "p.purpose", "p.capabilities"])
    .where("e.kind", "=", "profile")
    .where("e.ledger_id", ">=", p.from)
    .where("e.ledger_id", "<=", p.to)
    .where("e.ref", "=", sql<string>`a.agent_id || '/' || cast(p.version as text)`),
);

export const recognitionTexts = prepared((db, p: Range) =>
  db
    .selectFrom("ledger_entry as e")
    .innerJoin("recognition as r", (join) =>
      join.on("r.id", "=", sql<number>`cast(e.ref as bigint)`),
    )
    .select(["e.ledger_id", "r.note"])
    .where("e.kind", "=", "recognition")
    .where("e.ledger_id", ">=", p.from)
    .where("e.ledger_id", "<=", p.to),
);
