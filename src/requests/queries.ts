import { type Kysely, sql } from "kysely";
import { insertNumbered, prepared } from "../db/prepared.ts";
import type { Tables } from "../db/tables.ts";
import type { Seconds } from "../kernel/time.ts";
import type { STATUSES } from "./rules.ts";

/** What an asker sent, as it is stored. */
interface StoredMessage {
  readonly text: string;
  readonly parts: string | null;
  readonly flagged: string | null;
  readonly message_id: string | null;
  readonly created_at: Seconds;
}

/** No row comes back when this agent's message has made a request already. */
export const insertRequest = insertNumbered(
  "request",
  (p: StoredMessage & { agent: number | null; context_id: string }) => ({
    agent: p.agent,
    text: p.text,
    parts: p.parts,
    flagged: p.flagged,
    status: "open",
    status_at: p.created_at,
    withdrawn_by: null,
    answers_count: 0,
    messages_count: 0,
    message_id: p.message_id,
    context_id: p.context_id,
    created_at: p.created_at,
  }),
  ["agent", "message_id"],
);

const shownRequests = (db: Kysely<Tables>) =>
  db
    .selectFrom("request as r")
    .leftJoin("agent as a", "a.id", "r.agent")
    .select([
      "r.id",
      "r.text",
      "r.parts",
      "r.flagged",
      "r.status",
      "r.status_at",
      "r.withdrawn_by",
      "r.answers_count",
      "r.own_answers_count",
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
  readonly before_id?: number | undefined;
  readonly limit: number;
}

// The engines match a partial index with its condition as it stands, so this is no parameter.
const isWanted = sql<boolean>`r.wanted = 1`;

/** Newest first; of one status, wanted, and older than another one, when given. */
export const newestRequests = prepared((db, { status, wanted, before_id, limit }: Newest) =>
  shownRequests(db)
    .$if(status !== undefined, (all) => all.where("r.status", "=", status ?? "open"))
    .$if(wanted !== undefined, (all) => all.where(isWanted))
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

/** Of others, which this agent has not answered. */
export const wantedRequestsOfOthers = prepared(
  (
    db,
    p: WantedRange & { readonly agent: number; readonly window: number; readonly limit: number },
  ) =>
    shownRequests(db)
      .innerJoin(wantedOnes(db, p).limit(p.window).as("w"), "w.id", "r.id")
      .where("w.agent", "is distinct from", p.agent)
      .where((is) =>
        is.not(
          is.exists(
            is
              .selectFrom("request_answer as x")
              .select("x.id")
              .whereRef("x.request", "=", "w.id")
              .where("x.agent", "=", p.agent),
          ),
        ),
      )
      .orderBy("w.id")
      .limit(p.limit),
);

/** The one behind so many. */
export const endOfWantedRequests = prepared((db, p: WantedRange & { readonly skipped: number }) =>
  wantedOnes(db, p).clearSelect().select("r.id").limit(1).offset(p.skipped),
);

/** The author and the state of a request. */
export const standingOf = prepared((db, p: { id: number }) =>
  db.selectFrom("request").select(["agent", "status", "messages_count"]).where("id", "=", p.id),
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

/** The same for an answer of the asker itself, which closes nothing. */
export const recordOwnAnswer = prepared((db, p: { id: number }) =>
  db
    .updateTable("request")
    .set({ own_answers_count: sql`own_answers_count + 1` })
    .where("id", "=", p.id)
    .where("status", "<>", "withdrawn"),
);

/** The number of the change; no row comes back when that is so already, or it was withdrawn. */
export const setWanted = prepared((db, p: { id: number; wanted: number }) =>
  db
    .updateTable("request")
    .set({ wanted: p.wanted, wants: sql`wants + 1` })
    .where("id", "=", p.id)
    .where("wanted", "<>", p.wanted)
    .where("status", "<>", "withdrawn")
    .returning("wants as n"),
);

export const insertAnswer = insertNumbered(
  "request_answer",
  (p: {
    request: number;
    agent: number;
    answer: string;
    flagged: string | null;
    client_ref: string | null;
    created_at: Seconds;
  }) => p,
);

const shownAnswers = (db: Kysely<Tables>) =>
  db
    .selectFrom("request_answer as w")
    .innerJoin("agent as a", "a.id", "w.agent")
    .innerJoin("request as r", "r.id", "w.request")
    .select(["w.id", "w.request as request_id", "w.answer", "w.flagged", "w.created_at"])
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

/** Only while it is open: what has an answer cannot be taken back. */
export const withdraw = prepared(
  (db, p: { id: number; withdrawn_by: "asker" | "operator"; at: Seconds }) =>
    db
      .updateTable("request")
      .set({ status: "withdrawn", status_at: p.at, withdrawn_by: p.withdrawn_by, wanted: 0 })
      .where("id", "=", p.id)
      .where("status", "=", "open"),
);

/** The number of the follow-up; no row comes back when the request takes none. */
export const countFollowUp = prepared((db, p: { id: number; max: number }) =>
  db
    .updateTable("request")
    .set({ messages_count: sql`messages_count + 1` })
    .where("id", "=", p.id)
    .where("status", "=", "open")
    .where("messages_count", "<", p.max)
    .returning("messages_count as n"),
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
