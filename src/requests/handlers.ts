import type { Agent, Context } from "../context.ts";
import type { Rejects } from "../kernel/contract/errors.ts";
import type { Handlers } from "../kernel/contract/operation.ts";
import { cutParts } from "../kernel/contract/page.ts";
import { flagOf } from "../kernel/flags.ts";
import { append } from "../ledger/append.ts";
import { sha256Hex } from "../ledger/sha256.ts";
import { findRequest, newestRequests, partsOf, refuseRequest, showAnswer } from "./board.ts";
import { answerCursor, requestCursor, type requests } from "./contract.ts";
import * as entries from "./entries.ts";
import * as sql from "./queries.ts";
import { ANSWERS_SHOWN_MAX, FOLLOW_UPS_MAX } from "./rules.ts";

export const requestsHandlers: Handlers<typeof requests, Context, Agent> = {
  async list({ read }, { status, wanted, limit, cursor }) {
    const { items: requests, more } = await newestRequests(read, {
      status,
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
      const { items: answers, more, next } = answerCursor.page(found, limit);
      return { answers, count: answers.length, more, next };
    }),

  async getAnswer({ read, reject }, { id }) {
    const row = await sql.answerById.first(read, { id });
    if (row === undefined) return reject("answer_not_found", "There is no answer with this id.");
    return { answer: showAnswer(row) };
  },

  async answer(context, { request_id, answer, client_ref = null }) {
    const { read, write, clock, agent } = context;
    const standing =
      (await sql.standingOf.first(read, { id: request_id })) ?? refuseRequest(context);
    if (standing.status === "withdrawn") refuseWithdrawn(context);
    const own = standing.agent === agent.id;
    const flagged = flagOf(answer);
    const answer_sha256 = sha256Hex(answer);

    return write(async (tx) => {
      const stored = { answer, flagged, client_ref, created_at: clock.now() };
      const row = await sql.insertAnswer.first(tx, {
        request: request_id,
        agent: agent.id,
        ...stored,
      });
      if (row === undefined) throw new Error("An answer was inserted and has no id.");
      const change = { id: request_id, answer: row.id, at: stored.created_at };
      const record = own ? sql.recordOwnAnswer : sql.recordAnswer;
      if ((await record.run(tx, change)) === 0) refuseWithdrawn(context);
      append(tx, entries.requestAnswer, row.id, {
        answer_id: row.id,
        request_id,
        agent: agent.agent_id,
        own: own ? 1 : 0,
        open: own ? 1 : undefined,
        answer_sha256,
        flagged: flagged ?? undefined,
      });
      const author = { agent_id: agent.agent_id, handle: agent.handle };
      return {
        id: row.id,
        answer: { id: row.id, request_id, ...stored, agent: author, own, verified: false as const },
      };
    });
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
      if (changed !== undefined)
        append(tx, entries.requestWanted, `${request_id}/${changed.n}`, {
          request_id,
          agent: agent.agent_id,
          wanted: wanted === 1 ? 1 : 0,
        });
      return { request };
    });
  },
};

const ALL = Number.MAX_SAFE_INTEGER;

const refuseWithdrawn = ({ reject }: Rejects<"request_withdrawn">): never =>
  reject("request_withdrawn", "The request was withdrawn. Choose another one of {requests.list}.");
