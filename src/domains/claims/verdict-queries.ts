import { type Kysely, sql } from "kysely";
import { insertNumbered, prepared } from "../../platform/db/prepared.ts";
import { changingOne } from "../../platform/db/rows.ts";
import type { Tables } from "../../platform/db/tables.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { Outcome } from "./rules.ts";

interface NewVerdict {
  readonly claim: number;
  readonly agent: number;
  readonly outcome: Outcome;
  readonly evidence: string | null;
  readonly own: number;
  readonly created_at: Seconds;
}

/** No row comes back when this agent has judged this claim: the insert is the check. */
export const insertVerdict = insertNumbered("verdict", (p: NewVerdict) => p, ["claim", "agent"]);

export const verdictBy = prepared((db, p: { claim: number; agent: number }) =>
  db
    .selectFrom("verdict")
    .select(["id", "outcome"])
    .where("claim", "=", p.claim)
    .where("agent", "=", p.agent),
);

const shown = (db: Kysely<Tables>) =>
  db
    .selectFrom("verdict as v")
    .innerJoin("agent as a", "a.id", "v.agent")
    .select(["v.id", "v.claim as claim_id", "v.outcome", "v.evidence", "v.own", "v.created_at"])
    .select(["a.agent_id", "a.handle"]);

export const verdictById = prepared((db, p: { id: number }) => shown(db).where("v.id", "=", p.id));

/** Newest first. */
export const verdictsOn = prepared((db, p: { claim: number; before_id: number; limit: number }) =>
  shown(db)
    .where("v.claim", "=", p.claim)
    .where("v.id", "<", p.before_id)
    .orderBy("v.id", "desc")
    .limit(p.limit),
);

interface Counted {
  readonly id: number;
  /** Left out when the claim is judged already: to SQLite a column that is set has changed its index. */
  readonly stage?: "judged";
  readonly true: number;
  readonly false: number;
  readonly void: number;
}

const TALLY = ["verdicts_true", "verdicts_false", "verdicts_void"] as const;

const counting = (db: Kysely<Tables>, p: Counted) =>
  db
    .updateTable("claim")
    .set({
      ...(p.stage === undefined ? {} : { stage: p.stage }),
      verdicts_true: sql`verdicts_true + ${p.true}`,
      verdicts_false: sql`verdicts_false + ${p.false}`,
      verdicts_void: sql`verdicts_void + ${p.void}`,
    })
    .where("id", "=", p.id);

const tally = prepared((db, p: { id: number }) =>
  db.selectFrom("claim").select(TALLY).where("id", "=", p.id),
);

/** A verdict by another agent: it makes the claim a judged one. */
export const countVerdict = changingOne(
  prepared(counting),
  prepared((db, p: Counted) => counting(db, p).returning(TALLY)),
  tally,
);

/** The author's own verdict: it changes neither tally nor stage. */
export const countOwnVerdict = prepared((db, p: { id: number }) =>
  db.updateTable("claim").set({ verdicts_own: 1 }).where("id", "=", p.id).returning(TALLY),
);
