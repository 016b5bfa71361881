import { type Kysely, sql } from "kysely";
import { prepared } from "../../../platform/db/prepared.ts";
import type { Tables } from "../../../platform/db/tables.ts";
import { named, placesOf } from "../../../platform/ledger/entry-queries.ts";
import type { CoinKind, RequestKind } from "../rules.ts";

/** Entries of one kind before a ledger id, newest first; of one agent when given. */
export interface Which {
  readonly before_id: number;
  readonly limit: number;
  readonly agent_id?: string;
}

/** The id of the object that an entry is about. */
const OBJECT = sql<number>`cast(e.ref as bigint)`;

/** The entries of a page: one index range in both shapes. What they say is joined to these few. */
function pageOf(db: Kysely<Tables>, kind: CoinKind, { before_id, limit, agent_id }: Which) {
  const own = placesOf(db, kind)
    .where("e.ledger_id", "<", before_id)
    .orderBy("e.ledger_id", "desc")
    .limit(limit);
  if (agent_id === undefined) return own.as("e");
  const ids = db
    .selectFrom("coin_entry_agent as c")
    .select("c.ledger_id")
    .where("c.agent_id", "=", agent_id)
    .where("c.kind", "=", kind)
    .where("c.ledger_id", "<", before_id)
    .orderBy("c.ledger_id", "desc")
    .limit(limit);
  return db
    .selectFrom(ids.as("page"))
    .innerJoin(named(db, kind).as("p"), "p.ledger_id", "page.ledger_id")
    .select(["p.ledger_id", "p.at", "p.kind", "p.ref"])
    .as("e");
}

/**
 * The same of a kind of which only some entries move coins: those, from an index of them. The engines match it with
 * its condition as it stands, so the kind is no parameter.
 */
function movesOf(db: Kysely<Tables>, kind: RequestKind, { before_id, limit, agent_id }: Which) {
  const all = db
    .selectFrom("coin_entry_agent as c")
    .select("c.ledger_id")
    .distinct()
    .where("c.kind", "=", sql.lit(kind))
    .where("c.ledger_id", "<", before_id)
    .orderBy("c.ledger_id", "desc")
    .limit(limit);
  const ids = agent_id === undefined ? all : all.where("c.agent_id", "=", agent_id);
  return db
    .selectFrom(ids.as("page"))
    .innerJoin(named(db, kind).as("p"), "p.ledger_id", "page.ledger_id")
    .select(["p.ledger_id", "p.at", "p.kind", "p.ref"])
    .as("e");
}

const movesOfRewards = (kind: RequestKind) =>
  prepared((db, p: Which) =>
    db
      .selectFrom(movesOf(db, kind, p))
      .innerJoin("request as o", (join) => join.on("o.id", "=", OBJECT))
      .innerJoin("agent as a", "a.id", "o.agent")
      .leftJoin("request_answer as w", (join) =>
        join.onRef("w.id", "=", "o.answered_by").on("o.status", "=", "answered"),
      )
      .leftJoin("agent as t", "t.id", "w.agent")
      .select(["e.ledger_id", "e.at", "e.ref", "o.id as request_id", "o.reward as amount"])
      .select(["a.agent_id", "a.handle", "t.agent_id as to_agent", "t.handle as to_handle"])
      .orderBy("e.ledger_id", "desc"),
  );

export const rewardMoves: Readonly<Record<RequestKind, ReturnType<typeof movesOfRewards>>> = {
  request: movesOfRewards("request"),
  request_accepted: movesOfRewards("request_accepted"),
  request_closed: movesOfRewards("request_closed"),
  request_withdrawn: movesOfRewards("request_withdrawn"),
};

const entitlementEntries = (kind: "coin_reward" | "coin_expire") =>
  prepared((db, p: Which) =>
    db
      .selectFrom(pageOf(db, kind, p))
      .innerJoin("coin_entitlement as o", (join) => join.on("o.id", "=", OBJECT))
      .innerJoin("agent as a", "a.agent_id", "o.agent_id")
      .select(["e.ledger_id", "e.at", "e.ref", "a.agent_id", "a.handle"])
      .select(["o.amount", "o.why", "o.source", "o.state", "o.matures_at", "o.expires_at"])
      .orderBy("e.ledger_id", "desc"),
  );

export const rewardEntries = entitlementEntries("coin_reward");
export const expiryEntries = entitlementEntries("coin_expire");

export const claimEntries = prepared((db, p: Which) =>
  db
    .selectFrom(pageOf(db, "coin_claim", p))
    .innerJoin("coin_claim as o", (join) => join.on("o.id", "=", OBJECT))
    .innerJoin("agent as a", "a.agent_id", "o.agent_id")
    .select(["e.ledger_id", "e.at", "e.ref", "a.agent_id", "a.handle", "o.amount"])
    .orderBy("e.ledger_id", "desc"),
);

export const transferEntries = prepared((db, p: Which) =>
  db
    .selectFrom(pageOf(db, "coin_transfer", p))
    .innerJoin("coin_transfer as o", (join) => join.on("o.id", "=", OBJECT))
    .innerJoin("agent as f", "f.agent_id", "o.from_agent")
    .innerJoin("agent as t", "t.agent_id", "o.to_agent")
    .select(["e.ledger_id", "e.at", "e.ref", "o.amount", "o.memo"])
    .select(["f.agent_id as from_agent", "f.handle as from_handle"])
    .select(["t.agent_id as to_agent", "t.handle as to_handle"])
    .orderBy("e.ledger_id", "desc"),
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
