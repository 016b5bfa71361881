import type { Agent, Context } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { flagOf } from "../../platform/kernel/flags.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { append } from "../../platform/ledger/append.ts";
import { decide } from "../../platform/ledger/decide.ts";
import { sha256Hex } from "../../platform/ledger/sha256.ts";
import { callerOf } from "../identity/ledger.ts";
import * as removals from "../removals/queries.ts";
import { lockRequest, type Standing, seen, standingOf } from "./board.ts";
import * as entries from "./entries.ts";
import { questionOf, waitingAnswer } from "./judging-queries.ts";
import { asAnswered, requestAnswer } from "./ledger.ts";
import * as sql from "./queries.ts";
import { type ANSWER_SORTS, QUESTIONS_MAX, TAKEN_AFTER_S } from "./rules.ts";

type Sort = (typeof ANSWER_SORTS)[number];
type Refuses = Rejects<
  | "request_not_found"
  | "request_withdrawn"
  | "request_ended"
  | "already_answered"
  | "wrong_role"
  | "text_removed"
>;
type Needs = Pick<Context, "read" | "write" | "clock"> & Refuses;

interface Sent {
  readonly request_id: number;
  readonly answer: string;
  readonly kind: Sort;
  readonly client_ref?: string | undefined;
}

/** What one agent says to a request. */
interface Said {
  readonly agent: Agent;
  readonly sort: Sort;
  readonly answer_sha256: string;
  readonly flagged: string | null;
  readonly at: Seconds;
}

/** Adds an answer, a question or a decline to a request. The first answer of another ends one that ends so. */
export async function addAnswer(context: Needs, agent: Agent, sent: Sent) {
  const { read, write, clock, reject } = context;
  const { request_id, answer, kind: sort, client_ref = null } = sent;
  const standing = await standingOf(context, request_id);
  const flagged = flagOf(answer);
  const said = { agent, sort, answer_sha256: sha256Hex(answer), flagged };
  await demandAnswer(context, read, standing, { ...said, at: clock.now() });
  const removed = await removals.hidden.first(read, { kind: "request", ref: String(request_id) });
  if (removed !== undefined)
    reject(
      "text_removed",
      "The operator has removed the text of this request. Answer another one.",
    );

  return write(async (tx) => {
    const at = clock.now();
    const isJudged = standing.ends === "accepted";
    const locked = isJudged ? await lockRequest(tx, request_id) : standing;
    const body = await demandAnswer(context, tx, locked, { ...said, at });
    const stored = { answer, flagged, client_ref, created_at: at };
    const named = { request: request_id, agent: agent.id, sort };
    const row = await sql.insertAnswer.first(tx, { ...named, ...stored });
    if (row === undefined) throw new Error("An answer was inserted and has no id.");
    if (isJudged) await recordWaiting(tx, locked, { ...said, waits: body.waits === 1, at });
    else if (sort === "answer" && !(await isCounted(tx, { id: request_id, answer: row.id, at }))) {
      // The request was withdrawn since it was looked at.
      const now = await standingOf({ read: tx, reject }, request_id);
      await demandAnswer(context, tx, now, { ...said, at });
      throw new Error("An answer was refused, and its request is not withdrawn.");
    }
    append(tx, entries.requestAnswer, { answer_id: row.id, ...body });
    const author = { agent_id: agent.agent_id, handle: agent.handle };
    const judged = { kind: sort, outcome: null, reason: null };
    return {
      id: row.id,
      answer: {
        id: row.id,
        request_id,
        ...stored,
        ...judged,
        agent: author,
        verified: false as const,
      },
    };
  });
}

/** Asks whether an agent may say something to a request. Resolves to the fields of its entry. */
async function demandAnswer(
  context: Refuses,
  db: Db,
  request: Standing,
  { agent, sort, answer_sha256, flagged, at }: Said,
) {
  const { id: request_id, ends } = request;
  const key = { request: request_id, agent: agent.id };
  const isJudged = ends === "accepted";
  const canWait = sort === "question" && (await doesWait(db, request, agent));
  const hasAnswered =
    isJudged && sort === "answer" && (await waitingAnswer.first(db, key)) !== undefined;
  const body = {
    ...{ request_id, agent: agent.agent_id, answer_sha256, flagged: flagged ?? undefined },
    sort: sort === "answer" ? undefined : sort,
    waits: canWait ? (1 as const) : undefined,
    made_at: isJudged ? at : undefined,
  };
  const before = { ...asAnswered(seen(request)), agent: callerOf(agent), canWait, hasAnswered };
  decide(context, requestAnswer, before, { body, now: at });
  return body;
}

/** Whether a question makes a request wait for its asker. */
async function doesWait(
  db: Db,
  { id: request, questions, asks }: Standing,
  agent: Agent,
): Promise<boolean> {
  if (questions === 0 || asks >= QUESTIONS_MAX) return false;
  return (await questionOf.first(db, { request, agent: agent.id })) === undefined;
}

/** Brings a request to what was said, whose asker judges the answers. */
async function recordWaiting(
  tx: Tx,
  request: Standing,
  { agent, sort, waits, at }: Pick<Said, "agent" | "sort" | "at"> & { readonly waits: boolean },
): Promise<void> {
  const judged = sort === "answer";
  const isMeant = judged && agent.id === request.meant_for;
  await sql.recordWaiting.run(tx, {
    id: request.id,
    judged: judged ? 1 : 0,
    asks: request.asks + (waits ? 1 : 0),
    asked_at: judged ? null : waits ? at : request.asked_at,
    deadline_at: isMeant ? at + TAKEN_AFTER_S : request.deadline_at,
  });
}

/** Whether the statement has counted an answer to a request that the first one ends: it decides, without a lock. */
const isCounted = async (
  tx: Tx,
  counted: { readonly id: number; readonly answer: number; readonly at: Seconds },
): Promise<boolean> => (await sql.recordAnswer.run(tx, counted)) > 0;
