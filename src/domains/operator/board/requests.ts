import * as z from "zod";
import { STATUSES, stateOf } from "../../requests/rules.ts";
import { requestWithdraw } from "../acts/contents.ts";
import { textHide } from "../acts/texts.ts";
import { AGENT, CREATED, ID } from "../columns.ts";
import { type Column, list, offered, thing } from "../look.ts";
import { id, oneOf } from "../values.ts";
import * as sql from "./request-queries.ts";

/** Answers shown beside one request. */
const ANSWERS_MAX = 50;

const STATE: Column = { key: "state", title: "state", as: "word" };
const TEXT: Column = { key: "text", title: "text", as: "text" };
/** How a request ends, and what its asker has promised. */
const TERMS: readonly Column[] = [
  { key: "ends", title: "ends", as: "word" },
  { key: "reward_micro", title: "reward", as: "coin" },
  { key: "closes_at", title: "closes", as: "time" },
];

type Stored = Awaited<ReturnType<typeof sql.requests.all>>[number];

/** A request's row as it is shown: answers that are refused or waiting count, too. */
function rowOf<Of extends Stored>(row: Of) {
  const {
    status: _,
    overdue: __,
    asked_at: ___,
    reward,
    answers_count,
    offered: sent,
    ...shown
  } = row;
  const answers = Math.max(answers_count, sent);
  return { ...shown, state: stateOf(row), reward_micro: reward === 0 ? null : reward, answers };
}

const requestList = list({
  name: "request list",
  summary: "list requests with their terms, newest first",
  input: z.object({
    status: oneOf(...STATUSES)
      .optional()
      .describe("only those in one status"),
  }),
  columns: [
    { ...ID, opens: "request show" },
    STATE,
    { ...AGENT, title: "asker" },
    ...TERMS,
    { key: "answers", title: "answers", as: "number" },
    { key: "waiting", title: "to judge", as: "number" },
    CREATED,
    TEXT,
  ],
  goesOn: "before",
  rows: async ({ read }, { status }, { limit, from: before = Number.MAX_SAFE_INTEGER }) =>
    (await sql.requests.all(read, { status, before, limit })).map(rowOf),
});

const requestShow = thing({
  name: "request show",
  summary: "show a request with its terms and its newest answers",
  acts: ({ row: { id, status_at } }) => [
    ...(status_at === null ? [offered(requestWithdraw, { id })] : []),
    offered(textHide, { kind: "request", id: String(id) }),
  ],
  input: z.object({ id: id.describe("its id") }),
  operands: ["id"],
  columns: [
    { ...ID, title: "request" },
    STATE,
    { ...AGENT, title: "asker" },
    ...TERMS,
    { key: "deadline_at", title: "ends by itself", as: "time" },
    { key: "capability", title: "capability", as: "text" },
    { ...AGENT, key: "meant_for", title: "for" },
    { key: "answers", title: "answers", as: "number" },
    { key: "waiting", title: "to judge", as: "number" },
    { key: "answered_by", title: "ended by answer", as: "id" },
    { key: "accepted_by", title: "accepted by", as: "word" },
    { key: "withdrawn_by", title: "withdrawn by", as: "word" },
    { key: "flagged", title: "flag", as: "word" },
    CREATED,
    { key: "status_at", title: "ended", as: "time" },
    TEXT,
  ],
  async see({ read, reject }, { id: request }) {
    const [row, rows] = await Promise.all([
      sql.requestById.first(read, { id: request }),
      sql.answers.all(read, { request, limit: ANSWERS_MAX }),
    ]);
    if (row === undefined) return reject("request_not_found", "There is no request with this id.");
    const hasEnded = row.status !== "open";
    const shown = {
      ...rowOf(row),
      status_at: hasEnded ? row.status_at : null,
      withdrawn_by: row.overdue === 1 ? null : row.withdrawn_by,
    };
    const title = `Answers, the newest ${ANSWERS_MAX}`;
    return { row: shown, lists: [{ name: "answers", title, columns: ANSWERS, rows }] };
  },
});

const ANSWERS: readonly Column[] = [
  ID,
  AGENT,
  { key: "sort", title: "kind", as: "word" },
  { key: "refused_at", title: "refused", as: "time" },
  { key: "reason", title: "why", as: "text" },
  CREATED,
  { key: "answer", title: "text", as: "text" },
];

export const REQUEST_LOOKS = [requestList, requestShow];
