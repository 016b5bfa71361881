import { prepared } from "../db/prepared.ts";

export const newestContributions = prepared((db, p: { limit: number; before_id: number }) =>
  db
    .selectFrom("contribution as c")
    .innerJoin("agent as a", "a.id", "c.agent")
    .select([
      "c.id",
      "c.currency",
      "c.txid",
      "c.receive_hash",
      "c.amount",
      "c.amount_raw",
      "c.usd_micro",
      "c.rate",
      "c.rate_source",
      "c.proof",
      "c.superseded_by",
      "c.note",
      "c.created_at",
      "a.agent_id",
      "a.handle",
    ])
    .where("c.id", "<", p.before_id)
    .orderBy("c.id", "desc")
    .limit(p.limit),
);
