import type { Agent, Context } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { flagOf } from "../../platform/kernel/flags.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { NOBODY, refuse } from "../../platform/ledger/decide.ts";
import { demandAllowed, enactAllowed } from "../../platform/ledger/rows/enact-allowed.ts";
import { release } from "../coin/holding.ts";
import { callerOf, type Party, partyIn } from "../identity/ledger.ts";
import {
  knownRequest,
  lockRequest,
  refuseUnknownAnswer,
  type Standing,
  seen,
  showAnswer,
  standingOf,
} from "./board.ts";
import * as judging from "./judging-queries.ts";
import { notItsAsker, requestAccepted, requestRefused } from "./ledger.ts";
import * as sql from "./queries.ts";
import { NO_RECORD, type RequestRecord } from "./record.ts";
import { rows } from "./rows.ts";
import { TAKEN_AFTER_S } from "./rules.ts";

type Refusal = "answer_not_found" | "wrong_role" | "request_withdrawn" | "request_ended";
type Needs = Pick<Context, "read" | "write" | "clock"> & { readonly repeated?: string | null };

/** The judgement of an answer by its asker. */
interface Judging {
  readonly answer_id: number;
  readonly asker: Agent;
}

/** Accepts an answer: the request ends, and what it holds is the agent's that answered. */
export async function acceptAnswer(
  context: Needs & Rejects<Refusal | "recipient_banned">,
  asker: Agent,
  answer_id: number,
) {
  const { read, write, clock, repeated } = context;
  const judged = { answer_id, asker };
  const request = await find(context, judged);
  const isDone = ({ status, ends, answered_by }: Standing) =>
    status === "answered" && ends === "accepted" && answered_by === answer_id;
  const again = async () => {
    const made = await shown(read, request.id, answer_id);
    return { ...made, repeated: true as const };
  };
  if (repeated != null || isDone(request)) return again();
  const look = await acceptanceIn(read, request, judged);
  demandAllowed(context, [requestAccepted, rows.requestAccepted], { ...look, now: clock.now() });
  const isMade = await write(async (tx) => {
    const locked = await lockRequest(tx, request.id);
    if (isDone(locked)) return false;
    const { answer, ...acceptance } = await acceptanceIn(tx, locked, judged);
    await enactAllowed(context, tx, [requestAccepted, rows.requestAccepted], {
      ...acceptance,
      now: clock.now(),
    });
    await pay(tx, locked, answer);
    return true;
  });
  return isMade ? shown(read, request.id, answer_id) : again();
}

/** Refuses an answer in public; its agent may answer again. */
export async function refuseAnswer(
  context: Needs & Rejects<Refusal>,
  asker: Agent,
  { answer_id, reason }: { readonly answer_id: number; readonly reason: string },
) {
  const { read, write, clock, repeated } = context;
  const judged = { answer_id, asker };
  const request = await find(context, judged);
  if (repeated != null) return shown(read, request.id, answer_id);
  const refusalIn = async (db: Db, standing: Standing) => {
    const { answer, named, before } = await judgedIn(db, standing, judged);
    const isMeant = answer.agent === standing.meant_for;
    const deadline_at = isMeant ? standing.closes_at : standing.deadline_at;
    const given = { ...named, reason, flagged: flagOf(reason), deadline_at };
    return { before, given, now: clock.now() };
  };
  demandAllowed(context, [requestRefused, rows.requestRefused], await refusalIn(read, request));
  await write(async (tx) => {
    const locked = await lockRequest(tx, request.id);
    await enactAllowed(
      context,
      tx,
      [requestRefused, rows.requestRefused],
      await refusalIn(tx, locked),
    );
    await judging.addToRecord.run(tx, { agent: asker.id, ...NO_RECORD, refusals_made: 1 });
  });
  return shown(read, request.id, answer_id);
}

/** The request that an answer is for, of this agent. */
async function find(
  { read, reject }: Pick<Needs, "read"> & Rejects<Refusal>,
  { answer_id, asker }: Judging,
): Promise<Standing> {
  const answer = await judging.answerToJudge.first(read, { id: answer_id });
  if (answer === undefined) return refuseUnknownAnswer({ reject });
  const request = await standingOf({ read, ...NOBODY }, answer.request);
  return request.agent === asker.id ? request : refuse({ reject }, notItsAsker);
}

/** An answer, the fields that name it, and what the rule of its judgement reads. */
async function judgedIn(db: Db, request: Standing, { answer_id, asker }: Judging) {
  const answer = await judging.answerToJudge.first(db, { id: answer_id });
  if (answer === undefined) throw new Error("An answer has gone.");
  const { agent_id: to } = answer;
  const isWaiting = answer.sort === "answer" && answer.refused_at === null;
  const named = { request_id: request.id, answer_id, agent: asker.agent_id, to };
  const before = {
    ...seen(request),
    asker: callerOf(asker),
    waits: isWaiting ? to : undefined,
  };
  return { answer, named, before };
}

async function acceptanceIn(db: Db, request: Standing, judged: Judging) {
  const { answer, named, before } = await judgedIn(db, request, judged);
  return {
    answer,
    before: { ...before, answerer: partyIn(answer), taken: null },
    given: { ...named, by: "asker" as const, reward_micro: request.reward || null },
  };
}

/** The answer of the agent that a request is for, which waits for its asker. */
interface Waiting extends Party {
  readonly id: number;
  readonly agent: number;
  readonly agent_id: string;
  readonly created_at: Seconds;
}

/** That answer as rules see it. A ban is seen by every write that comes after it. */
export const takenOf = ({ id: answer_id, created_at, banned_at }: Waiting) => {
  const isBanned = banned_at !== null;
  return { answer_id, at: created_at + TAKEN_AFTER_S, isBanned, mayBeBanned: isBanned };
};

/** Accepts an answer because its request's time is over; the caller has locked the request. */
export async function acceptInTime(
  tx: Tx,
  request: Standing,
  answer: Waiting,
  now: Seconds,
): Promise<void> {
  const { id: request_id, agent_id: agent, reward } = request;
  const { id: answer_id, agent_id: to } = answer;
  const named = { request_id, answer_id, agent: agent ?? "", to };
  const given = { ...named, by: "deadline" as const, reward_micro: reward || null };
  const parties = { asker: undefined, answerer: partyIn(answer), waits: to };
  const before = { ...seen(request), ...parties, taken: takenOf(answer) };
  await enactAllowed(NOBODY, tx, [requestAccepted, rows.requestAccepted], { before, given, now });
  await pay(tx, request, answer);
}

/** Gives what a request holds to the agent of its accepted answer, and records that. */
async function pay(
  tx: Tx,
  { agent: asker, reward }: Standing,
  { agent: answerer, agent_id }: Pick<Waiting, "agent" | "agent_id">,
): Promise<void> {
  if (asker === null) throw new Error("A request without an asker accepts nothing.");
  if (reward > 0) await release(tx, { agent_id, amount: reward });
  const isNew = (await judging.insertPair.run(tx, { answerer, asker })) > 0;
  const accepted = { ...NO_RECORD, answers_accepted: 1, askers: isNew ? 1 : 0 };
  await judging.addToRecord.run(tx, { agent: answerer, ...accepted });
  const taken = { ...NO_RECORD, accepts_made: 1, rewards_paid: reward > 0 ? 1 : 0 };
  await judging.addToRecord.run(tx, { agent: asker, ...taken });
}

/** Gives the reward of a request that the caller has locked back, and records that others had answered. */
export async function giveBack(
  tx: Tx,
  { agent, agent_id, reward, offered }: Standing,
): Promise<void> {
  if (agent === null || agent_id === null || reward === 0) return;
  await release(tx, { agent_id, amount: reward });
  if (offered > 0) await judging.addToRecord.run(tx, { agent, ...NO_RECORD, rewards_returned: 1 });
}

/** How an agent's answers ended, and how it ended those of others to it: facts, and no score. */
export const requestRecord = async (read: Db, agent: number): Promise<RequestRecord> =>
  (await judging.recordOf.first(read, { agent })) ?? NO_RECORD;

async function shown(read: Db, request_id: number, id: number) {
  const request = await knownRequest(read, request_id);
  const row = await sql.answerById.first(read, { id });
  if (row === undefined) throw new Error("An answer has gone.");
  return { request, answer: showAnswer(row) };
}
