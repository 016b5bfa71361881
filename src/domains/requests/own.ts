import type { Agent, Context } from "../../platform/context.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { partsOf, refuseRequest } from "./board.ts";
import { answerToJudge, newestQuestion } from "./judging-queries.ts";
import * as sql from "./own-queries.ts";
import { OFFERS_SHOWN_MAX, stateOf, TOTAL_COUNTED_MAX } from "./rules.ts";

/** A message of the asker; `n` is 0 for the one that asked and counts its follow-ups from 1. */
export interface OwnMessage {
  readonly n: number;
  readonly message_id: string | null;
  readonly text: string;
  readonly parts: ReturnType<typeof partsOf>;
}

/** An answer that its asker may accept. */
interface Offer {
  readonly id: number;
  readonly agent_id: string;
  readonly text: string;
  readonly flagged: string | null;
  readonly refused_at: Seconds | null;
}

/** A request as its asker sees it: with its own names, and with the first answer. */
export interface OwnRequest {
  readonly id: number;
  readonly context_id: string;
  readonly status: "open" | "answered" | "withdrawn";
  readonly status_at: Seconds;
  readonly withdrawn_by: "asker" | "operator" | null;
  readonly ends: "first" | "accepted";
  readonly state: ReturnType<typeof stateOf>;
  /** Answers of others to a request that its asker ends. */
  readonly offered: number;
  /** The newest of them, newest first; a list has none. */
  readonly offers: readonly Offer[];
  /** What the asker has to reply to; null: nothing, or it was not looked for. */
  readonly question: { readonly agent_id: string; readonly text: string } | null;
  /** `text` is undefined where it was not asked for. */
  readonly answer: {
    readonly id: number;
    readonly agent_id: string;
    readonly flagged: string | null;
    readonly text: string | undefined;
  } | null;
  /** Oldest first. */
  readonly messages: readonly OwnMessage[];
}

/** Rejects with `request_not_found` also when it is another's. */
export function findOwnRequest(
  context: Pick<Context, "snapshot"> & Rejects<"request_not_found">,
  { by, id }: { readonly by: Agent; readonly id: number },
): Promise<OwnRequest> {
  return context.snapshot(async (db) => {
    const row = (await sql.ownRequest.first(db, { agent: by.id, id })) ?? refuseRequest(context);
    const followUps = await sql.ownFollowUps.all(db, { request: id });
    const { message_id, text, parts, ...standing } = row;
    const own = ownRequestOf(standing, [{ n: 0, message_id, text, parts }, ...followUps]);
    if (own.ends === "first") return own;
    const [offers, question] = await Promise.all([
      sql.newestOffers.all(db, { request: id, asker: by.id, limit: OFFERS_SHOWN_MAX }),
      own.state === "asked" ? newestQuestion.first(db, { request: id }) : undefined,
    ]);
    return { ...own, offers, question: question ?? null };
  });
}

/** Rejects with `answer_not_found` when an answer is for another request. */
export async function refuseStray(
  { read, reject }: Pick<Context, "read"> & Rejects<"answer_not_found">,
  { request, answer_id }: { readonly request: number; readonly answer_id: number },
): Promise<void> {
  const answer = await answerToJudge.first(read, { id: answer_id });
  if (answer?.request !== request)
    reject("answer_not_found", "This request has no answer with this id.");
}

export interface OwnListing extends sql.OwnFilter {
  /** The last one of the page before. */
  readonly after: { readonly status_at: Seconds; readonly id: number } | null;
  readonly limit: number;
  /** Attached texts: those of answers, and the newest message of each request. */
  readonly withAnswers: true | undefined;
  readonly withMessages: true | undefined;
}

/** The asker's own requests, the newest status first; `total` counts all that fit, within a bound. */
export async function listOwnRequests(
  { read }: Pick<Context, "read">,
  { id: agent }: Agent,
  { after, limit, withAnswers, withMessages, ...filter }: OwnListing,
): Promise<{ readonly requests: readonly OwnRequest[]; readonly total: number }> {
  const cursor = { after_at: after?.status_at, after_id: after?.id };
  const page = { ...filter, ...cursor, agent, limit, withAnswers, withMessages };
  const [rows, counted] = await Promise.all([
    sql.ownRequests.all(read, page),
    sql.ownTotal.first(read, { ...filter, agent, limit: TOTAL_COUNTED_MAX }),
  ]);
  const requests = rows.map(({ n, message_id = null, text, parts = null, ...row }) => {
    const isShown = n !== undefined && text !== undefined;
    return ownRequestOf(row, isShown ? [{ n, message_id, text, parts }] : []);
  });
  return { requests, total: counted?.total ?? 0 };
}

type Standing = Omit<
  Awaited<ReturnType<typeof sql.ownRequests.all>>[number],
  "n" | "message_id" | "text" | "parts"
>;
type StoredMessage = Awaited<ReturnType<typeof sql.ownFollowUps.all>>[number];

function ownRequestOf(standing: Standing, messages: readonly StoredMessage[]): OwnRequest {
  const { id, context_id, status, status_at, ends, overdue, offered } = standing;
  const { answer_id, answered_by: agent_id, answer_flagged: flagged, answer } = standing;
  const isAnswered = answer_id !== null && agent_id !== null;
  return {
    id,
    context_id,
    status,
    status_at,
    ends,
    offered,
    state: stateOf(standing),
    offers: [],
    question: null,
    withdrawn_by: overdue === 1 ? null : standing.withdrawn_by,
    answer: isAnswered ? { id: answer_id, agent_id, flagged, text: answer ?? undefined } : null,
    messages: messages.map(({ parts, ...message }) => ({ ...message, parts: partsOf(parts) })),
  };
}
