import * as z from "zod";
import type { Context } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/engine.ts";
import { canonicalJson, type Json } from "../../platform/kernel/canonical.ts";
import type { Rejects } from "../../platform/kernel/contract/errors.ts";
import { line, text } from "../../platform/kernel/text.ts";
import type { Seconds } from "../../platform/kernel/time.ts";
import { enact } from "../../platform/ledger/rows/enact.ts";
import { demandAllowed, enactAllowed } from "../../platform/ledger/rows/enact-allowed.ts";
import { verifySignature } from "../../platform/ledger/seals/ed25519.ts";
import { sha256 } from "../../platform/ledger/sha256.ts";
import { REWARD } from "../coin/rules.ts";
import { criterion, namesPrototype } from "./criterion.ts";
import { checkParts, type HeavyCheck } from "./criterion-check.ts";
import { taskClosed } from "./ledger.ts";
import * as sql from "./queries.ts";
import { rows } from "./rows.ts";
import { DESCRIPTION_LENGTH_MAX, MAX_PASSES_MAX, TITLE_LENGTH_MAX } from "./rules.ts";

/** What the operator says of a new task. */
export interface NewTask {
  readonly title: string;
  readonly description: string;
  /** In the language of criterion.ts. */
  readonly criterion: Json;
  /** Default 1; null for no limit. */
  readonly max_passes?: number | null;
}

const newTask = z.object({
  title: line(1, TITLE_LENGTH_MAX),
  description: text(1, DESCRIPTION_LENGTH_MAX),
  criterion: z
    .unknown()
    .refine((sent) => !namesPrototype(sent), "must not name __proto__")
    .pipe(criterion),
  max_passes: z.int().min(1).max(MAX_PASSES_MAX).nullable().default(1),
});

/** Answers that no criterion may accept: an empty answer is no work. */
const EMPTY_PAYLOADS: readonly Json[] = ["", null, {}, []];

const NOBODY = { agent_id: `ag_${"a".repeat(20)}`, task_id: 0, capabilities: [] };

/**
 * Publishes a task; resolves to its id. Rejects with `validation_failed` when it breaks a rule, or
 * when its criterion does not compile, does not come to an end or lets an empty payload pass.
 */
export async function addTask(
  { write, clock, reject }: Pick<Context, "write" | "clock" | "reject">,
  heavy: HeavyCheck,
  task: NewTask,
): Promise<number> {
  const read = newTask.safeParse(task);
  if (!read.success) {
    const details = read.error.issues.map((issue) => ({
      field: issue.path.join("."),
      problem: issue.message,
    }));
    return reject("validation_failed", "The task breaks its rules; see details.", details);
  }
  for (const payload of EMPTY_PAYLOADS) {
    const answer = { ...NOBODY, payload };
    const checks = await checkParts(read.data.criterion, answer, {
      sha256,
      verifySignature,
      heavy: (part, payload) => heavy("operator", part, payload),
    });
    if (checks.some(({ why }) => why === "criterion_error" || why === "criterion_timeout"))
      refuseCriterion(reject, "does not compile, or does not come to an end");
    if (checks.every(({ passed }) => passed)) refuseCriterion(reject, "lets an empty payload pass");
  }
  const id = await write((tx) =>
    insertTask(tx, { ...task, max_passes: read.data.max_passes, starter: null }, clock.now()),
  );
  if (id === null) throw new Error("A task was inserted and has no id.");
  return id;
}

const refuseCriterion = (reject: Context["reject"], problem: string): never =>
  reject("validation_failed", "Change the criterion.", [{ field: "criterion", problem }]);

/** A task that is known to be right. */
export interface VettedTask extends NewTask {
  readonly max_passes: number | null;
  /** The name of a starter task, which a ledger has once. */
  readonly starter: string | null;
}

/** Stores a task and resolves to its id; to null when the ledger has this starter task already. */
export async function insertTask(
  tx: Tx,
  { title, description, criterion, max_passes, starter }: VettedTask,
  created_at: Seconds,
): Promise<number | null> {
  const texts = { title, description, criterion: canonicalJson(criterion) };
  const given = { ...texts, max_passes, starter, reward_micro: Number(REWARD) };
  return (await enact(tx, rows.task, given, created_at))?.id ?? null;
}

/** Ends a task. Rejects with `task_not_found`, or `task_closed` when it has ended already. */
export async function closeTask(
  context: Pick<Context, "read" | "write" | "clock"> & Rejects<"task_not_found" | "task_closed">,
  task_id: number,
): Promise<void> {
  const { read, write, clock } = context;
  const closingIn = async (db: Db) => {
    const task = await sql.taskById.first(db, { id: task_id });
    const before = {
      isThere: task !== undefined,
      isClosed: task?.closed_at != null,
      isFull: false,
    };
    return { before, given: { task_id, why: "operator" as const }, now: clock.now() };
  };
  demandAllowed(context, [taskClosed, rows.taskClosed], await closingIn(read));
  await write(async (tx) => {
    await enactAllowed(context, tx, [taskClosed, rows.taskClosed], await closingIn(tx));
  });
}
