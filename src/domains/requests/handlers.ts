import type { Agent, Context } from "../../platform/context.ts";
import type { Handlers } from "../../platform/kernel/contract/operation.ts";
import { cutParts } from "../../platform/kernel/contract/page.ts";
import { append } from "../../platform/ledger/append.ts";
import { decideChange } from "../../platform/ledger/decide.ts";
import { findAgent } from "../identity/agents.ts";
import { addAnswer } from "./answering.ts";
import {
  findRequest,
  knownRequest,
  lockRequest,
  newestRequests,
  partsOf,
  refuseUnknownAnswer,
  type Standing,
  seen,
  showAnswer,
  standingOf,
} from "./board.ts";
import { answerCursor, type delegated, requestCursor, type requests } from "./contract.ts";
import * as entries from "./entries.ts";
import { followUp, openRequest, takeBack } from "./intake.ts";
import { acceptAnswer, refuseAnswer } from "./judging.ts";
import { requestWanted } from "./ledger.ts";
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
    await followUp(context, { request_id, from: context.agent, text, parts, message_id });
    const { read } = context;
    return { request: await knownRequest(read, request_id) };
  },

  accept: (context, { answer_id }) => acceptAnswer(context, context.agent, answer_id),

  refuse: (context, { answer_id, reason }) =>
    refuseAnswer(context, context.agent, { answer_id, reason }),

  async withdraw(context, { request_id }) {
    await takeBack(context, { request_id, by: context.agent });
    const { read } = context;
    return { request: await knownRequest(read, request_id) };
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
    return row === undefined ? refuseUnknownAnswer({ reject }) : { answer: showAnswer(row) };
  },

  async answer(context, sent) {
    const { read, agent, repeated } = context;
    if (repeated == null) return addAnswer(context, agent, sent);
    const row = await sql.answerById.first(read, { id: Number(repeated) });
    if (row === undefined) throw new Error("An answer was given and is not there.");
    return { id: row.id, answer: { ...showAnswer(row), client_ref: sent.client_ref ?? null } };
  },

  async want(context, { request_id, wanted }) {
    const { write, clock, agent } = context;
    const isChanged = (standing: Standing) => {
      const seenSo = seen(standing);
      const body = { request_id, agent: agent.agent_id, wanted: wanted === 1 ? 1 : 0 } as const;
      const proposal = { body, now: clock.now(), n: standing.wants + 1, same: "same" } as const;
      return decideChange(context, requestWanted, seenSo, proposal) ? proposal : null;
    };
    isChanged(await standingOf(context, request_id));
    return write(async (tx) => {
      const change = isChanged(await lockRequest(tx, request_id));
      if (change !== null) {
        await sql.setWanted.run(tx, { id: request_id, wanted: change.body.wanted });
        append(tx, entries.requestWanted, change.body, change.n);
      }
      return { request: await knownRequest(tx, request_id) };
    });
  },
};

const ALL = Number.MAX_SAFE_INTEGER;
