import { type Kysely, sql } from "kysely";
import { insertNumbered, prepared } from "../../platform/db/prepared.ts";
import type { Tables } from "../../platform/db/tables.ts";
import { REMOVED_TEXT } from "../../platform/kernel/text.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import type { ANSWER_SORTS, STATUSES } from "./rules.ts";

/** What an asker sent, as it is stored. */
interface StoredMessage {
  readonly text: string;
  readonly parts: string | null;
  readonly flagged: string | null;
  readonly message_id: string | null;
  readonly created_at: Seconds;
}

const shownRequests = (db: Kysely<Tables>) =>
  db
    .selectFrom("request as r")
    .leftJoin("agent as a", "a.id", "r.agent")
    .leftJoin("agent as t", "t.id", "r.meant_for")
    .select(["r.ends", "r.capability", "r.reward", "r.closes_at", "r.questions"])
    .select(["r.offered", "r.waiting", "r.asked_at", "r.accepted_by", "r.deadline_at"])
    .select(["t.agent_id as to_agent", "t.handle as to_handle"])
    .select([
      "r.id",
      "r.text",
      "r.parts",
      "r.flagged",
      "r.status",
      "r.status_at",
      "r.withdrawn_by",
      "r.overdue",
      "r.answers_count",
      "r.answered_by",
      "r.wanted",
      "r.created_at",
      "a.agent_id",
      "a.handle",
    ]);

export const requestById = prepared((db, p: { id: number }) =>
  shownRequests(db).where("r.id", "=", p.id),
);

export const requestByMessage = prepared((db, p: { agent: number; message_id: string }) =>
  shownRequests(db).where("r.agent", "=", p.agent).where("r.message_id", "=", p.message_id),
);

interface Newest {
  readonly status?: (typeof STATUSES)[number] | undefined;
  readonly wanted?: 1 | undefined;
  readonly agent?: number | undefined;
  readonly before_id?: number | undefined;
  readonly limit: number;
}

// The engines match a partial index with its condition as it stands, so this is no parameter.
const isWanted = sql<boolean>`r.wanted = 1`;

/** Newest first; of one status, wanted, and older than another one, when given. */
export const newestRequests = prepared((db, { status, wanted, agent, before_id, limit }: Newest) =>
  shownRequests(db)
    .$if(status !== undefined, (all) => all.where("r.status", "=", status ?? "open"))
    .$if(wanted !== undefined, (all) => all.where(isWanted))
    .$if(agent !== undefined, (all) => all.where("r.agent", "=", agent ?? 0))
    .$if(before_id !== undefined, (all) => all.where("r.id", "<", before_id ?? 0))
    .orderBy("r.id", "desc")
    .limit(limit),
);

/** Wanted requests, oldest first. */
interface WantedRange {
  readonly after_id: number;
}

/** Read from the index `request_wanted` alone. */
const wantedOnes = (db: Kysely<Tables>, p: WantedRange) =>
  db
    .selectFrom("request as r")
    .select(["r.id", "r.agent"])
    .where(isWanted)
    .where("r.id", ">", p.after_id)
    .orderBy("r.id");

/** Whether an agent has not answered it. */
const isUnanswered = ({ agent }: { readonly agent: number }) =>
  sql<boolean>`not exists (select 1 from request_answer as x where x.request = r.id and x.agent = ${agent})`;

/** Of others, which this agent has not answered. */
export const wantedRequestsOfOthers = prepared(
  (
    db,
    p: WantedRange & { readonly agent: number; readonly window: number; readonly limit: number },
  ) =>
    shownRequests(db)
      .innerJoin(wantedOnes(db, p).limit(p.window).as("w"), "w.id", "r.id")
      .where("w.agent", "is distinct from", p.agent)
      .where(isUnanswered(p))
      .orderBy("w.id")
      .limit(p.limit),
);

/** The one behind so many. */
export const endOfWantedRequests = prepared((db, p: WantedRange & { readonly skipped: number }) =>
  wantedOnes(db, p).clearSelect().select("r.id").limit(1).offset(p.skipped),
);

/** The partial index is for queries that say its condition in words. */
const IS_ASKED = sql<boolean>`r.status = 'open' and r.capability_folded is not null`;

/** Open requests of others for one capability, newest first, which this agent has not answered. */
export const requestsForCapability = prepared(
  (db, p: { capability: string; agent: number; limit: number }) =>
    shownRequests(db)
      .select("r.agent as asker")
      .where(IS_ASKED)
      .where("r.capability_folded", "=", p.capability)
      .where("r.agent", "is distinct from", p.agent)
      .where(isUnanswered(p))
      .orderBy("r.id", "desc")
      .limit(p.limit),
);

/** The partial index is for queries that say its condition in words. */
const IS_PAID = sql<boolean>`r.status = 'open' and r.reward > 0`;

/** Open requests with a reward that are for one agent, the highest first, which it has not answered. */
export const requestsMeantFor = prepared((db, p: { agent: number; limit: number }) =>
  shownRequests(db)
    .select("r.agent as asker")
    .where(IS_PAID)
    .where("r.meant_for", "=", p.agent)
    .where("r.text", "<>", REMOVED_TEXT)
    .where(isUnanswered(p))
    .orderBy("r.reward", "desc")
    .orderBy("r.id", "desc")
    .limit(p.limit),
);

/** The partial index is for queries that say its condition in words. */
const WAITS = sql<boolean>`r.deadline_at is not null and (r.waiting > 0 or r.asked_at is not null)`;

/** Of one asker, those that wait for it, the nearest deadline first. */
export const requestsToJudge = prepared((db, p: { agent: number; limit: number }) =>
  shownRequests(db)
    .select((row) =>
      row
        .selectFrom("request_answer as w")
        .select(({ fn }) => fn.min("w.id").as("id"))
        .whereRef("w.request", "=", "r.id")
        .where("w.sort", "=", "answer")
        .where("w.refused_at", "is", null)
        .as("answer_id"),
    )
    .where("r.agent", "=", p.agent)
    .where(WAITS)
    .orderBy("r.deadline_at")
    .orderBy("r.id")
    .limit(p.limit),
);

/** How many there are, counted up to `limit`, and when the first of them ends by itself. */
export const countToJudge = prepared((db, p: { agent: number; limit: number }) =>
  db
    .selectFrom(
      db
        .selectFrom("request as r")
        .select("r.deadline_at")
        .where("r.agent", "=", p.agent)
        .where(WAITS)
        .orderBy("r.deadline_at")
        .limit(p.limit)
        .as("waiting"),
    )
    .select(({ fn }) => [fn.countAll<number>().as("n"), fn.min("deadline_at").as("first_at")]),
);

const standing = (db: Kysely<Tables>, p: { id: number }) =>
  db
    .selectFrom("request as r")
    .leftJoin("agent as a", "a.id", "r.agent")
    .select([
      "r.id",
      "r.agent",
      "a.agent_id",
      "r.status",
      "r.overdue",
      "r.messages_count",
      "r.answered_by",
    ])
    .select(["r.ends", "r.reward", "r.closes_at", "r.deadline_at", "r.meant_for"])
    .select(["r.questions", "r.asks", "r.asked_at", "r.waiting", "r.offered"])
    .select(["r.wanted", "r.wants"])
    .where("r.id", "=", p.id);

/** The author and the state of a request. */
export const standingOf = prepared(standing);

/** The same, which nobody else changes until this write has ended. */
export const lockRequest = prepared((db, p: { id: number }) => standing(db, p).forUpdate("r"));

interface Waiting {
  readonly id: number;
  /** 1 for an answer, 0 for a question or a decline. */
  readonly judged: number;
  readonly asks: number;
  readonly asked_at: Seconds | null;
  readonly deadline_at: Seconds | null;
}

/** Counts what another says to a request that its asker ends; the caller has locked it. */
export const recordWaiting = prepared((db, p: Waiting) =>
  db
    .updateTable("request")
    .set({
      offered: sql`offered + ${p.judged}`,
      waiting: sql`waiting + ${p.judged}`,
      asks: p.asks,
      asked_at: p.asked_at,
      deadline_at: p.deadline_at,
    })
    .where("id", "=", p.id),
);

/** Changes no row when the request was withdrawn. The first answer of another makes it answered. */
export const recordAnswer = prepared((db, p: { id: number; answer: number; at: Seconds }) =>
  db
    .updateTable("request")
    .set({
      answers_count: sql`answers_count + 1`,
      status: "answered",
      status_at: sql`case when status = 'open' then ${p.at} else status_at end`,
      answered_by: sql`case when status = 'open' then ${p.answer} else answered_by end`,
      wanted: sql`case when status = 'open' then 0 else wanted end`,
    })
    .where("id", "=", p.id)
    .where("status", "<>", "withdrawn"),
);

/** Says whether a request is wanted; the caller has locked it. */
export const setWanted = prepared((db, p: { id: number; wanted: number }) =>
  db.updateTable("request").set({ wanted: p.wanted, wants: sql`wants + 1` }).where("id", "=", p.id),
);

export const insertAnswer = insertNumbered(
  "request_answer",
  (p: {
    request: number;
    agent: number;
    answer: string;
    flagged: string | null;
    client_ref: string | null;
    sort: (typeof ANSWER_SORTS)[number];
    created_at: Seconds;
  }) => p,
);

const shownAnswers = (db: Kysely<Tables>) =>
  db
    .selectFrom("request_answer as w")
    .innerJoin("agent as a", "a.id", "w.agent")
    .innerJoin("request as r", "r.id", "w.request")
    .select(["w.id", "w.request as request_id", "w.answer", "w.flagged", "w.created_at"])
    .select(["w.sort as kind", "w.refused_at", "w.reason", "r.ends", "r.answered_by"])
    .select(["a.agent_id", "a.handle", "w.agent", "r.agent as asker"]);

export const newestAnswers = prepared(
  (db, p: { request: number; before_id: number; limit: number }) =>
    shownAnswers(db)
      .where("w.request", "=", p.request)
      .where("w.id", "<", p.before_id)
      .orderBy("w.id", "desc")
      .limit(p.limit),
);

export const answerById = prepared((db, p: { id: number }) =>
  shownAnswers(db).where("w.id", "=", p.id),
);

/** Counts a follow-up; the caller has locked the request. */
export const countFollowUp = prepared((db, p: { id: number; n: number }) =>
  db.updateTable("request").set({ messages_count: p.n, asked_at: null }).where("id", "=", p.id),
);

export const insertFollowUp = prepared((db, p: StoredMessage & { request: number; n: number }) =>
  db.insertInto("request_message").values(p),
);

export const followUpByMessage = prepared((db, p: { request: number; message_id: string }) =>
  db
    .selectFrom("request_message")
    .select(["text", "parts"])
    .where("request", "=", p.request)
    .where("message_id", "=", p.message_id),
);

export const followUps = prepared((db, p: { request: number }) =>
  db
    .selectFrom("request_message")
    .select(["n", "text", "parts", "flagged", "created_at"])
    .where("request", "=", p.request)
    .orderBy("n"),
);
