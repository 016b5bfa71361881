import { prepared } from "../../platform/db/prepared.ts";
import type { Seconds } from "../../platform/kernel/time.ts";

/** Walks an index of everybody who was here since then. */
export const agentsSeenSince = prepared((db, p: { from: Seconds }) =>
  db
    .selectFrom("presence")
    .select((select) => select.fn.countAll<number>().as("agents"))
    .where("last_seen_at", ">=", p.from),
);

export const heads = prepared((db, _: Record<string, never>) =>
  db
    .selectFrom("ledger_head as l")
    .innerJoin("seal_head as s", "s.k", "l.k")
    .select(["l.last_id", "s.last_seq"])
    .where("l.k", "=", 1),
);
