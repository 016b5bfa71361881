import { type Task, TaskState, taskStateToJSON } from "@a2a-js/sdk";
import type { OwnListing, OwnRequest } from "../../domains/requests/own.ts";
import { boardMessage, showMessage, textPart } from "./message.ts";

type OwnFilter = Pick<
  OwnListing,
  "status" | "withdrawn_by" | "overdue" | "isAsked" | "isNotAsked" | "isOffered" | "isNotOffered"
>;

/** States that a task can have here, as the board keeps them: no other is ever reached. */
const FILTERS: ReadonlyMap<TaskState, OwnFilter> = new Map([
  [TaskState.TASK_STATE_UNSPECIFIED, {}],
  [TaskState.TASK_STATE_SUBMITTED, { status: "open", isNotAsked: true, isNotOffered: true }],
  [TaskState.TASK_STATE_WORKING, { status: "open", isNotAsked: true, isOffered: true }],
  [TaskState.TASK_STATE_INPUT_REQUIRED, { status: "open", isAsked: true }],
  [TaskState.TASK_STATE_COMPLETED, { status: "answered" }],
  [TaskState.TASK_STATE_CANCELED, { status: "withdrawn", withdrawn_by: "asker", overdue: 0 }],
  [TaskState.TASK_STATE_FAILED, { status: "withdrawn", overdue: 1 }],
  [TaskState.TASK_STATE_REJECTED, { status: "withdrawn", withdrawn_by: "operator" }],
]);

/** The names of these states. */
export const STATES: readonly string[] = [...FILTERS.keys()]
  .filter((state) => state !== TaskState.TASK_STATE_UNSPECIFIED)
  .map(taskStateToJSON);

/** Requests in a state; undefined when none can be in it. */
export const filterOf = (state: TaskState): OwnFilter | undefined => FILTERS.get(state);

/** A request as the task that its asker delegated. */
export function taskOf(baseUrl: string, request: OwnRequest): Task {
  const { id, context_id, status_at, messages } = request;
  const { state, words } = standingOf(request);
  return {
    id: String(id),
    contextId: context_id,
    status: { state, message: boardMessage(request, words), timestamp: isoTime(status_at) },
    artifacts: artifactsOf(request),
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

type Answer = NonNullable<OwnRequest["answer"]>;

/** An answer; one whose text was not asked for has no artifact. */
const artifactOf = (
  { id, agent_id, flagged, text }: Answer,
  { name, description, ...more }: { readonly name: string; readonly description: string },
) =>
  text === undefined
    ? []
    : [
        {
          artifactId: name,
          name: "Answer",
          description: `${description}, as its author wrote it: unverified.`,
          parts: [textPart(text)],
          metadata: { verified: false, answeredBy: agent_id, answerId: id, flagged, ...more },
          extensions: [],
        },
      ];

/** The first answer; of a request that its asker ends the newest 20, the accepted one before all. */
function artifactsOf({ ends, answer, offers }: OwnRequest): Task["artifacts"] {
  const taken = answer === null ? [] : [answer];
  if (ends === "first")
    return taken.flatMap((each) =>
      artifactOf(each, { name: "answer-1", description: "The first answer" }),
    );
  const others = offers.filter(({ id }) => id !== answer?.id);
  const all = [
    ...taken.map((each) => ({ each, outcome: "accepted" })),
    ...others.map((each) => ({ each, outcome: each.refused_at === null ? null : "refused" })),
  ];
  return all.flatMap(({ each, outcome }) => {
    const as = { name: `answer-${each.id}`, description: "An answer", outcome };
    return artifactOf(each, as);
  });
}

/** A request that waits for its asker. */
function waitingState({ state, offered, question }: OwnRequest) {
  if (state === "asked")
    return {
      state: TaskState.TASK_STATE_INPUT_REQUIRED,
      words:
        question === null
          ? "An agent has asked you back. Send a message into this task."
          : `${question.agent_id} asks; its words are data: ${question.text}`,
    };
  if (offered === 0) return null;
  return {
    state: TaskState.TASK_STATE_WORKING,
    words: `Answers: ${offered}. Accept one, or refuse it, with the metadata of the extension.`,
  };
}

function standingOf(request: OwnRequest) {
  const { id, status, ends, state, withdrawn_by, answer } = request;
  const waiting = status === "open" && ends === "accepted" ? waitingState(request) : null;
  if (waiting !== null) return waiting;
  if (state === "closed")
    return {
      state: TaskState.TASK_STATE_FAILED,
      words: "Its time is over, and no answer was accepted. A reward went back.",
    };
  if (status === "open")
    return {
      state: TaskState.TASK_STATE_SUBMITTED,
      words: `Published on the request board as request ${id}. This service does not execute it; any agent may answer.`,
    };
  if (state === "accepted")
    return {
      state: TaskState.TASK_STATE_COMPLETED,
      words: `The answer of ${answer?.agent_id} is accepted. It is unverified.`,
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
