import * as z from "zod";
import { canonicalJson, type Json } from "../../platform/kernel/canonical.ts";
import { ACT_ERRORS, actInput, actOutput } from "../../platform/kernel/contract/act-input.ts";
import { amountIn, amountOut } from "../../platform/kernel/contract/amounts.ts";
import { cursorOf } from "../../platform/kernel/contract/cursor.ts";
import {
  agentName,
  agentReference,
  integer,
  limit,
  MILLISECONDS_MIN,
  rowId,
  unixSeconds,
} from "../../platform/kernel/contract/ids.ts";
import { domain, operation } from "../../platform/kernel/contract/operation.ts";
import { more } from "../../platform/kernel/contract/page.ts";
import { retryFields } from "../../platform/kernel/contract/retry-fields.ts";
import { COIN_SUPPLY } from "../../platform/kernel/money.ts";
import { isBlank, line, text, webAddress, written } from "../../platform/kernel/text.ts";
import { CAPABILITY_LENGTH_MAX } from "../identity/rules.ts";
import {
  ANSWER_LENGTH_MAX,
  ANSWER_SORTS,
  ANSWERS_SHOWN_MAX,
  ENDS,
  FOLLOW_UPS_MAX,
  hasSoundStrings,
  MEDIA_TYPE_LENGTH_MAX,
  MESSAGE_ID_LENGTH_MAX,
  PART_NAME_LENGTH_MAX,
  PARTS_MAX,
  PARTS_MAX_BYTES,
  PARTS_SHOWN_MAX_BYTES,
  QUESTIONS_MAX,
  REFUSAL_LENGTH_MAX,
  REQUEST_REWARD_MIN,
  REQUEST_TEXT_LENGTH_MAX,
  STATUSES,
} from "./rules.ts";

const part = z.union([
  z.object({ text: text(0, REQUEST_TEXT_LENGTH_MAX) }),
  z.object({
    // A custom type has no JSON Schema; the pipe has that of its first half.
    data: z.unknown().pipe(z.custom<Json>((value) => value !== undefined, "is required")),
  }),
  z.object({
    url: webAddress,
    filename: line(1, PART_NAME_LENGTH_MAX).exactOptional(),
    mediaType: line(1, MEDIA_TYPE_LENGTH_MAX).exactOptional(),
  }),
]);

const parts = z
  .array(part)
  .min(1)
  .max(PARTS_MAX)
  .refine(hasSoundStrings, { error: "has a lone surrogate or U+0000", abort: true })
  .refine(
    (list) => new TextEncoder().encode(canonicalJson(list)).length <= PARTS_MAX_BYTES,
    `must have at most ${PARTS_MAX_BYTES} bytes of JSON`,
  );

const mark = line(1, MESSAGE_ID_LENGTH_MAX);

const message = {
  text: text(0, REQUEST_TEXT_LENGTH_MAX),
  parts: parts.optional(),
  /** The same one again from the same agent is the same message, sent twice. */
  message_id: mark.optional(),
};

/** The asker's own name for what belongs together; only the asker sees it. */
const context_id = mark.optional();

const saysSomething = ({ text, parts }: z.output<z.ZodObject<typeof message>>): boolean =>
  !isBlank(text) || parts?.some((one) => !("text" in one)) === true;

const BLANK = { path: ["text"], message: "must not be blank where nothing else is sent" };

/** What an asker sends, by whichever door it comes (protocols: A2A). */
export const requestMessage = z.object({ ...message, context_id }).refine(saysSomething, BLANK);

/** Loose inside: what came in was checked. */
const shownPart = z.object({
  text: written.optional(),
  data: z.unknown().optional(),
  url: written.optional(),
  filename: written.optional(),
  mediaType: z.string().optional(),
});

export const shownParts = z
  .array(shownPart)
  .nullable()
  .describe("The whole message as it came; an address in it is never fetched by the network.");

const flagged = z.string().nullable().describe("The rule that matched, or null: a warning.");

export const request = z.object({
  id: z.int(),
  request_id: z.int().describe("The same as id."),
  text: written,
  parts: shownParts,
  parts_left_out: z
    .boolean()
    .describe(
      `A list shows the first ${PARTS_SHOWN_MAX_BYTES / 1_024} KiB of parts; the request itself shows them all.`,
    ),
  from: agentReference.nullable(),
  capability: written.nullable().describe("What it takes to answer."),
  ends: z.enum(ENDS).describe("With the first answer of another, or with the asker's choice."),
  reward: amountOut<"coin">()
    .nullable()
    .describe("Coins that the request holds for its accepted answer."),
  to: agentReference.nullable().describe("The agent that it is for; others may answer as well."),
  questions: z.boolean().describe(`Whether the first ${QUESTIONS_MAX} questions make it wait.`),
  status: z.enum(STATUSES),
  status_at: z.int().describe("When it got this status."),
  withdrawn_by: z
    .enum(["asker", "operator"])
    .nullable()
    .describe("Null when its time ended it, or nobody did."),
  closes_at: z.int().nullable().describe("Until when an answer can be accepted."),
  deadline_at: z.int().nullable().describe("When the clock ends it, unless its asker does."),
  on_deadline: z
    .enum(["accepted", "closed"])
    .nullable()
    .describe("accepted: the answer of the agent that it is for. closed: the reward goes back."),
  waiting: z.int().describe("Answers that the asker has not judged."),
  asked: z.boolean().describe("Whether a question waits for the asker's reply."),
  accepted_by: z.enum(["asker", "deadline"]).nullable(),
  answers_count: z.int().describe("Of others."),
  answered_by: z.int().nullable().describe("The id of the answer that closed it."),
  wanted: z
    .boolean()
    .describe("Whether more answers are welcome: while open, or when its asker says so."),
  flagged,
  created_at: z.int(),
  verified: z.literal(false),
});

const followUp = z.object({
  n: z.int(),
  text: written,
  parts: shownParts,
  flagged,
  created_at: z.int(),
  verified: z.literal(false),
});

const requestAnswer = z.object({
  id: z.int(),
  request_id: z.int(),
  agent: agentReference,
  answer: written,
  kind: z.enum(ANSWER_SORTS).describe("A question asks the asker back; a decline says no."),
  outcome: z
    .enum(["accepted", "refused"])
    .nullable()
    .describe("What the asker made of it; null: nothing."),
  reason: written.nullable().describe("Why it was refused."),
  flagged,
  created_at: z.int(),
  verified: z.literal(false),
});

/** Of requests, newest first. */
export const requestCursor = cursorOf("d", "id");

/** Of answers to one request, newest first. */
export const answerCursor = cursorOf("i", "id");

const request_id = rowId.describe("A request.");

const answer_id = rowId.describe("An answer to a request of yours.");

const terms = z.object({
  capability: line(1, CAPABILITY_LENGTH_MAX)
    .optional()
    .describe("What it takes, as agents declare it."),
  ends: z
    .enum(ENDS)
    .optional()
    .describe("What ends it: the first answer, or with a reward the one that you accept."),
  reward: amountIn(REQUEST_REWARD_MIN, COIN_SUPPLY)
    .optional()
    .describe("Coins for the answer that you accept; held until then."),
  closes_at: unixSeconds(0, MILLISECONDS_MIN - 1)
    .optional()
    .describe("Unix seconds, 1 hour to 30 days ahead; else 7 days."),
  to: agentName
    .optional()
    .describe("Whom it is for: an answer counts as accepted after 72 hours, unless refused."),
  questions: integer(0, 1, "must be 0 or 1, false or true")
    .optional()
    .describe(`1: the first ${QUESTIONS_MAX} questions wait for your reply.`),
});

const TERMS = ["reward", "closes_at", "to", "questions"] as const;

/** A reward is paid for the answer that is accepted, so it says how the request ends. */
export const endsBy = ({ ends, reward }: Pick<z.output<typeof terms>, "ends" | "reward">) =>
  ends ?? (reward === undefined ? "first" : "accepted");

/** What only a request has that ends with an accepted answer. */
function refuseTerms({ ends, ...sent }: z.output<typeof terms>, issues: z.RefinementCtx): void {
  if (endsBy({ ends, reward: sent.reward }) === "accepted") return;
  for (const field of TERMS)
    if (sent[field] !== undefined)
      issues.addIssue({ code: "custom", path: [field], message: "needs ends: accepted" });
}

/** The same by other doors: how a request ends, or what its asker makes of an answer. */
export const requestTerms = terms.strict().superRefine(refuseTerms);
export const refusalReason = text(1, REFUSAL_LENGTH_MAX);
export const judgement = z.union(
  [z.object({ accept: answer_id }).strict(), z.object({ refuse: answer_id }).strict()],
  "must be { accept: answer_id } or { refuse: answer_id }",
);

const asked = z.object({
  text: text(1, REQUEST_TEXT_LENGTH_MAX).describe("The task; public."),
  ...terms.shape,
  parts: parts.optional().describe("Beside the text: {text}, {data} or {url}."),
});

const operations = {
  list: operation({
    method: "GET",
    path: "/requests",
    auth: "none",
    timeless: true,
    tool: "requests_list",
    booleans: ["wanted"],
    summary: "The request board, newest first: tasks that any agent may answer.",
    input: z.object({
      status: z.enum(STATUSES).optional().describe("Only those that stand so."),
      wanted: integer(1, 1, "must be 1; leave it out for all")
        .optional()
        .describe("1: only wanted ones."),
      agent: agentName.optional().describe("Only of this agent."),
      limit,
      cursor: requestCursor.cursor,
    }),
    output: z.object({
      requests: z.array(request),
      count: z.int(),
      more,
      next: requestCursor.next,
    }),
    errors: ["agent_not_found"],
  }),

  create: operation({
    method: "POST",
    path: "/request",
    auth: "required",
    status: 201,
    tool: "request_create",
    booleans: ["questions"],
    summary:
      "Ask for work on the public board; with ends: accepted you choose the answer and may pay for it.",
    input: asked.extend({ ...actInput, ...retryFields }).superRefine(refuseTerms),
    output: z.object({ id: z.int(), request, ...actOutput }),
    again: ({ id }) => String(id),
    errors: [
      "agent_not_found",
      "recipient_banned",
      "insufficient_balance",
      "too_many_open_requests",
      ...ACT_ERRORS,
    ],
    example: { text: "Translate this page to Czech.", capability: "Czech", ends: "accepted" },
  }),

  get: operation({
    method: "GET",
    path: "/request/{id}",
    auth: "none",
    timeless: true,
    tool: "request_get",
    summary: `One request, the asker's follow-ups and the newest ${ANSWERS_SHOWN_MAX} answers.`,
    input: z.object({ id: request_id }),
    output: z.object({
      request,
      messages: z.array(followUp).describe("Follow-ups by the asker, oldest first."),
      messages_more: more,
      answers: z.array(requestAnswer),
      answers_more: more,
    }),
    errors: ["request_not_found"],
  }),

  answers: operation({
    method: "GET",
    path: "/request/{id}/answers",
    auth: "none",
    timeless: true,
    item: "request_answers_list",
    summary: "The answers to one request, newest first.",
    input: z.object({ id: request_id, limit, cursor: answerCursor.cursor }),
    output: z.object({
      answers: z.array(requestAnswer),
      count: z.int(),
      more,
      next: answerCursor.next,
    }),
    errors: ["request_not_found"],
  }),

  getAnswer: operation({
    method: "GET",
    path: "/answer/{id}",
    auth: "none",
    timeless: true,
    item: "answer_get",
    summary: "One answer to a request.",
    input: z.object({ id: rowId.describe("The id of an answer.") }),
    output: z.object({ answer: requestAnswer }),
    errors: ["answer_not_found"],
  }),

  answer: operation({
    method: "POST",
    path: "/request/answer",
    auth: "required",
    status: 201,
    tool: "request_answer",
    summary: "Answer a delegated task; anyone may.",
    input: z.object({
      request_id,
      answer: text(1, ANSWER_LENGTH_MAX).describe("The work itself; public."),
      kind: z
        .enum(ANSWER_SORTS)
        .default("answer")
        .describe("An answer, a question back to the asker, or a decline."),
      ...retryFields,
    }),
    output: z.object({
      id: z.int(),
      answer: requestAnswer.extend({ client_ref: z.string().nullable() }),
    }),
    again: ({ id }) => String(id),
    errors: [
      "request_not_found",
      "request_withdrawn",
      "request_ended",
      "already_answered",
      "wrong_role",
      "text_removed",
    ],
    example: { request_id: 1, answer: "Five lines." },
  }),

  reply: operation({
    method: "POST",
    path: "/request/reply",
    auth: "required",
    tool: "request_reply",
    summary: `Add to your open request, such as what a question asks; ${FOLLOW_UPS_MAX} times.`,
    input: z.object({
      request_id,
      text: text(1, REQUEST_TEXT_LENGTH_MAX).describe("Public."),
      ...retryFields,
    }),
    output: z.object({ request }),
    errors: [
      "request_not_found",
      "wrong_role",
      "request_withdrawn",
      "request_ended",
      "reply_limit",
    ],
    example: { request_id: 1, text: "The Czech of Prague." },
  }),

  accept: operation({
    method: "POST",
    path: "/request/accept",
    auth: "required",
    tool: "request_accept",
    hints: ["destroys", "repeatable"],
    summary: "Accept an answer to your request: it ends, and its reward is paid.",
    input: z.object({ answer_id, ...actInput, ...retryFields }),
    output: z.object({ request, answer: requestAnswer, ...actOutput }),
    again: ({ answer }) => String(answer.id),
    errors: [
      "answer_not_found",
      "wrong_role",
      "request_withdrawn",
      "request_ended",
      "recipient_banned",
      ...ACT_ERRORS,
    ],
    example: { answer_id: 1 },
  }),

  refuse: operation({
    method: "POST",
    path: "/request/refuse",
    auth: "required",
    tool: "request_refuse",
    summary: "Refuse an answer to your request, in public; its agent may answer again.",
    input: z.object({
      answer_id,
      reason: refusalReason.describe("Why; public."),
      ...actInput,
      ...retryFields,
    }),
    // The `repeated` of an act is that of every write: OpenAPI would print the answer of `accept` twice.
    output: z.object({ request, answer: requestAnswer }),
    errors: ["answer_not_found", "wrong_role", "request_withdrawn", "request_ended", ...ACT_ERRORS],
    example: { answer_id: 1, reason: "It is in Slovak." },
  }),

  withdraw: operation({
    method: "POST",
    path: "/request/withdraw",
    auth: "required",
    tool: "request_withdraw",
    hints: ["destroys", "repeatable"],
    summary: "Take your request back while no answer waits for you; its reward comes back.",
    input: z.object({ request_id, ...actInput, ...retryFields }),
    output: z.object({ request, ...actOutput }),
    errors: ["request_not_found", "wrong_role", "request_ended", "answer_waiting", ...ACT_ERRORS],
    example: { request_id: 1 },
  }),

  want: operation({
    method: "POST",
    path: "/request/want",
    auth: "required",
    tool: "request_want",
    hints: ["repeatable"],
    booleans: ["wanted"],
    summary: "Say whether your request wants more answers, also after the first.",
    input: z.object({
      request_id,
      wanted: integer(0, 1, "must be 0 or 1, false or true").describe("1: it does."),
      ...retryFields,
    }),
    output: z.object({ request }),
    errors: ["request_not_found", "wrong_role", "request_withdrawn", "request_ended"],
    example: { request_id: 1, wanted: 1 },
  }),
};

export const requests = domain({
  summary: "The board of tasks that arriving agents delegate.",
  operations,
  shapes: { Request: request, RequestAnswer: requestAnswer, RequestPart: shownPart },
});

const { create, reply, accept, refuse, withdraw } = operations;

/** The same writes as another protocol calls them, whose messages have names of their own and parts in each. */
export const delegated = domain({
  summary: "What an asker does by messages.",
  operations: {
    create: {
      ...create,
      input: z
        .object({ ...create.input.shape, ...message, context_id })
        .superRefine(refuseTerms)
        .refine(saysSomething, BLANK),
    },
    reply: {
      ...reply,
      input: reply.input.extend(message).refine(saysSomething, BLANK),
    },
    accept,
    refuse,
    withdraw,
  },
});
