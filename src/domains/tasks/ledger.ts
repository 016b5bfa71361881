import { didAct } from "../../platform/ledger/acts.ts";
import type { Owed } from "../../platform/ledger/replay.ts";
import {
  type AnyTransition,
  become,
  type DraftedBody,
  fault,
  numberIn,
  refusal,
  transition,
  type Violation,
} from "../../platform/ledger/transition.ts";
import type { CoinState } from "../coin/ledger.ts";
import { REWARD } from "../coin/rules.ts";
import { bannedAgent, isBanned, type Party, partyOf, unknownCaller } from "../identity/ledger.ts";
import * as entries from "./entries.ts";
import { MAX_PASSES_MAX } from "./rules.ts";

/** Where a task stands. */
interface Standing {
  readonly isClosed: boolean;
  readonly purges: number;
}

interface KnownTask {
  readonly max_passes: number | undefined;
  /** Whether a first pass earns its agent something. */
  readonly isPaid: boolean;
  /** Submissions that failed and have their payloads, by id. */
  readonly failed: number[];
  /** The agents that have passed it, each once. */
  readonly passed: Set<string>;
  readonly standing: Standing;
}

export interface TasksState extends CoinState {
  readonly tasks: Map<number, KnownTask>;
  /** Tasks that have had their last pass, which closes them in the same write. */
  readonly full: Set<number>;
}

export const emptyTasks = () => ({ tasks: new Map<number, KnownTask>(), full: new Set<number>() });

export const unknownTask = refusal(
  "task_not_found",
  "There is no task with this id. {tasks.list} lists them.",
);
const closedTask = refusal("task_closed", "This task is closed. {tasks.list} lists the open ones.");

/** A task stands otherwise from now on. */
const stands = (
  tasks: TasksState["tasks"],
  { task_id }: { readonly task_id: number },
  next: (was: Standing) => Standing,
): void => become(tasks, task_id, (task) => ({ ...task, standing: next(task.standing) }));

const task = transition(entries.task, {
  refuses: {
    reward: fault("A task pays a reward of 0.1 coin, or nothing."),
    passes: fault("A task takes 1,000,000 passes at most."),
  },
  before: () => null,
  rule(_, { body: { reward_micro, max_passes = 0 } }, refuses) {
    if (reward_micro !== 0 && reward_micro !== Number(REWARD)) return refuses.reward;
    return max_passes > MAX_PASSES_MAX ? refuses.passes : undefined;
  },
  evolve({ tasks }: TasksState, { body: { task_id, max_passes, reward_micro } }) {
    const standing = { isClosed: false, purges: 0 };
    const isPaid = reward_micro > 0;
    tasks.set(task_id, { max_passes, isPaid, passed: new Set(), failed: [], standing });
  },
});

interface Submitted {
  readonly agent: Party | undefined;
  readonly isThere: boolean;
  /** Whether it takes no submissions: its last pass closes it. */
  readonly isClosed: boolean;
}

const NOT_SUBMITTED = {
  agent: unknownCaller,
  banned: bannedAgent,
  unknown: unknownTask,
  closed: closedTask,
};

/** Both outcomes of a submission are asked alike. */
const submission = {
  refuses: NOT_SUBMITTED,
  before: (
    { tasks, agents, full }: TasksState,
    { body }: { readonly body: { readonly task_id: number; readonly agent: string } },
  ): Submitted => {
    const isClosed = tasks.get(body.task_id)?.standing.isClosed === true;
    return {
      agent: partyOf(agents.get(body.agent)),
      isThere: tasks.has(body.task_id),
      isClosed: isClosed || full.has(body.task_id),
    };
  },
  rule(
    { agent, isThere, isClosed }: Submitted,
    entry: DraftedBody<object>,
    refuses: typeof NOT_SUBMITTED,
  ): Violation | undefined {
    if (agent === undefined) return refuses.agent;
    if (isBanned(agent, entry)) return refuses.banned;
    if (!isThere) return refuses.unknown;
    return isClosed ? refuses.closed : undefined;
  },
};

export const taskPass = transition(entries.taskPass, {
  ...submission,
  evolve(state, { at, body: { task_id, agent } }) {
    const found = state.tasks.get(task_id);
    if (found === undefined || found.passed.has(agent)) return;
    found.passed.add(agent);
    if (found.isPaid) didAct(state, at, agent, `task/${task_id}`);
    if (found.passed.size === found.max_passes) state.full.add(task_id);
  },
});

export const taskFail = transition(entries.taskFail, {
  ...submission,
  evolve({ tasks }, { body: { task_id, submission_id } }) {
    tasks.get(task_id)?.failed.push(submission_id);
  },
});

export const taskClosed = transition(entries.taskClosed, {
  refuses: {
    unknown: unknownTask,
    closed: closedTask,
    passes: fault("A task closes by its passes with the last one, and then only so."),
  },
  before: ({ tasks, full }: TasksState, { body }) => ({
    isThere: tasks.has(body.task_id),
    isClosed: tasks.get(body.task_id)?.standing.isClosed === true,
    isFull: full.has(body.task_id),
  }),
  rule({ isThere, isClosed, isFull }, { body }, refuses) {
    if (!isThere) return refuses.unknown;
    if (isClosed) return refuses.closed;
    return (body.why === "max_passes") === isFull ? undefined : refuses.passes;
  },
  evolve({ tasks, full }, { body }) {
    full.delete(body.task_id);
    stands(tasks, body, (was) => ({ ...was, isClosed: true }));
  },
});

export const taskPurged = transition(entries.taskPurged, {
  refuses: {
    unknown: unknownTask,
    open: fault("Only the payloads of a closed task are emptied."),
    count: fault("The purges of a task are counted from 1."),
    slice: fault("A purge empties the next failed submissions of its task, and counts them."),
  },
  before({ tasks }: TasksState, { body }) {
    const task = tasks.get(body.task_id);
    const slice = (task?.failed ?? [])
      .filter((id) => id <= body.to_submission_id)
      .sort((a, b) => a - b);
    return {
      found: task?.standing,
      slice: { from: slice[0], to: slice.at(-1), count: slice.length },
    };
  },
  rule({ found, slice }, { ref, body }, refuses) {
    if (found === undefined) return refuses.unknown;
    if (!found.isClosed) return refuses.open;
    if (numberIn(ref) !== found.purges + 1) return refuses.count;
    const isSlice =
      body.from_submission_id === slice.from &&
      body.to_submission_id === slice.to &&
      body.submissions === slice.count;
    return isSlice ? undefined : refuses.slice;
  },
  evolve({ tasks }, { body }) {
    become(tasks, body.task_id, (task) => ({
      ...task,
      failed: task.failed.filter((id) => id > body.to_submission_id),
    }));
    stands(tasks, body, (was) => ({ ...was, purges: was.purges + 1 }));
  },
});

export const tasksTransitions: readonly AnyTransition<TasksState>[] = [
  task,
  taskPass,
  taskFail,
  taskClosed,
  taskPurged,
];

/** Tasks that no entry closes although they had their last pass. */
export function* owedTasks({ full }: TasksState): Generator<Owed> {
  for (const id of full)
    yield { of: `task/${id}`, since: null, sentence: "The last pass closes a task." };
}
