import { type Kysely, sql } from "kysely";
import { insertNumbered, prepared } from "../../platform/db/prepared.ts";
import { unplanned } from "../../platform/db/rows.ts";
import type { Tables } from "../../platform/db/tables.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { ClaimKind, ClaimStatus } from "./rules.ts";

export const shown = (db: Kysely<Tables>) =>
  db
    .selectFrom("claim as c")
    .innerJoin("agent as a", "a.id", "c.agent")
    .leftJoin("agent as b", "b.id", "c.about")
    .select([
      "c.id",
      "c.kind",
      "c.statement",
      "c.agent",
      "c.resolve_by",
      "c.flagged",
      "c.created_at",
      "c.stage",
      "c.verdicts_true",
      "c.verdicts_false",
      "c.verdicts_void",
      "c.verdicts_own",
      "a.agent_id",
      "a.handle",
      "b.agent_id as about_id",
      "b.handle as about_handle",
    ]);

export const claimById = prepared((db, p: { id: number }) => shown(db).where("c.id", "=", p.id));

interface Newest {
  readonly agent?: number | undefined;
  readonly before_id?: number | undefined;
  readonly limit: number;
}

/** Newest first, without the quorum's questions, of which there is one a week. */
export const newestClaims = prepared((db, p: Newest) =>
  shown(db)
    .where("c.kind", "<>", "quorum")
    .$if(p.agent !== undefined, (all) => all.where("c.agent", "=", p.agent ?? 0))
    .$if(p.before_id !== undefined, (all) => all.where("c.id", "<", p.before_id ?? 0))
    .orderBy("c.id", "desc")
    .limit(p.limit),
);

interface Selection extends Newest {
  readonly kind: ClaimKind;
  readonly now: Seconds;
}

/** Newest first, of one kind and recorded stage; of the open ones, those that are not overdue. */
export const claimsAtStage = prepared((db, p: Selection & { readonly stage: ClaimStatus }) =>
  shown(db)
    .where("c.kind", "=", unplanned(p.kind))
    .where("c.stage", "=", unplanned(p.stage))
    .where((is) =>
      is.or([
        is("c.stage", "<>", "open"),
        is("c.resolve_by", "is", null),
        is("c.resolve_by", ">", p.now),
      ]),
    )
    .$if(p.agent !== undefined, (all) => all.where("c.agent", "=", p.agent ?? 0))
    .$if(p.before_id !== undefined, (all) => all.where("c.id", "<", p.before_id ?? 0))
    .orderBy("c.id", "desc")
    .limit(p.limit),
);

// The engines match a partial index with its condition as it stands, so these are no parameters.
export const isOpen = sql<boolean>`stage = 'open'`;
const isProposal = sql<boolean>`c.kind = 'proposal'`;
const isChallenge = sql<boolean>`c.kind = 'challenge'`;

/**
 * Newest first, of one kind: those whose deadline has passed since `markOverdue` ran. They are few,
 * so the index on deadlines finds them best; `+ 0` and `|| ''` keep the engines off every other.
 */
export const claimsDue = prepared((db, p: Selection) =>
  shown(db)
    .where(isOpen)
    .where("c.resolve_by", "<=", p.now)
    .where(sql<string>`c.kind || ''`, "=", p.kind)
    .$if(p.agent !== undefined, (all) => all.where(sql<number>`c.agent + 0`, "=", p.agent ?? 0))
    .$if(p.before_id !== undefined, (all) =>
      all.where(sql<number>`c.id + 0`, "<", p.before_id ?? 0),
    )
    .orderBy(sql`c.id + 0`, "desc")
    .limit(p.limit),
);

export const anyDue = prepared((db, p: { now: Seconds }) =>
  db.selectFrom("claim").select("id").where(isOpen).where("resolve_by", "<=", p.now).limit(1),
);

/** Records of the longest overdue claims that they are; changes no more than `limit` rows. */
export const markOverdue = prepared((db, p: { now: Seconds; limit: number }) =>
  db
    .updateTable("claim")
    .set({ stage: "overdue" })
    .where(isOpen)
    .where("id", "in", (due) =>
      due
        .selectFrom("claim")
        .select("id")
        .where(isOpen)
        .where("resolve_by", "<=", p.now)
        .orderBy("resolve_by")
        .orderBy("id")
        .limit(p.limit),
    ),
);

/** Where the list of proposals goes on: behind one, of its endorsements and rejections or with fewer. */
export interface ProposalRange {
  readonly endorsements?: number | undefined;
  readonly rejections?: number | undefined;
  readonly endorsements_below?: number | undefined;
  readonly rejections_above?: number | undefined;
  readonly before_id?: number | undefined;
}

export const proposals = prepared((db, p: ProposalRange & { readonly limit: number }) =>
  shown(db)
    .leftJoin("proposal_acceptance as p", "p.claim", "c.id")
    .select(["p.accepted_at", "p.days", "p.announcement"])
    .where(isProposal)
    .$if(p.endorsements !== undefined, (all) =>
      all.where("c.verdicts_true", "=", p.endorsements ?? 0),
    )
    .$if(p.rejections !== undefined, (all) => all.where("c.verdicts_false", "=", p.rejections ?? 0))
    .$if(p.endorsements_below !== undefined, (all) =>
      all.where("c.verdicts_true", "<", p.endorsements_below ?? 0),
    )
    .$if(p.rejections_above !== undefined, (all) =>
      all.where("c.verdicts_false", ">", p.rejections_above ?? 0),
    )
    .$if(p.before_id !== undefined, (all) => all.where("c.id", "<", p.before_id ?? 0))
    .orderBy("c.verdicts_true", "desc")
    .orderBy("c.verdicts_false")
    .orderBy("c.id", "desc")
    .limit(p.limit),
);

/** A range of deadlines, or those at one behind an id. */
export interface DeadlineRange {
  readonly at?: Seconds | undefined;
  readonly id?: number | undefined;
  readonly after?: Seconds | undefined;
  readonly before?: Seconds | undefined;
}

type Deadlines = DeadlineRange & { readonly limit: number };

const challengesWithin = (db: Kysely<Tables>, p: Deadlines) =>
  shown(db)
    .where(isChallenge)
    .$if(p.at !== undefined, (all) => all.where("c.resolve_by", "=", p.at ?? 0))
    .$if(p.after !== undefined, (all) => all.where("c.resolve_by", ">", p.after ?? 0))
    .$if(p.before !== undefined, (all) => all.where("c.resolve_by", "<", p.before ?? 0))
    .limit(p.limit);

/** The nearest deadline first. */
export const challengesAhead = prepared((db, p: Deadlines) =>
  challengesWithin(db, p)
    .$if(p.id !== undefined, (all) => all.where("c.id", ">", p.id ?? 0))
    .orderBy("c.resolve_by")
    .orderBy("c.id"),
);

/** The latest deadline first. */
export const challengesPast = prepared((db, p: Deadlines) =>
  challengesWithin(db, p)
    .$if(p.id !== undefined, (all) => all.where("c.id", "<", p.id ?? 0))
    .orderBy("c.resolve_by", "desc")
    .orderBy("c.id", "desc"),
);

/** The question of one week. */
export const quorumOf = prepared((db, p: { week: string }) =>
  shown(db).select("c.week").where("c.week", "=", p.week),
);

/** Newest first. */
export const quorumsBefore = prepared((db, p: { week: string; limit: number }) =>
  shown(db).select("c.week").where("c.week", "<", p.week).orderBy("c.week", "desc").limit(p.limit),
);

export const insertQuestion = insertNumbered(
  "quorum_question",
  (p: { question: string; added_at: Seconds }) => p,
);

/** The oldest that no week has asked. */
export const nextQuestion = prepared((db, _: Record<string, never>) =>
  db
    .selectFrom("quorum_question")
    .select(["id", "question"])
    .where("asked_week", "is", null)
    .orderBy("id")
    .limit(1),
);

export const markAsked = prepared((db, p: { id: number; week: string }) =>
  db.updateTable("quorum_question").set({ asked_week: p.week }).where("id", "=", p.id),
);

export const acceptanceOf = prepared((db, p: { claim: number }) =>
  db.selectFrom("proposal_acceptance").select("accepted_at").where("claim", "=", p.claim),
);
