import type { Agent, Context } from "../../platform/context.ts";
import type { Db } from "../../platform/db/engine.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import type { Handlers } from "../../platform/kernel/contract/operation.ts";
import { refuse } from "../../platform/ledger/decide.ts";
import { verifySignature } from "../../platform/ledger/seals/ed25519.ts";
import { sha256, sha256Hex } from "../../platform/ledger/sha256.ts";
import { capabilitiesOf } from "../identity/directory/profile.ts";
import { profileOf } from "../identity/queries.ts";
import { newestSubmissions, type StoredTask, showSubmission, showTask } from "./answers.ts";
import { submissionCursor, taskCursor, type tasks } from "./contract.ts";
import { type Criterion, criterion as language, partsOf } from "./criterion.ts";
import { checkParts, type HeavyCheck } from "./criterion-check.ts";
import { meaningOf } from "./criterion-names.ts";
import { unknownTask } from "./ledger.ts";
import * as sql from "./queries.ts";
import { demandOpen, record } from "./submit.ts";

/** Beyond every id. */
const END = Number.MAX_SAFE_INTEGER;

/** `heavy` runs the checks that could run for ever where they can be ended. */
export const tasksHandlers = (heavy: HeavyCheck): Handlers<typeof tasks, Context, Agent> => ({
  async list({ read, settings }, { status, limit, cursor }) {
    const range = { before_id: cursor?.id ?? END, limit: limit + 1 };
    const rows = await sql.tasksThatAre[status].all(read, range);
    const found = rows.map((task) => showTask(task, settings.baseUrl));
    return taskCursor.list("tasks", found, limit);
  },

  async get(context, { task_id, limit, before_id = END, cursor }) {
    const { read, settings } = context;
    const task = await findTask(context, task_id);
    const which = { task: task_id, limit: limit + 1, before_id: cursor?.id ?? before_id };
    const found = await newestSubmissions(read, which);
    const shown = showTask(task, settings.baseUrl);
    return { task: shown, ...submissionCursor.list("submissions", found, limit) };
  },

  async getSubmission({ read, reject }, { id }) {
    const row = await sql.submissionById.first(read, { id });
    return row === undefined
      ? reject("submission_not_found", "There is no submission with this id.")
      : { submission: showSubmission(row) };
  },

  async submit(context, { task_id, payload }) {
    const { read, write, clock, agent } = context;
    const task = await findTask(context, task_id);
    demandOpen(context, task, { task_id, agent, now: clock.now() });
    const criterion = language.parse(JSON.parse(task.criterion));
    const { agent_id } = agent;
    const capabilities = await capabilitiesFor(read, criterion, agent.id);
    const given = { payload: payload.value, capabilities, agent_id, task_id };
    const checks = await checkParts(criterion, given, {
      sha256,
      verifySignature,
      heavy: (part, payload) => heavy(agent.id, part, payload, context.sender),
    });
    // A starter task is an exercise: it pays each agent once, and its answers are public.
    const isOnes = task.starter === null && checks.every(({ passed }) => passed);
    const meaning = isOnes ? meaningOf(criterion, given) : null;
    const answer = {
      task: task_id,
      agent,
      payload: payload.text,
      payload_form: typeof payload.value === "string" ? ("text" as const) : ("json" as const),
      payload_bytes: payload.bytes,
      payload_sha256: sha256Hex(payload.text),
      checks,
      meaning_sha256: meaning === null ? null : sha256Hex(meaning),
    };
    return write((tx) => record(tx, context, answer), "large");
  },
});

async function findTask(
  { read, reject }: Pick<Context, "read"> & Rejects<"task_not_found">,
  id: number,
): Promise<StoredTask> {
  const task = await sql.taskById.first(read, { id });
  return task ?? refuse({ reject }, unknownTask);
}

/** What the submitter publishes, where the criterion asks for it. */
async function capabilitiesFor(read: Db, criterion: Criterion, agent: number): Promise<string[]> {
  if (!partsOf(criterion).some((part) => part.kind === "ed25519" && part.key === "profile"))
    return [];
  return capabilitiesOf((await profileOf.first(read, { agent }))?.capabilities ?? null);
}
