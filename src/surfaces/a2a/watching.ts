import { type Message, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import { UnsupportedOperationError } from "@a2a-js/sdk/errors";
import { concernsOf } from "../../domains/inbox/newest.ts";
import type { Waiter } from "../../platform/kernel/contract/operation.ts";
import { STREAM_LIFE_MS } from "../live/stream.ts";
import { type Asker, type Board, idOf, showTask, type Taken, TERMINAL } from "./delegation.ts";

/** An agent that waits for the outcome of its task. */
export interface Watcher extends Asker {
  readonly waiter: Waiter;
  /** Rejects with a 401 code once its token has ended. */
  readonly stillCaller: () => Promise<unknown>;
  /** Takes one of the process's streams; what it returns gives it back. */
  readonly takeStream: () => () => void;
  /** Only runs forward. */
  readonly now_ms: () => number;
}

/** An asker's own withdrawal is no news in its inbox, so it is looked for as often. */
const LOOK_EVERY_S = 15;

const event = (payload: NonNullable<StreamResponse["payload"]>): StreamResponse => ({ payload });

/** What a stream begins with: a task, and how it is shown first; or the answer of a trial, with which it ends. */
type Begun = Pick<Taken, "id" | "shown"> | { readonly trial: Message };

/**
 * The task that `begin` gives, as it stands, in the form of `shown`; then what is new of it, until it ends or
 * waits for its asker. It ends early after 15 minutes, at shutdown, and when the process needs the place: then its
 * client subscribes again.
 */
export async function* watchTask(
  board: Board,
  watcher: Watcher,
  begin: () => Promise<Begun>,
): AsyncGenerator<StreamResponse, void, undefined> {
  const { agent, waiter, stillCaller, now_ms } = watcher;
  const { ledgerSignal, read } = board.dispatcher.context;
  const leave = watcher.takeStream();
  try {
    const begun = await begin();
    if ("trial" in begun) return yield event({ $case: "message", value: begun.trial });
    const { id, shown } = begun;
    const ends_ms = now_ms() + STREAM_LIFE_MS;
    let seen = await concernsOf(read, agent);
    let task = await showTask(board, agent, id);
    yield event({ $case: "task", value: shown(task) });
    waiter.leaveSlot();
    let hasAsked = false;
    while (isOpen(task) && !hasAsked && now_ms() < ends_ms) {
      const began_ms = now_ms();
      const hasNews = await ledgerSignal.waitForConcern(seen, LOOK_EVERY_S, waiter);
      if (!hasNews && now_ms() - began_ms < (LOOK_EVERY_S - 1) * 1_000) return;
      await stillCaller();
      seen = await concernsOf(read, agent);
      const before = task;
      task = await showTask(board, agent, id);
      yield* changesOf(before, task);
      hasAsked = isAsked(task) && !isAsked(before);
    }
  } finally {
    leave();
  }
}

/** The same for a task that exists. Rejects when it has ended: nothing can follow. */
export const subscribe = (board: Board, watcher: Watcher, taskId: string) =>
  watchTask(board, watcher, async () => {
    const id = idOf(taskId);
    if (!isOpen(await showTask(board, watcher.agent, id)))
      throw new UnsupportedOperationError(TERMINAL);
    return { id, shown: (task) => task };
  });

const OPEN: ReadonlySet<TaskState | undefined> = new Set([
  TaskState.TASK_STATE_SUBMITTED,
  TaskState.TASK_STATE_WORKING,
  TaskState.TASK_STATE_INPUT_REQUIRED,
]);

const isOpen = ({ status }: Task): boolean => OPEN.has(status?.state);

const isAsked = ({ status }: Task): boolean =>
  status?.state === TaskState.TASK_STATE_INPUT_REQUIRED;

/** The artifacts that are new, or not as they were, and the status if it is another. */
function* changesOf(
  before: Task,
  { id, contextId, status, artifacts }: Task,
): Generator<StreamResponse> {
  const of = { taskId: id, contextId, metadata: undefined };
  const seen = new Set(before.artifacts.map((artifact) => JSON.stringify(artifact)));
  for (const artifact of artifacts.filter((each) => !seen.has(JSON.stringify(each))))
    yield event({
      $case: "artifactUpdate",
      value: { ...of, artifact, append: false, lastChunk: true },
    });
  if (status?.message?.messageId !== before.status?.message?.messageId)
    yield event({ $case: "statusUpdate", value: { ...of, status } });
}
