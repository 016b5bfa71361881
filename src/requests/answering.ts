import type { Agent, Context } from "../context.ts";
import type { Tx } from "../db/engine.ts";
import type { Rejects } from "../kernel/contract/errors.ts";
import { flagOf } from "../kernel/flags.ts";
import type { Seconds } from "../kernel/time.ts";
import { append } from "../ledger/append.ts";
import { sha256Hex } from "../ledger/sha256.ts";
import * as removals from "../removals/queries.ts";
import { lockRequest, refuseEnded, refuseRequest } from "./board.ts";
import * as entries from "./entries.ts";
import { questionOf, waitingAnswer } from "./judging-queries.ts";
import * as sql from "./queries.ts";
import { type ANSWER_SORTS, QUESTIONS_MAX, TAKEN_AFTER_S } from "./rules.ts";

type Sort = (typeof ANSWER_SORTS)[number];
type Refusal =
  | "request_not_found"
  | "request_withdrawn"
  | "request_ended"
  | "already_answered"
  | "wrong_role"
  | "text_removed";
type Needs = Pick<Context, "read" | "write" | "clock"> & Rejects<Refusal>;
type Standing = Awaited<ReturnType<typeof lockRequest>>;

interface Sent {
  readonly request_id: number;
  readonly answer: string;
  readonly kind: Sort;
  readonly client_ref?: string | undefined;
}

/** What one agent says to a request, as far as the request changes by it. */
interface Said {
  readonly id: number;
  readonly agent: Agent;
  readonly sort: Sort;
  readonly at: Seconds;
}

/** Adds an answer, a question or a decline to a request. The first answer of another ends one that ends so. */
export async function addAnswer(context: Needs, agent: Agent, sent: Sent) {
  const { read, write, clock, reject } = context;
  const { request_id, answer, kind: sort, client_ref = null } = sent;
  const [standing = refuseRequest(context), removed] = await Promise.all([
    sql.standingOf.first(read, { id: request_id }),
    removals.hidden.first(read, { kind: "request", ref: String(request_id) }),
  ]);
  refuseEnded(context, standing, clock.now());
  if (removed !== undefined)
    reject(
      "text_removed",
      "The operator has removed the text of this request. Answer another one.",
    );
  if (standing.agent === agent.id)
    reject("wrong_role", "This request is yours. {requests.reply} adds to it.");
  const flagged = flagOf(answer);
  const answer_sha256 = sha256Hex(answer);

  return write(async (tx) => {
    const at = clock.now();
    const locked = standing.ends === "accepted" ? await lockRequest(tx, request_id) : standing;
    refuseEnded(context, locked, at);
    const isJudged = sort === "answer" && standing.ends === "accepted";
    if (isJudged && (await waitingAnswer.first(tx, { request: request_id, agent: agent.id })))
      reject("already_answered", "Your answer waits for the asker of this request.");
    const waits = await doesWait(tx, locked, { agent, sort });
    const stored = { answer, flagged, client_ref, created_at: at };
    const row = await sql.insertAnswer.first(tx, {
      request: request_id,
      agent: agent.id,
      sort,
      ...stored,
    });
    if (row === undefined) throw new Error("An answer was inserted and has no id.");
    await record(tx, context, locked, { said: { id: row.id, agent, sort, at }, waits });
    append(tx, entries.requestAnswer, {
      answer_id: row.id,
      request_id,
      agent: agent.agent_id,
      answer_sha256,
      flagged: flagged ?? undefined,
      sort: sort === "answer" ? undefined : sort,
      waits: waits ? 1 : undefined,
      made_at: locked.ends === "accepted" ? at : undefined,
    });
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

/** Whether a question makes a request wait for its asker. */
async function doesWait(
  tx: Tx,
  { id: request, questions, asks }: Standing,
  { agent, sort }: Pick<Said, "agent" | "sort">,
): Promise<boolean> {
  if (sort !== "question" || questions === 0 || asks >= QUESTIONS_MAX) return false;
  return (await questionOf.first(tx, { request, agent: agent.id })) === undefined;
}

/** Brings a request to what was said. */
async function record(
  tx: Tx,
  context: Rejects<"request_withdrawn">,
  request: Standing,
  { said, waits }: { readonly said: Said; readonly waits: boolean },
): Promise<void> {
  const { id, agent, sort, at } = said;
  if (request.ends === "accepted") {
    const judged = sort === "answer";
    const isMeant = judged && agent.id === request.meant_for;
    await sql.recordWaiting.run(tx, {
      id: request.id,
      judged: judged ? 1 : 0,
      asks: request.asks + (waits ? 1 : 0),
      asked_at: judged ? null : waits ? at : request.asked_at,
      deadline_at: isMeant ? at + TAKEN_AFTER_S : request.deadline_at,
    });
    return;
  }
  if (sort !== "answer") return;
  const counted = { id: request.id, answer: id, at };
  const isCounted = await sql.recordAnswer.run(tx, counted);
  if (isCounted === 0)
    context.reject(
      "request_withdrawn",
      "The request was withdrawn. Choose another one of {requests.list}.",
    );
}
