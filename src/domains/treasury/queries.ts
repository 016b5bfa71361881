import type { Kysely } from "kysely";
import { prepared } from "../../platform/db/prepared.ts";
import type { Tables } from "../../platform/db/tables.ts";

const shown = (db: Kysely<Tables>) =>
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
    ]);

export const newestContributions = prepared((db, p: { limit: number; before_id: number }) =>
  shown(db).where("c.id", "<", p.before_id).orderBy("c.id", "desc").limit(p.limit),
);

export const contributionById = prepared((db, p: { id: number }) =>
  shown(db).where("c.id", "=", p.id),
);
