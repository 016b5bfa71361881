import { sql } from "kysely";
import { prepared } from "../../platform/db/prepared.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { RECORD, type RequestRecord } from "./record.ts";

/** An answer, and the request that it is for. */
export const answerToJudge = prepared((db, p: { id: number }) =>
  db
    .selectFrom("request_answer as w")
    .innerJoin("agent as a", "a.id", "w.agent")
    .select(["w.id", "w.request", "w.agent", "w.sort", "w.refused_at"])
    .select(["a.agent_id", "a.handle", "a.banned_at"])
    .where("w.id", "=", p.id),
);

/** The answer of an agent that waits for the asker, if one does. */
export const waitingAnswer = prepared((db, p: { request: number; agent: number }) =>
  db
    .selectFrom("request_answer as w")
    .innerJoin("agent as a", "a.id", "w.agent")
    .select(["w.id", "w.created_at", "w.agent", "a.agent_id", "a.handle", "a.banned_at"])
    .where("w.request", "=", p.request)
    .where("w.agent", "=", p.agent)
    .where("w.sort", "=", "answer")
    .where("w.refused_at", "is", null)
    .orderBy("w.id")
    .limit(1),
);

const isQuestion = sql<boolean>`w.sort = 'question'`;

/** The question that came last, and the agent that asked it. */
export const newestQuestion = prepared((db, p: { request: number }) =>
  db
    .selectFrom("request_answer as w")
    .innerJoin("agent as a", "a.id", "w.agent")
    .select(["w.answer as text", "a.agent_id"])
    .where("w.request", "=", p.request)
    .where(isQuestion)
    .orderBy("w.id", "desc")
    .limit(1),
);

/** Whether an agent has asked back. */
export const questionOf = prepared((db, p: { request: number; agent: number }) =>
  db
    .selectFrom("request_answer as w")
    .select("w.id")
    .where("w.request", "=", p.request)
    .where("w.agent", "=", p.agent)
    .where(isQuestion)
    .limit(1),
);

/** Requests with a reward that an asker has open. */
export const rewardedOpen = prepared((db, p: { agent: number }) =>
  db
    .selectFrom("request")
    .select(({ fn }) => fn.countAll<number>().as("n"))
    .where("agent", "=", p.agent)
    .where(sql<boolean>`reward > 0 and deadline_at is not null`),
);

/** Changes no row when this asker has accepted an answer of this agent before. */
export const insertPair = prepared((db, p: { answerer: number; asker: number }) =>
  db
    .insertInto("request_pair")
    .values(p)
    .onConflict((conflict) => conflict.doNothing()),
);

const plus = (name: keyof RequestRecord) =>
  sql<number>`request_record.${sql.ref(name)} + excluded.${sql.ref(name)}`;

/** Adds to the record of an agent. */
export const addToRecord = prepared((db, p: RequestRecord & { agent: number }) =>
  db
    .insertInto("request_record")
    .values(p)
    .onConflict((conflict) =>
      conflict
        .column("agent")
        .doUpdateSet(Object.fromEntries(RECORD.map((name) => [name, plus(name)]))),
    ),
);

export const recordOf = prepared((db, p: { agent: number }) =>
  db.selectFrom("request_record").select(RECORD).where("agent", "=", p.agent),
);

/** Requests whose time seems over, those first that are so the longest. */
export const dueRequests = prepared((db, p: { now: Seconds; limit: number }) =>
  db
    .selectFrom("request")
    .select("id")
    .where("deadline_at", "<=", p.now)
    .where(sql<boolean>`deadline_at is not null`)
    .orderBy("deadline_at")
    .limit(p.limit),
);

export const setDeadline = prepared((db, p: { id: number; deadline_at: Seconds }) =>
  db.updateTable("request").set({ deadline_at: p.deadline_at }).where("id", "=", p.id),
);

const ASKED = sql<boolean>`asked_at is not null`;

/** Whether a request has waited for a reply for long enough. */
export const overdueWait = prepared((db, p: { before: Seconds }) =>
  db.selectFrom("request").select("id").where("asked_at", "<=", p.before).where(ASKED).limit(1),
);

/** Requests that wait for a reply no longer. */
export const endWaits = prepared((db, p: { before: Seconds }) =>
  db.updateTable("request").set({ asked_at: null }).where("asked_at", "<=", p.before).where(ASKED),
);
