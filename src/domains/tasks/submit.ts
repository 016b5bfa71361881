import type { Agent } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { decide, NOBODY } from "../../platform/ledger/decide.ts";
import { enactAllowed } from "../../platform/ledger/rows/enact-allowed.ts";
import { type Granting, grantReward, noReward, type Reward } from "../coin/rewards.ts";
import { callerOf } from "../identity/ledger.ts";
import { type ShownSubmission, type StoredTask, showSubmission } from "./answers.ts";
import type { Check } from "./criterion-check.ts";
import { taskClosed, taskFail, taskPass } from "./ledger.ts";
import * as sql from "./queries.ts";
import { rows } from "./rows.ts";
import type { OUTCOMES } from "./rules.ts";

/** A checked answer, before it is known whether somebody else gave it first. */
export interface CheckedAnswer {
  readonly task: number;
  readonly agent: Agent;
  readonly payload: string;
  readonly payload_form: "text" | "json";
  readonly payload_bytes: number;
  readonly payload_sha256: string;
  /** Of what a right one says; null where it is wrong, or where no other agent's answer matters. */
  readonly meaning_sha256: string | null;
  /** The criterion's own checks. */
  readonly checks: readonly Check[];
}

interface Recorded {
  readonly id: number;
  readonly passed: boolean;
  readonly checks: Check[];
  readonly reward: Reward;
  readonly submission: ShownSubmission;
}

type Outcome = (typeof OUTCOMES)[number];

const isPass = (outcome: Outcome): boolean => outcome === "passed" || outcome === "repeated";

type Refuses = Rejects<"task_not_found" | "task_closed">;
type Stored = Pick<StoredTask, "closed_at"> | undefined;

/** What the rule of a submission reads. */
const submittedTo = (task: Stored, agent: Agent) => ({
  agent: callerOf(agent),
  isThere: task !== undefined,
  isClosed: task?.closed_at != null,
});

/** Asks whether a task takes a submission of an agent. */
export function demandOpen(
  context: Refuses,
  task: Stored,
  {
    task_id,
    agent,
    now,
  }: { readonly task_id: number; readonly agent: Agent; readonly now: Seconds },
): void {
  const body = { task_id, agent: agent.agent_id };
  decide(context, taskPass, submittedTo(task, agent), { body, now });
}

/** The outcome of an answer, by the rows that are stored before it. */
async function outcomeOf(db: Db, answer: CheckedAnswer): Promise<Outcome> {
  if (!answer.checks.every(({ passed }) => passed)) return "failed";
  const { task, agent, meaning_sha256 } = answer;
  const key = { task, agent: agent.id };
  if (meaning_sha256 !== null) {
    const earlier = await sql.earlierAnswer.first(db, { ...key, meaning_sha256 });
    if (earlier !== undefined) return "copied";
  }
  return (await sql.earlierPass.first(db, key)) === undefined ? "passed" : "repeated";
}

/** The criterion's checks and, where a right answer could be a copy, the implicit last one. */
function allChecks({ checks, meaning_sha256 }: CheckedAnswer, outcome: Outcome): Check[] {
  if (meaning_sha256 === null || outcome === "failed") return [...checks];
  const why = outcome === "copied" ? "copied" : "ok";
  return [...checks, { check: "original", passed: why === "ok", why }];
}

/**
 * Stores a submission and what follows from it. Counting it comes first: the task's row makes all
 * submissions to one task stand in line, so of two equal answers one is the first, and of two
 * last passes one is too late. Rejects with `task_closed`.
 */
export async function record(
  tx: Tx,
  context: Granting & Refuses,
  answer: CheckedAnswer,
): Promise<Recorded> {
  const { agent, checks: _, meaning_sha256, ...stored } = answer;
  const { payload_sha256: __, task: task_id, ...sent } = stored;
  const created_at = context.clock.now();
  if ((await sql.countSubmission.run(tx, { id: task_id })) === 0) {
    const task = await sql.taskById.first(tx, { id: task_id });
    demandOpen(context, task, { task_id, agent, now: created_at });
    throw new Error("A submission was refused, and its task is open.");
  }
  const outcome = await outcomeOf(tx, answer);
  const given = { ...sent, task_id, agent, outcome, meaning_sha256 };
  const wanted = { before: submittedTo(OPEN, agent), given, now: created_at };
  const { id } = isPass(outcome)
    ? await enactAllowed(context, tx, [taskPass, rows.taskPass], wanted)
    : await enactAllowed(context, tx, [taskFail, rows.taskFail], wanted);
  const closed = outcome === "passed" && (await countPass(tx, answer.task, created_at));
  const { agent_id, handle } = agent;
  const payload = outcome === "failed" || closed ? answer.payload : null;
  return {
    id,
    passed: isPass(outcome),
    checks: allChecks(answer, outcome),
    reward: await rewardOf(tx, context, answer, outcome),
    submission: showSubmission({
      ...stored,
      id,
      task_id: answer.task,
      outcome,
      created_at,
      agent_id,
      handle,
      payload,
    }),
  };
}

/** The statement that counts a submission finds open tasks only. */
const OPEN = { closed_at: null };

/** Whether this pass was the task's last. */
async function countPass(tx: Tx, id: number, now: Seconds): Promise<boolean> {
  const task = await sql.countPass.first(tx, { id });
  if (task === undefined || task.passes !== task.max_passes) return false;
  const before = { isThere: true, isClosed: false, isFull: true };
  const closed = { before, given: { task_id: id, why: "max_passes" as const }, now };
  await enactAllowed(NOBODY, tx, [taskClosed, rows.taskClosed], closed);
  return true;
}

async function rewardOf(
  tx: Tx,
  context: Granting,
  { task, agent }: CheckedAnswer,
  outcome: Outcome,
): Promise<Reward> {
  if (outcome === "repeated") return noReward("already_rewarded");
  if (outcome !== "passed") return noReward("not_passed");
  return grantReward(tx, context, { agent, why: "task_pass", source: `task/${task}` });
}
