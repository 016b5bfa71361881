import type { Agent, Context } from "../context.ts";
import { findAgent } from "../identity/agents.ts";
import type { Rejects } from "../kernel/contract/errors.ts";
import type { Handlers } from "../kernel/contract/operation.ts";
import { cutParts } from "../kernel/contract/page.ts";
import { append } from "../ledger/append.ts";
import { addAnswer } from "./answering.ts";
import {
  findRequest,
  knownRequest,
  newestRequests,
  partsOf,
  refuseEnded,
  refuseRequest,
  showAnswer,
} from "./board.ts";
import { answerCursor, type delegated, requestCursor, type requests } from "./contract.ts";
import * as entries from "./entries.ts";
import { followUp, openRequest, withdrawRequest } from "./intake.ts";
import { acceptAnswer, refuseAnswer } from "./judging.ts";
import * as sql from "./queries.ts";
import { ANSWERS_SHOWN_MAX, FOLLOW_UPS_MAX } from "./rules.ts";

/** What an asker does, by each door. */
export const delegatedHandlers: Handlers<typeof delegated, Context, Agent> = {
  async create(context, { text, parts, ...sent }) {
    const { agent: from, repeated } = context;
    if (repeated != null) {
      const request = await knownRequest(context.read, Number(repeated));
      return { id: request.id, request };
    }
    const request = await openRequest(context, { from, text, parts, ...sent });
    return { id: request.id, request };
  },

  async reply(context, { request_id, text, parts, message_id }) {
    const { agent: from, read, clock, reject } = context;
    await refuseOther(context, request_id);
    const outcome = await followUp(context, { request_id, from, text, parts, message_id });
    if (outcome === "full")
      reject("reply_limit", `A request takes ${FOLLOW_UPS_MAX} replies of its asker.`);
    if (outcome === "closed") {
      const standing =
        (await sql.standingOf.first(read, { id: request_id })) ?? refuseRequest(context);
      refuseEnded(context, standing, clock.now());
      reject("request_ended", "The request is answered, which is final. Make another one.");
    }
    return { request: await knownRequest(read, request_id) };
  },

  accept: (context, { answer_id }) => acceptAnswer(context, context.agent, answer_id),

  refuse: (context, { answer_id, reason }) =>
    refuseAnswer(context, context.agent, { answer_id, reason }),

  async withdraw(context, { request_id }) {
    const { agent: by, read, reject } = context;
    await refuseOther(context, request_id);
    const outcome = await withdrawRequest(context, { request_id, by });
    if (outcome === "waiting")
      reject("answer_waiting", "An answer waits for you. Accept or refuse it first.");
    const request = await knownRequest(read, request_id);
    if (outcome === "closed" && request.status !== "withdrawn")
      reject("request_ended", "The request is answered and cannot be withdrawn.");
    return { request };
  },
};

export const requestsHandlers: Handlers<typeof requests, Context, Agent> = {
  ...delegatedHandlers,

  async list(context, { status, wanted, agent, limit, cursor }) {
    const of = agent === undefined ? undefined : await findAgent(context, agent);
    const { items: requests, more } = await newestRequests(context.read, {
      status,
      agent: of?.id,
      wanted: wanted === undefined ? undefined : 1,
      before_id: cursor?.id,
      limit,
    });
    const last = requests.at(-1);
    const next = more && last !== undefined ? requestCursor.after(last) : null;
    return { requests, count: requests.length, more, next };
  },

  get({ snapshot, reject }, { id }) {
    return snapshot(async (db) => {
      const request = await findRequest({ read: db, reject }, id);
      const [messages, answers] = await Promise.all([
        sql.followUps.all(db, { request: id }),
        sql.newestAnswers.all(db, { request: id, before_id: ALL, limit: ANSWERS_SHOWN_MAX + 1 }),
      ]);
      const parts = {
        messages: messages.map(({ parts, ...row }) => ({
          ...row,
          parts: partsOf(parts),
          verified: false as const,
        })),
        answers: answers.map(showAnswer),
      };
      const limits = { messages: FOLLOW_UPS_MAX, answers: ANSWERS_SHOWN_MAX };
      return { request, ...cutParts(parts, limits) };
    });
  },

  answers: ({ snapshot, reject }, { id, limit, cursor }) =>
    snapshot(async (read) => {
      await findRequest({ read, reject }, id);
      const range = { request: id, before_id: cursor?.id ?? ALL, limit: limit + 1 };
      const found = (await sql.newestAnswers.all(read, range)).map(showAnswer);
      return answerCursor.list("answers", found, limit);
    }),

  async getAnswer({ read, reject }, { id }) {
    const row = await sql.answerById.first(read, { id });
    if (row === undefined)
      return reject(
        "answer_not_found",
        "There is no answer with this id. {requests.answers} lists the answers to a request.",
      );
    return { answer: showAnswer(row) };
  },

  async answer(context, sent) {
    const { read, agent, repeated } = context;
    if (repeated == null) return addAnswer(context, agent, sent);
    const row = await sql.answerById.first(read, { id: Number(repeated) });
    if (row === undefined) throw new Error("An answer was given and is not there.");
    return { id: row.id, answer: { ...showAnswer(row), client_ref: sent.client_ref ?? null } };
  },

  async want(context, { request_id, wanted }) {
    const { read, write, agent, reject } = context;
    const standing =
      (await sql.standingOf.first(read, { id: request_id })) ?? refuseRequest(context);
    if (standing.agent !== agent.id)
      return reject("wrong_role", "Only its asker says whether a request is wanted.");
    return write(async (tx) => {
      const changed = await sql.setWanted.first(tx, { id: request_id, wanted });
      const request = await findRequest({ read: tx, reject }, request_id);
      if (request.status === "withdrawn") return refuseWithdrawn(context);
      if (request.accepted_by !== null)
        return reject("request_ended", "The request has its accepted answer.");
      const fields = { request_id, agent: agent.agent_id, wanted: wanted === 1 ? 1 : 0 } as const;
      if (changed !== undefined) append(tx, entries.requestWanted, fields, changed.n);
      return { request };
    });
  },
};

async function refuseOther(
  context: Pick<Context, "read"> & { readonly agent: Agent } & Rejects<
      "request_not_found" | "wrong_role"
    >,
  id: number,
): Promise<void> {
  const { read, agent, reject } = context;
  const standing = (await sql.standingOf.first(read, { id })) ?? refuseRequest(context);
  if (standing.agent !== agent.id)
    reject("wrong_role", "This is for the asker of the request to do.");
}

const ALL = Number.MAX_SAFE_INTEGER;

const refuseWithdrawn = ({ reject }: Rejects<"request_withdrawn">): never =>
  reject("request_withdrawn", "The request was withdrawn. Choose another one of {requests.list}.");
