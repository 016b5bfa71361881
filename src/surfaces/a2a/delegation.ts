import type {
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  Task,
} from "@a2a-js/sdk";
import {
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import * as z from "zod";
import type { Agent } from "../../context.ts";
import { rowId } from "../../kernel/contract/ids.ts";
import type { Sender } from "../../kernel/contract/operation.ts";
import { cut } from "../../kernel/contract/page.ts";
import type { Seconds } from "../../kernel/time.ts";
import { endsBy, type judgement, refusalReason } from "../../requests/contract.ts";
import { followUp, openRequest, withdrawRequest } from "../../requests/intake.ts";
import { acceptAnswer, refuseAnswer, refuseStray } from "../../requests/judging.ts";
import { findOwnRequest, listOwnRequests, type OwnRequest } from "../../requests/own.ts";
import { FOLLOW_UPS_MAX } from "../../requests/rules.ts";
import { A2A } from "../describe/fixed-routes.ts";
import { callerFor, charged, textBytes } from "../dispatch/charging.ts";
import { type Dispatcher, refuseLiveTokens } from "../dispatch/invoke.ts";
import { marked } from "../dispatch/retries.ts";
import { tried as triedWrite } from "../dispatch/trying.ts";
import { markedIn, refuseMarks } from "./marks.ts";
import { notKept, readMessage, trialMessage } from "./message.ts";
import { checked, NO_TASK } from "./refusals.ts";
import { filterOf, MS_PER_S, taskOf } from "./task.ts";

const PAGE_SIZE_MAX = 100;
const PAGE_SIZE_DEFAULT = 50;

/** Undefined means all. */
const historyLength = z.int().min(0).optional();
const sending = z.object({ historyLength }).default({});
const one = z.object({ id: z.string().min(1), historyLength });
const CURSOR = /^([0-9]{1,15}):([1-9][0-9]{0,14})$/;

/** `<status second>:<id>` of the last task of the page before, in base64url. */
const pageToken = z.string().transform((token, issues) => {
  if (token === "") return null;
  const [, second, id] = CURSOR.exec(Buffer.from(token, "base64url").toString("latin1")) ?? [];
  if (second !== undefined) return { status_at: Number(second), id: Number(id) };
  issues.addIssue({ code: "custom", message: "is not one that was given" });
  return z.NEVER;
});

const listing = z.object({
  contextId: z.string(),
  status: z.int().min(0, "is no state of a task"),
  pageSize: z.int().min(1).max(PAGE_SIZE_MAX).default(PAGE_SIZE_DEFAULT),
  pageToken,
  historyLength: historyLength.default(0),
  statusTimestampAfter: z.iso.datetime({ offset: true }).transform(secondOf).optional(),
  includeArtifacts: z.boolean().default(false),
});

/** The first whole second at or after a time: tasks keep no fractions. */
function secondOf(time: string): Seconds {
  return Math.ceil(Temporal.Instant.from(time).epochMilliseconds / MS_PER_S);
}

/** The board, as seen from this door. */
export interface Board {
  readonly dispatcher: Dispatcher;
  readonly baseUrl: string;
}

/** The delegating agent. */
export interface Asker {
  readonly agent: Agent;
  readonly sender: Sender | null;
}

/**
 * Publishes a message as a request that any agent may answer, or adds it to an open one. The same
 * message again gives the task that it made. Answers at once: nothing is executed here. A trial stores nothing, and
 * is answered with a message.
 */
export async function sendMessage(
  board: Board,
  asker: Asker,
  params: SendMessageRequest,
): Promise<Task | Message> {
  const taken = await takeMessage(board, asker, params);
  if ("trial" in taken) return taken.trial;
  return taken.shown(await show(board, asker.agent, taken));
}

/** The task, with what was dropped of the message that made it or went on with it. */
function tellNotKept(message: Message, task: Task): Task {
  const dropped = notKept(message);
  if (dropped.length === 0) return task;
  return { ...task, metadata: { ...task.metadata, notKept: dropped } };
}

/** A message that was taken. */
export interface Taken {
  /** The request. */
  readonly id: number;
  /** How many messages of it the asker wants to see; undefined: all. */
  readonly length: number | undefined;
  /** The task as its asker is shown it at once. */
  readonly shown: (task: Task) => Task;
}

/** The same, but resolves to the request, or to the answer of a trial. */
export async function takeMessage(
  board: Board,
  { agent: by, sender }: Asker,
  params: SendMessageRequest,
): Promise<Taken | { readonly trial: Message }> {
  const { configuration } = params;
  if (configuration?.taskPushNotificationConfig !== undefined)
    throw new PushNotificationNotSupportedError(NO_PUSH);
  const { historyLength: length } = checked(sending, configuration);
  const now = board.dispatcher.context.clock.now();
  const { message, isTrial, not_after } = markedIn(params, now);
  const { taskId, terms, judged, ...asked } = readMessage(message, now);
  const { anyLiveToken, charge, context } = board.dispatcher;
  await refuseLiveTokens(anyLiveToken, asked);
  const writes = charged(context, charge, {
    caller: { ...callerFor(by, sender, context), isFree: false },
    text_bytes: textBytes(asked, Object.keys(asked)),
  });
  const run = (storage: Storage) => {
    const own = { ...context, ...writes, ...storage };
    const late = marked(own, { agent: by, path: A2A.path, input: { not_after } });
    return take({ ...own, ...late }, by, { taskId, terms, judged, asked });
  };
  if (!isTrial) {
    const id = await run({ ...context, ...writes });
    return { id, length, shown: (task) => tellNotKept(message, task) };
  }
  let known: number | null = null;
  const trying = async (storage: Storage) => {
    known = await run(storage);
    return { id: known };
  };
  const tried = await triedWrite({ ...context, ...writes }, { input: asked, run: trying });
  // The same message has made its task before, so nothing new would be public.
  const isRepeated = tried.entries.length === 0;
  return {
    trial: trialMessage(message, isRepeated ? { ...tried, id: known, repeated: true } : tried),
  };
}

type Storage = Pick<Judges, "read" | "snapshot" | "write">;

interface Asked {
  readonly taskId: string;
  readonly terms: ReturnType<typeof readMessage>["terms"];
  readonly judged: ReturnType<typeof readMessage>["judged"];
  readonly asked: Omit<ReturnType<typeof readMessage>, "taskId" | "terms" | "judged">;
}

/** What a message does to the board. Resolves to the request. */
async function take(
  context: Board["dispatcher"]["context"],
  by: Agent,
  { taskId, terms, judged, asked }: Asked,
): Promise<number> {
  if (taskId === "") {
    if (terms !== null && endsBy(terms) === "accepted") refuseUnsigned(context, by);
    return (await openRequest(context, { from: by, ...asked, ...terms })).id;
  }
  const id = idOf(taskId);
  if (judged !== null) {
    await judge(context, { by, id, text: asked.text }, judged);
    return id;
  }
  const { context_id } = await findOwnRequest(context, { by, id });
  if (asked.context_id !== undefined && asked.context_id !== context_id)
    throw new RequestMalformedError("The task belongs to another contextId; leave it out.");
  const outcome = await followUp(context, { request_id: id, from: by, ...asked });
  if (outcome === "closed") throw new UnsupportedOperationError(TERMINAL);
  if (outcome === "full") throw new UnsupportedOperationError(FULL);
  return id;
}

type Judges = Pick<Dispatcher["context"], "read" | "write" | "snapshot" | "clock" | "reject">;

/** Accepts or refuses an answer; the text of the message is the reason of a refusal. */
async function judge(
  context: Judges,
  { by, id, text }: { readonly by: Agent; readonly id: number; readonly text: string },
  judged: z.output<typeof judgement>,
): Promise<void> {
  await findOwnRequest(context, { by, id });
  const answer_id = "refuse" in judged ? judged.refuse : judged.accept;
  await refuseStray(context, { request: id, answer_id });
  if ("refuse" in judged) {
    const { text: reason } = checked(z.object({ text: refusalReason }), { text });
    await refuseAnswer(context, by, { answer_id, reason });
    return;
  }
  refuseUnsigned(context, by);
  await acceptAnswer(context, by, answer_id);
}

/** This protocol carries no signature of an act key. */
function refuseUnsigned({ reject }: Pick<Judges, "reject">, { key }: Agent): void {
  if (key !== undefined)
    reject(
      "act_unsigned",
      "Your act key signs this. Do it with {requests.create} or {requests.accept}.",
    );
}

/** One of the agent's own tasks. */
export async function getTask(board: Board, by: Agent, params: GetTaskRequest): Promise<Task> {
  const { id, historyLength: length } = checked(one, params);
  return show(board, by, { id: idOf(id), length });
}

/** Takes an own task from the board, as long as it has no answer. */
export async function cancelTask(
  board: Board,
  by: Agent,
  params: CancelTaskRequest,
): Promise<Task> {
  const id = idOf(checked(one, params).id);
  refuseMarks(params.metadata);
  const outcome = await withdrawRequest(board.dispatcher.context, { request_id: id, by });
  if (outcome === "closed") throw new TaskNotCancelableError(TERMINAL);
  if (outcome === "waiting") throw new TaskNotCancelableError(JUDGE_FIRST);
  return show(board, by, { id, length: undefined });
}

/**
 * The agent's own tasks, the newest status first. Of their histories a list shows the newest message
 * at most, and of the tasks as many as an answer holds (the protocol lets a server show fewer than
 * asked for).
 */
export async function listTasks(
  { dispatcher, baseUrl }: Board,
  by: Agent,
  params: ListTasksRequest,
): Promise<ListTasksResponse> {
  const { contextId, status, pageSize, includeArtifacts, ...asked } = checked(listing, params);
  const filter = filterOf(status);
  const wanted = filter && {
    ...filter,
    context_id: contextId || undefined,
    since: asked.statusTimestampAfter,
    after: asked.pageToken,
    limit: pageSize + 1,
    withAnswers: includeArtifacts || undefined,
    withMessages: asked.historyLength > 0 || undefined,
  };
  const { requests, total } = wanted
    ? await listOwnRequests(dispatcher.context, by, wanted)
    : NOTHING;
  const { items: page, more } = cut(requests, pageSize);
  const last = more ? page.at(-1) : undefined;
  return {
    tasks: page.map((request) => taskOf(baseUrl, request)),
    nextPageToken: last === undefined ? "" : tokenOf(last),
    pageSize,
    totalSize: total,
  };
}

const NOTHING = { requests: [], total: 0 };

/** One of the agent's own tasks, whole. */
export const showTask = (board: Board, by: Agent, id: number): Promise<Task> =>
  show(board, by, { id, length: undefined });

async function show(
  { dispatcher, baseUrl }: Board,
  by: Agent,
  { id, length = Number.POSITIVE_INFINITY }: { id: number; length: number | undefined },
): Promise<Task> {
  const request = await findOwnRequest(dispatcher.context, { by, id });
  const messages = request.messages.slice(Math.max(0, request.messages.length - length));
  return taskOf(baseUrl, { ...request, messages });
}

/** An id of another form is the id of no task. */
export function idOf(id: string): number {
  const { success, data } = rowId.safeParse(id);
  if (!success) throw new TaskNotFoundError(NO_TASK);
  return data;
}

const tokenOf = ({ status_at, id }: OwnRequest): string =>
  Buffer.from(`${status_at}:${id}`).toString("base64url");

export const NO_PUSH = "Nothing is pushed here. Ask again with GetTask.";
export const TERMINAL = "The task is answered or withdrawn, which is final. Delegate a new one.";
const JUDGE_FIRST = "An answer waits for you. Accept or refuse it before you cancel the task.";
const FULL = `A task takes ${FOLLOW_UPS_MAX} further messages. Delegate a new one.`;
