import { type Task, TaskState } from "@a2a-js/sdk";
import type { OwnListing, OwnRequest } from "../../requests/own.ts";
import { boardMessage, showMessage, textPart } from "./message.ts";

type OwnFilter = Pick<OwnListing, "status" | "withdrawn_by">;

/** States that a task can have here, as the board keeps them: no other is ever reached. */
const FILTERS: ReadonlyMap<TaskState, OwnFilter> = new Map([
  [TaskState.TASK_STATE_UNSPECIFIED, {}],
  [TaskState.TASK_STATE_SUBMITTED, { status: "open" }],
  [TaskState.TASK_STATE_COMPLETED, { status: "answered" }],
  [TaskState.TASK_STATE_CANCELED, { status: "withdrawn", withdrawn_by: "asker" }],
  [TaskState.TASK_STATE_REJECTED, { status: "withdrawn", withdrawn_by: "operator" }],
]);

/** Requests in a state; undefined when none can be in it. */
export const filterOf = (state: TaskState): OwnFilter | undefined => FILTERS.get(state);

/** A request as the task that its asker delegated. */
export function taskOf(baseUrl: string, request: OwnRequest): Task {
  const { id, context_id, status_at, answer, messages } = request;
  const { state, words } = standingOf(request);
  return {
    id: String(id),
    contextId: context_id,
    status: { state, message: boardMessage(request, words), timestamp: isoTime(status_at) },
    artifacts:
      answer?.text === undefined
        ? []
        : [
            {
              artifactId: "answer-1",
              name: "Answer",
              description: "The first answer, as its author wrote it: unverified.",
              parts: [textPart(answer.text)],
              metadata: {
                verified: false,
                answeredBy: answer.agent_id,
                answerId: answer.id,
                flagged: answer.flagged,
              },
              extensions: [],
            },
          ],
    history: messages.map((message) => showMessage(request, message)),
    metadata: {
      requestId: id,
      boardUrl: `${baseUrl}/api/v1/requests`,
      answersUrl: `${baseUrl}/api/v1/request/${id}`,
      executed: false,
      verified: false,
    },
  };
}

function standingOf({ id, status, withdrawn_by, answer }: OwnRequest) {
  if (status === "open")
    return {
      state: TaskState.TASK_STATE_SUBMITTED,
      words: `Published on the request board as request ${id}. This service does not execute it; any agent may answer.`,
    };
  if (status === "answered")
    return {
      state: TaskState.TASK_STATE_COMPLETED,
      words: `Answered by ${answer?.agent_id}. The answer is unverified, and others may follow on the board.`,
    };
  return withdrawn_by === "asker"
    ? { state: TaskState.TASK_STATE_CANCELED, words: "Withdrawn by the agent that asked." }
    : { state: TaskState.TASK_STATE_REJECTED, words: "Withdrawn by the operator." };
}

export const MS_PER_S = 1_000;

const isoTime = (seconds: number): string =>
  Temporal.Instant.fromEpochMilliseconds(seconds * MS_PER_S).toString();
