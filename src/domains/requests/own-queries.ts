import type { Kysely } from "kysely";
import { prepared } from "../../platform/db/prepared.ts";
import type { Tables } from "../../platform/db/tables.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { STATUSES } from "./rules.ts";

/** Which of its requests an asker wants. */
export interface OwnFilter {
  readonly context_id?: string | undefined;
  readonly status?: (typeof STATUSES)[number] | undefined;
  readonly withdrawn_by?: "asker" | "operator" | undefined;
  /** Whether its time has ended it. */
  readonly overdue?: 0 | 1 | undefined;
  /** Whether a question waits for its asker; each of these is asked for by being there. */
  readonly isAsked?: true | undefined;
  readonly isNotAsked?: true | undefined;
  /** Whether it has answers that its asker may accept. */
  readonly isOffered?: true | undefined;
  readonly isNotOffered?: true | undefined;
  /** Its status is at least as new. */
  readonly since?: Seconds | undefined;
}

function ownOnes(db: Kysely<Tables>, p: OwnFilter & { readonly agent: number }) {
  let own = db.selectFrom("request as r").where("r.agent", "=", p.agent);
  if (p.context_id !== undefined) own = own.where("r.context_id", "=", p.context_id);
  if (p.status !== undefined) own = own.where("r.status", "=", p.status);
  if (p.withdrawn_by !== undefined) own = own.where("r.withdrawn_by", "=", p.withdrawn_by);
  if (p.overdue !== undefined) own = own.where("r.overdue", "=", p.overdue);
  if (p.isAsked !== undefined) own = own.where("r.asked_at", "is not", null);
  if (p.isNotAsked !== undefined) own = own.where("r.asked_at", "is", null);
  if (p.isOffered !== undefined) own = own.where("r.offered", ">", 0);
  if (p.isNotOffered !== undefined) own = own.where("r.offered", "=", 0);
  if (p.since !== undefined) own = own.where("r.status_at", ">=", p.since);
  return own;
}

/** Where a request stands; the answer is the one that closed it, for later ones change nothing. */
const standing = (own: ReturnType<typeof ownOnes>) =>
  own
    .leftJoin("request_answer as w", "w.id", "r.answered_by")
    .leftJoin("agent as a", "a.id", "w.agent")
    .select([
      "r.id",
      "r.context_id",
      "r.status",
      "r.status_at",
      "r.withdrawn_by",
      "r.ends",
      "r.overdue",
      "r.offered",
      "r.waiting",
      "r.asked_at",
      "w.id as answer_id",
      "w.flagged as answer_flagged",
      "a.agent_id as answered_by",
    ]);

/** One request of this agent, whole. */
export const ownRequest = prepared((db, p: { agent: number; id: number }) =>
  standing(ownOnes(db, { agent: p.agent }))
    .select(["w.answer", "r.message_id", "r.text", "r.parts"])
    .where("r.id", "=", p.id),
);

/** What this agent said after it had asked, oldest first. */
export const ownFollowUps = prepared((db, p: { request: number }) =>
  db
    .selectFrom("request_message")
    .select(["n", "message_id", "text", "parts"])
    .where("request", "=", p.request)
    .orderBy("n"),
);

/** The newest answers of others to a request that its asker ends. */
export const newestOffers = prepared((db, p: { request: number; asker: number; limit: number }) =>
  db
    .selectFrom("request_answer as w")
    .innerJoin("agent as a", "a.id", "w.agent")
    .select(["w.id", "w.answer as text", "w.flagged", "w.refused_at", "a.agent_id"])
    .where("w.request", "=", p.request)
    .where("w.agent", "<>", p.asker)
    .where("w.sort", "=", "answer")
    .orderBy("w.id", "desc")
    .limit(p.limit),
);

interface OwnPage {
  readonly agent: number;
  /** The last one of the page before. */
  readonly after_at?: Seconds | undefined;
  readonly after_id?: number | undefined;
  readonly limit: number;
}

/** The newest status first. Answers, and of what was asked the newest message, come when wanted. */
export const ownRequests = prepared(
  (
    db,
    p: OwnFilter & OwnPage & { withAnswers?: true | undefined; withMessages?: true | undefined },
  ) => {
    const page = standing(ownOnes(db, p))
      .$if(p.withAnswers !== undefined, (query) => query.select("w.answer"))
      .$if(p.withMessages !== undefined, (query) =>
        query
          .leftJoin("request_message as m", (join) =>
            join.onRef("m.request", "=", "r.id").onRef("m.n", "=", "r.messages_count"),
          )
          .select(({ eb, fn }) => [
            "r.messages_count as n",
            fn.coalesce("m.text", "r.text").as("text"),
            eb
              .case()
              .when("m.n", "is", null)
              .thenRef("r.parts")
              .elseRef("m.parts")
              .end()
              .as("parts"),
            eb
              .case()
              .when("m.n", "is", null)
              .thenRef("r.message_id")
              .elseRef("m.message_id")
              .end()
              .as("message_id"),
          ]),
      )
      .orderBy("r.status_at", "desc")
      .orderBy("r.id", "desc")
      .limit(p.limit);
    const { after_at, after_id } = p;
    if (after_at === undefined || after_id === undefined) return page;
    return page.where(({ eb, refTuple, tuple }) =>
      eb(refTuple("r.status_at", "r.id"), "<", tuple(after_at, after_id)),
    );
  },
);

/** How many there are, counted up to `limit`. */
export const ownTotal = prepared((db, p: OwnFilter & { agent: number; limit: number }) =>
  db
    .selectFrom(ownOnes(db, p).select("r.id").limit(p.limit).as("counted"))
    .select(({ fn }) => fn.countAll<number>().as("total")),
);
