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
  type A2AError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from "@a2a-js/sdk/errors";
import * as z from "zod";
import { type delegated, refusalReason } from "../../domains/requests/contract.ts";
import {
  findOwnRequest,
  listOwnRequests,
  type OwnRequest,
  refuseStray,
} from "../../domains/requests/own.ts";
import { FOLLOW_UPS_MAX } from "../../domains/requests/rules.ts";
import type { Agent } from "../../platform/context.ts";
import { Rejection } from "../../platform/kernel/contract/errors.ts";
import { rowId } from "../../platform/kernel/contract/ids.ts";
import type { Sender } from "../../platform/kernel/contract/operation.ts";
import { cut } from "../../platform/kernel/contract/page.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { type Dispatcher, invoke } from "../dispatch/invoke.ts";
import type { BoundOperation } from "../dispatch/registry.ts";
import { markedIn, refuseMarks } from "./marks.ts";
import { notKept, readMessage, trialMessage } from "./message.ts";
import { checked, NO_TASK } from "./refusals.ts";
import { filterOf, MS_PER_S, STATES, taskOf } from "./task.ts";

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
  status: z.int().min(0, `must be one of ${STATES.join(", ")}`),
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
  /** The writes of this door. */
  readonly operations: Readonly<Record<keyof typeof delegated & string, BoundOperation>>;
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
  asker: Asker,
  params: SendMessageRequest,
): Promise<Taken | { readonly trial: Message }> {
  const { configuration } = params;
  if (configuration?.taskPushNotificationConfig !== undefined)
    throw new PushNotificationNotSupportedError(NO_PUSH);
  const { historyLength: length } = checked(sending, configuration);
  const now = board.dispatcher.context.clock.now();
  const { message, marks } = markedIn(params, now);
  const { name, input } = await writeOf(board, asker.agent, readMessage(message, now));
  const answer = await write(board, asker, { name, input: { ...input, ...marks } });
  if (marks.dry_run !== 1) {
    const { id }: Seen = answer.request;
    return { id, length, shown: (task) => tellNotKept(message, task) };
  }
  // The same message has made its task before, so nothing new would be public.
  const isRepeated = answer.repeated === true || answer.entries?.length === 0;
  return { trial: trialMessage(message, { isRepeated, answer }) };
}

/** The write that a message asks for, and its fields as they are sent. */
async function writeOf(
  { dispatcher: { context } }: Board,
  by: Agent,
  { taskId, terms, judged, context_id, ...asked }: ReturnType<typeof readMessage>,
): Promise<Write> {
  if (taskId === "") return { name: "create", input: { ...terms, ...asked, context_id } };
  const id = idOf(taskId);
  const own = await findOwnRequest(context, { by, id });
  if (judged !== null) {
    const answer_id = "refuse" in judged ? judged.refuse : judged.accept;
    await refuseStray(context, { request: id, answer_id });
    if ("accept" in judged) return { name: "accept", input: { answer_id } };
    const { text: reason } = checked(z.object({ text: refusalReason }), { text: asked.text });
    return { name: "refuse", input: { answer_id, reason } };
  }
  if (context_id !== undefined && context_id !== own.context_id)
    throw new RequestMalformedError("The task belongs to another contextId; leave it out.");
  return { name: "reply", input: { request_id: id, ...asked } };
}

interface Write {
  readonly name: keyof Board["operations"];
  readonly input: object;
}

/** What of the answers of these writes is looked at. */
interface Seen {
  readonly id: number;
  readonly withdrawn_by: "asker" | "operator" | null;
}

interface Written {
  readonly request: Seen;
  readonly repeated?: true;
  readonly entries?: readonly object[];
}

/** Every write of this door. Rejects as its operation does, in the words of the protocol where it has some. */
async function write(board: Board, asker: Asker, { name, input }: Write): Promise<Written> {
  const invocation = { ...asker, isUnsignable: true, afterAnswer() {} } as const;
  try {
    return Object(await invoke(board.operations[name], board.dispatcher, invocation, input));
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    if (error.code === "act_unsigned")
      throw new Rejection(
        "act_unsigned",
        `Your act key signs this. Do it with {requests.${name}}.`,
      );
    throw WORDS[name]?.[error.code]?.() ?? error;
  }
}

const ended = () => new UnsupportedOperationError(TERMINAL);

/** What the protocol calls a refusal of these writes. */
const WORDS: Partial<Record<Write["name"], Partial<Record<Rejection["code"], () => A2AError>>>> = {
  reply: {
    request_ended: ended,
    request_withdrawn: ended,
    reply_limit: () => new UnsupportedOperationError(FULL),
  },
  withdraw: {
    request_ended: () => new TaskNotCancelableError(TERMINAL),
    answer_waiting: () => new TaskNotCancelableError(JUDGE_FIRST),
  },
};

/** One of the agent's own tasks. */
export async function getTask(board: Board, by: Agent, params: GetTaskRequest): Promise<Task> {
  const { id, historyLength: length } = checked(one, params);
  return show(board, by, { id: idOf(id), length });
}

/** Takes an own task from the board, as long as it has no answer. */
export async function cancelTask(
  board: Board,
  asker: Asker,
  params: CancelTaskRequest,
): Promise<Task> {
  const { agent: by } = asker;
  const id = idOf(checked(one, params).id);
  refuseMarks(params.metadata);
  const { status } = await findOwnRequest(board.dispatcher.context, { by, id });
  if (status !== "open") throw new TaskNotCancelableError(TERMINAL);
  const { request } = await write(board, asker, { name: "withdraw", input: { request_id: id } });
  // The operator may have been faster.
  if (request.withdrawn_by !== "asker") throw new TaskNotCancelableError(TERMINAL);
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
