import { type Kysely, sql } from "kysely";
import { prepared } from "../db/prepared.ts";
import type { Tables } from "../db/tables.ts";
import type { CoinKind } from "./rules.ts";

/** Entries of one kind before a ledger id, newest first; of one agent when given. */
export interface Which {
  readonly before_id: number;
  readonly limit: number;
  readonly agent_id?: string;
}

/** Their ledger ids: one index range in both shapes. What they say is joined to these few. */
function idsOf(db: Kysely<Tables>, kind: CoinKind, { before_id, limit, agent_id }: Which) {
  if (agent_id === undefined)
    return db
      .selectFrom("ledger_entry as e")
      .select(sql<number>`e.ledger_id`.as("ledger_id"))
      .where("e.kind", "=", kind)
      .where("e.ledger_id", "<", before_id)
      .orderBy("e.ledger_id", "desc")
      .limit(limit)
      .as("page");
  return db
    .selectFrom("coin_entry_agent as e")
    .select(sql<number>`e.ledger_id`.as("ledger_id"))
    .where("e.agent_id", "=", agent_id)
    .where("e.kind", "=", kind)
    .where("e.ledger_id", "<", before_id)
    .orderBy("e.ledger_id", "desc")
    .limit(limit)
    .as("page");
}

/**
 * The id of the object that an entry is about. Each query also says the kind of `e` itself: else
 * PostgreSQL may read all entries first, and there are refs that are no numbers.
 */
const OBJECT = sql<number>`cast(e.ref as bigint)`;

const entitlementEntries = (kind: "coin_reward" | "coin_expire") =>
  prepared((db, p: Which) =>
    db
      .selectFrom(idsOf(db, kind, p))
      .innerJoin("ledger_entry as e", "e.ledger_id", "page.ledger_id")
      .innerJoin("coin_entitlement as o", (join) => join.on("o.id", "=", OBJECT))
      .innerJoin("agent as a", "a.agent_id", "o.agent_id")
      .select(["page.ledger_id", "e.at", "e.ref", "a.agent_id", "a.handle"])
      .select(["o.amount", "o.why", "o.source", "o.state", "o.matures_at", "o.expires_at"])
      .where("e.kind", "=", kind)
      .orderBy("page.ledger_id", "desc"),
  );

export const rewardEntries = entitlementEntries("coin_reward");
export const expiryEntries = entitlementEntries("coin_expire");

export const claimEntries = prepared((db, p: Which) =>
  db
    .selectFrom(idsOf(db, "coin_claim", p))
    .innerJoin("ledger_entry as e", "e.ledger_id", "page.ledger_id")
    .innerJoin("coin_claim as o", (join) => join.on("o.id", "=", OBJECT))
    .innerJoin("agent as a", "a.agent_id", "o.agent_id")
    .select(["page.ledger_id", "e.at", "e.ref", "e.body", "a.agent_id", "a.handle", "o.amount"])
    .where("e.kind", "=", "coin_claim")
    .orderBy("page.ledger_id", "desc"),
);

export const transferEntries = prepared((db, p: Which) =>
  db
    .selectFrom(idsOf(db, "coin_transfer", p))
    .innerJoin("ledger_entry as e", "e.ledger_id", "page.ledger_id")
    .innerJoin("coin_transfer as o", (join) => join.on("o.id", "=", OBJECT))
    .innerJoin("agent as f", "f.agent_id", "o.from_agent")
    .innerJoin("agent as t", "t.agent_id", "o.to_agent")
    .select(["page.ledger_id", "e.at", "e.ref", "o.amount", "o.memo"])
    .select(["f.agent_id as from_agent", "f.handle as from_handle"])
    .select(["t.agent_id as to_agent", "t.handle as to_handle"])
    .where("e.kind", "=", "coin_transfer")
    .orderBy("page.ledger_id", "desc"),
);

export const transferById = prepared((db, p: { id: number }) =>
  db
    .selectFrom("coin_transfer as o")
    .innerJoin("agent as f", "f.agent_id", "o.from_agent")
    .innerJoin("agent as t", "t.agent_id", "o.to_agent")
    .select(["o.id", "o.amount", "o.memo", "o.created_at"])
    .select(["f.agent_id as from_agent", "f.handle as from_handle"])
    .select(["t.agent_id as to_agent", "t.handle as to_handle"])
    .where("o.id", "=", p.id),
);
