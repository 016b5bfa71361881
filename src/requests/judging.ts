import { release } from "../coin/holding.ts";
import type { Agent, Context } from "../context.ts";
import type { Db, Tx } from "../db/engine.ts";
import type { Rejects } from "../kernel/contract/errors.ts";
import { flagOf } from "../kernel/flags.ts";
import type { Seconds } from "../kernel/time.ts";
import { enactSurely } from "../ledger/rows/enact.ts";
import { knownRequest, lockRequest, refuseEnded, showAnswer } from "./board.ts";
import * as judging from "./judging-queries.ts";
import * as sql from "./queries.ts";
import { NO_RECORD, type RequestRecord } from "./record.ts";
import { rows } from "./rows.ts";

type Judges = Rejects<"answer_not_found" | "wrong_role" | "request_withdrawn" | "request_ended">;
type Needs = Pick<Context, "read" | "write" | "clock">;
type Standing = Awaited<ReturnType<typeof lockRequest>>;
type Judged = NonNullable<Awaited<ReturnType<typeof judging.answerToJudge.first>>>;

/** Accepts an answer: the request ends, and what it holds is the agent's that answered. */
export async function acceptAnswer(
  context: Needs & { readonly repeated?: string | null } & Judges & Rejects<"recipient_banned">,
  asker: Agent,
  answer_id: number,
) {
  const { read, write, clock, reject, repeated } = context;
  const { request } = await find(context, asker, answer_id);
  const isDone = async (db: typeof read) => {
    const { status, ends, answered_by } = await knownRequest(db, request);
    return status === "answered" && ends === "accepted" && answered_by === answer_id;
  };
  const again = async () => {
    const made = await shown(context, request, answer_id);
    return { ...made, repeated: true as const };
  };
  if (repeated != null || (await isDone(read))) return again();
  const isMade = await write(async (tx) => {
    const locked = await lockRequest(tx, request);
    if (await isDone(tx)) return false;
    const at = clock.now();
    refuseEnded(context, locked, at);
    const answer = await findWaiting(context, tx, answer_id);
    if (answer.banned_at !== null)
      reject("recipient_banned", "The agent of this answer is banned. Refuse it, or take another.");
    await accept(tx, locked, { answer, by: "asker", at });
    return true;
  });
  return isMade ? shown(context, request, answer_id) : again();
}

/** Refuses an answer in public; its agent may answer again. */
export async function refuseAnswer(
  context: Needs & { readonly repeated?: string | null } & Judges,
  asker: Agent,
  { answer_id, reason }: { readonly answer_id: number; readonly reason: string },
) {
  const { write, clock, repeated } = context;
  const { request } = await find(context, asker, answer_id);
  if (repeated != null) return shown(context, request, answer_id);
  await write(async (tx) => {
    const locked = await lockRequest(tx, request);
    const at = clock.now();
    refuseEnded(context, locked, at);
    const answer = await findWaiting(context, tx, answer_id);
    const isMeant = answer.agent === locked.meant_for;
    const deadline_at = isMeant ? locked.closes_at : locked.deadline_at;
    const named = { request_id: request, answer_id, agent: asker.agent_id, to: answer.agent_id };
    const said = { reason, flagged: flagOf(reason), deadline_at };
    await enactSurely(tx, rows.requestRefused, { ...named, ...said }, at);
    await judging.addToRecord.run(tx, { agent: asker.id, ...NO_RECORD, refusals_made: 1 });
  });
  return shown(context, request, answer_id);
}

/** An answer to a request of this agent that ends with an accepted one. */
async function find(
  { read, reject }: Pick<Needs, "read"> & Judges,
  asker: Agent,
  id: number,
): Promise<Judged> {
  const answer = await judging.answerToJudge.first(read, { id });
  if (answer === undefined)
    return reject(
      "answer_not_found",
      "There is no answer with this id. {requests.answers} lists the answers to a request.",
    );
  const standing = await sql.standingOf.first(read, { id: answer.request });
  if (standing?.agent !== asker.id)
    return reject("wrong_role", "Only its asker judges the answers to a request.");
  if (standing.ends !== "accepted")
    return reject("request_ended", "This request ends with its first answer: nothing is accepted.");
  return answer;
}

/** The same, if it still waits; the request is locked. */
async function findWaiting({ reject }: Judges, tx: Tx, id: number): Promise<Judged> {
  const answer = await judging.answerToJudge.first(tx, { id });
  const isWaiting = answer?.sort === "answer" && answer.refused_at === null;
  if (answer === undefined || !isWaiting)
    return reject("answer_not_found", "No answer with this id waits for you.");
  return answer;
}

interface Acceptance {
  readonly answer: Pick<Judged, "id" | "agent" | "agent_id">;
  readonly by: "asker" | "deadline";
  readonly at: Seconds;
}

/** Ends a request that the caller has locked with one of its answers. */
export async function accept(
  tx: Tx,
  { id, agent: asker, agent_id, reward }: Standing,
  { answer, by, at }: Acceptance,
): Promise<void> {
  if (asker === null) throw new Error("A request without an asker accepts nothing.");
  const named = { request_id: id, answer_id: answer.id, agent: agent_id ?? "", by };
  const paid = { to: answer.agent_id, reward_micro: reward || null };
  await enactSurely(tx, rows.requestAccepted, { ...named, ...paid }, at);
  if (reward > 0) await release(tx, { agent_id: answer.agent_id, amount: reward });
  const isNew = (await judging.insertPair.run(tx, { answerer: answer.agent, asker })) > 0;
  const accepted = { ...NO_RECORD, answers_accepted: 1, askers: isNew ? 1 : 0 };
  await judging.addToRecord.run(tx, { agent: answer.agent, ...accepted });
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

async function shown(
  { read, reject }: Pick<Needs, "read"> & Judges,
  request_id: number,
  id: number,
) {
  const request = await knownRequest(read, request_id);
  const row = await sql.answerById.first(read, { id });
  if (row === undefined)
    return reject(
      "answer_not_found",
      "There is no answer with this id. {requests.answers} lists the answers to a request.",
    );
  return { request, answer: showAnswer(row) };
}
